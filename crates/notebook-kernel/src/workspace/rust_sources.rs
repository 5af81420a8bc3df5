//! The sources of the standard library for the evaluator's type inference, without
//! what no notebook needs: rust-analyzer reads them at the start of every kernel, keeps them in
//! memory, and before each cell it checks what it has concluded from them.
//!
//! The copy has no manifests. rust-analyzer then takes these crates alone, and not
//! those that the standard library is built on, which no signature of it names.
//!
//! Where rust-analyzer looks for it there is an empty folder at first, in each workspace: it reads
//! the sources again whenever there is another crate below the cells, and what evcxr evaluates to
//! begin with needs none.

use crate::config::Config;
use crate::workspace::environment::Variables;
use crate::workspace::files::remove_folder;
use crate::workspace::signatures;
use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The variable that names the folder in which rust-analyzer looks for them.
pub const VARIABLE: &str = "RUST_SRC_PATH";
/// The end of the name of the link beside that folder that will take its place.
const WHOLE: &str = "whole";

/// The crates that make up the standard library.
const CRATES: [&str; 3] = ["core", "alloc", "std"];

/// Files outside of them that they include, and what stands there instead: the
/// intrinsics of all processors are half of the sources.
pub const STUBS: [(&str, &str); 4] = [
    (
        "stdarch/crates/core_arch/src/mod.rs",
        "pub mod arch {}\npub mod simd {}\n",
    ),
    (
        "portable-simd/crates/core_simd/src/mod.rs",
        "pub mod simd { pub mod prelude {} }\n",
    ),
    ("portable-simd/crates/std_float/src/lib.rs", ""),
    ("backtrace/src/lib.rs", ""),
];

/// How they are copied: another way is another copy.
pub const WAY: u32 = 4;

/// Where they are.
pub fn folder(config: &Config) -> PathBuf {
    config.generated.join("rust-src")
}

/// Tells rust-analyzer to look in `folder`, in which there is nothing yet.
pub fn hide(folder: &Path, variables: &mut Variables) -> Result<()> {
    // Without this one it would look elsewhere.
    fs::create_dir_all(folder.join(CRATES[0]))?;
    variables.set(VARIABLE, folder);
    Ok(())
}

/// Lays ready beside the empty `folder` what [`show`] puts in its place: the copy.
pub fn lay_ready(config: &Config, folder: &Path) -> Result<()> {
    Ok(symlink(self::folder(config), folder.with_extension(WHOLE))?)
}

/// Has rust-analyzer find the sources from now on, if they lie ready.
pub fn show() -> Result<()> {
    let Some(folder) = env::var_os(VARIABLE).map(PathBuf::from) else {
        return Ok(());
    };
    let whole = folder.with_extension(WHOLE);
    if whole.is_symlink() {
        fs::remove_dir_all(&folder)?;
        fs::rename(whole, folder)?;
    }
    Ok(())
}

/// Copies the toolchain's sources, in place of an older copy.
pub fn copy(config: &Config, library: &Path) -> Result<()> {
    let unfinished = config.generated.join("rust-src.new");
    remove_folder(&unfinished)?;
    for name in CRATES {
        let sources = library.join(name).join("src");
        copy_sources(&sources, &unfinished.join(name).join("src"))
            .with_context(|| format!("cannot copy {}", sources.display()))?;
    }
    for (file, text) in STUBS {
        let file = unfinished.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&unfinished))?;
        fs::write(file, text)?;
    }
    remove_folder(&folder(config))?;
    Ok(fs::rename(unfinished, folder(config))?)
}

/// Copies what is Rust and no test.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "tests" {
                copy_sources(&path, &target)?;
            }
        } else if path.extension() == Some("rs".as_ref()) {
            let source = fs::read_to_string(&path)?;
            fs::write(&target, signatures::of(&source))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_copied_and_tests_and_manifests_are_not() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::create_dir_all(from.path().join("num/tests"))?;
        for file in ["lib.rs", "panic.md", "num/mod.rs", "num/tests/float.rs"] {
            fs::write(from.path().join(file), file)?;
        }
        copy_sources(from.path(), to.path())?;
        let copied = |file: &str| to.path().join(file).exists();
        assert!(copied("lib.rs") && copied("num/mod.rs"));
        assert!(!copied("panic.md") && !copied("num/tests"));
        Ok(())
    }
}
