//! The rustup components for completion, inspection and formatting. Cells run without them.

use crate::config::SetUpStep;
use std::path::Path;
use std::process::{Command, Stdio};

/// The components' names, and their paths in a toolchain.
const COMPONENTS: [(&str, &str); 3] = [
    ("rust-analyzer", "bin/rust-analyzer"),
    ("rustfmt", "bin/rustfmt"),
    ("rust-src", "lib/rustlib/src/rust/library"),
];

/// Installs the missing components into rustup's toolchain in `sysroot`; on failure, explains the
/// consequences.
pub fn add_missing(sysroot: &Path, report: fn(SetUpStep<'_>)) {
    let missing = COMPONENTS
        .iter()
        .filter(|(_, file)| !sysroot.join(file).exists());
    let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
    // Only rustup's toolchains contain this list of components.
    let is_of_rustup = sysroot.join("lib/rustlib/components").is_file();
    let Some(toolchain) = sysroot
        .file_name()
        .filter(|_| is_of_rustup && !missing.is_empty())
    else {
        return;
    };
    report(SetUpStep::Begins(&format!(
        "Adding components for completion, inspection and formatting: {} ...",
        missing.join(" and ")
    )));
    let added = Command::new("rustup")
        .args(["component", "add", "--toolchain"])
        .arg(toolchain)
        .args(&missing)
        .stdin(Stdio::null())
        .output();
    if !added.is_ok_and(|output| output.status.success()) {
        let missing = missing.join(" ");
        report(SetUpStep::Note(&format!(
            "The components {missing} could not be added. Everything else works, but Tab and Shift+Tab \
             offer less, and cells cannot be formatted. When you are online, run: rustup component add \
             {missing}"
        )));
    }
}
