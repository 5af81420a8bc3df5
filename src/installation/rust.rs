//! The compiler of an installation.

use crate::installation::files::{self, Copied, remove};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Parts of a rustup toolchain to skip: cells need no documentation, only a few of the programs,
/// and only those sources that completion reads.
const LEFT_OUT: [&str; 5] = ["etc", "libexec", "share", "bin", "lib/rustlib/src"];
const PROGRAMS: [&str; 2] = ["bin/cargo", "bin/rustc"];
/// Where a toolchain keeps the tools for completion and formatting.
const FOR_EDITING: [&str; 5] = [
    "bin/rust-analyzer",
    "bin/rustfmt",
    "lib/rustlib/src/rust/library/core",
    "lib/rustlib/src/rust/library/alloc",
    "lib/rustlib/src/rust/library/std",
];

/// Copies a compiler, or links to one that belongs to the system and so is already available to all
/// users.
pub fn copy(sysroot: &Path, to: &Path) -> Result<()> {
    remove(to)?;
    if !is_of_rustup(sysroot) {
        let folder = to.parent().context("an installation has a folder")?;
        fs::create_dir_all(folder)?;
        return symlink(sysroot, to).with_context(|| format!("cannot write {}", to.display()));
    }
    files::copy(sysroot, to, &|file| {
        let inside = file.strip_prefix(sysroot).unwrap_or(file);
        match LEFT_OUT
            .iter()
            .any(|left_out| inside == Path::new(left_out))
        {
            true => Copied::No,
            false => Copied::Yes,
        }
    })?;
    let for_editing = FOR_EDITING.iter();
    let for_editing = for_editing.filter(|part| sysroot.join(part).exists());
    for part in PROGRAMS.iter().chain(for_editing) {
        files::copy(&sysroot.join(part), &to.join(part), &|_| Copied::Yes)?;
    }
    Ok(())
}

/// Every rustup toolchain contains a list of its components.
fn is_of_rustup(sysroot: &Path) -> bool {
    sysroot.join("lib/rustlib/components").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_of_rustup_is_copied_without_what_no_cell_needs() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (sysroot, to) = (folder.path().join("sysroot"), folder.path().join("rust"));
        let kept = [
            "bin/cargo",
            "bin/rustc",
            "lib/librustc.so",
            "lib/rustlib/components",
            "bin/rust-analyzer",
            "lib/rustlib/src/rust/library/std/src/lib.rs",
        ];
        let left_out = [
            "bin/rustdoc",
            "share/doc/book",
            "lib/rustlib/src/rust/library/stdarch/src/lib.rs",
        ];
        for file in kept.iter().chain(&left_out) {
            let file = sysroot.join(file);
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(file, "")?;
        }
        copy(&sysroot, &to)?;
        assert!(kept.iter().all(|file| to.join(file).is_file()));
        assert!(!left_out.iter().any(|file| to.join(file).exists()));
        fs::remove_file(sysroot.join("bin/rust-analyzer"))?;
        copy(&sysroot, &to)?;
        assert!(!to.join("bin/rust-analyzer").exists());
        Ok(())
    }

    #[test]
    fn a_compiler_of_the_system_is_linked_to() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (sysroot, to) = (folder.path().join("usr"), folder.path().join("a/rust"));
        fs::create_dir_all(sysroot.join("bin"))?;
        for _ in 0..2 {
            copy(&sysroot, &to)?;
            assert_eq!(fs::read_link(&to)?, sysroot);
        }
        Ok(())
    }
}
