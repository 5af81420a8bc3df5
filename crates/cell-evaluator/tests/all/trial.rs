//! Compilers whose output is incomplete or has changed.

use crate::common::{made, rustc};
use cell_evaluator::{Compiler, try_compiler};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A compiler whose output is altered: a script that runs rustc, then a line of shell for each MIR
/// file `$mir`.
fn altered(folder: &TempDir, change: &str) -> Compiler {
    let program = folder.path().join("rustc");
    let text = format!(
        "#!/bin/sh\n'{}' \"$@\" || exit\nfor mir in *.mir; do {change}; done\n",
        rustc().display()
    );
    fs::write(&program, text).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its rights");
    let mut compiler = made().0.clone();
    compiler.rustc = program;
    compiler
}

fn tried(change: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    try_compiler(&altered(&folder, change), folder.path())
}

#[test]
fn a_compiler_that_writes_types_as_they_are_read_can_be_used() {
    assert_eq!(tried("true"), Ok(()));
}

#[test]
fn a_compiler_that_writes_them_in_another_way_is_refused() {
    let unreadable = "this compiler's types cannot be read";
    for change in [
        ": > \"$mir\"",
        "head -c 300 \"$mir\" > short; mv short \"$mir\"",
        "sed -i 's/let mut _0/let result/' \"$mir\"",
        "sed -i 's/{closure#0}/{{closure}}/' \"$mir\"",
        "sed -i 's/std::result::Result</Outcome</' \"$mir\"",
    ] {
        assert_eq!(tried(change), Err(unreadable.to_owned()), "{change}");
    }
    for change in [
        "sed -i 's/std::vec::Vec/Vec/g' \"$mir\"",
        "sed -i 's/item_0::Pair/Pair/g' \"$mir\"",
        "sed -i 's/u8, /u16, /' \"$mir\"",
    ] {
        let why = tried(change).expect_err(change);
        assert!(why.starts_with("the types of "), "{change}: {why}");
    }
    let why = tried("rm \"$mir\"").expect_err("no file");
    assert!(why.contains("No such file"), "{why}");
}
