//! The sources of the standard library for the evaluator's type inference, without
//! what no notebook needs: rust-analyzer reads them at the start of every kernel,
//! and the intrinsics of all processors are half of them.

use crate::project;
use crate::workspace::remove_folder;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that stand for what is left out.
pub const STUBS: [(&str, &str); 2] = [
    (
        "stdarch/crates/core_arch/src/mod.rs",
        "pub mod arch {}\npub mod simd {}\n",
    ),
    (
        "portable-simd/crates/core_simd/src/mod.rs",
        "pub mod simd { pub mod prelude {} }\n",
    ),
];

/// Where they are.
pub fn folder() -> PathBuf {
    project::generated().join("rust-src")
}

/// Copies the toolchain's sources, in place of an older copy.
pub fn copy(library: &Path) -> Result<()> {
    let unfinished = project::generated().join("rust-src.new");
    remove_folder(&unfinished)?;
    copy_tree(library, &unfinished, Path::new(""))
        .with_context(|| format!("cannot copy {}", library.display()))?;
    remove_folder(&folder())?;
    Ok(fs::rename(unfinished, folder())?)
}

fn copy_tree(library: &Path, target: &Path, below: &Path) -> Result<()> {
    fs::create_dir_all(target.join(below))?;
    for entry in library.join(below).read_dir()? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(library, target, &path)?;
        } else {
            match replacement(&path) {
                Some(text) => fs::write(target.join(&path), text)?,
                None => drop(fs::copy(entry.path(), target.join(&path))?),
            }
        }
    }
    Ok(())
}

/// What a file becomes; `None`: it stays. Cargo asks for the files that its
/// manifests name, so they are emptied and not left out.
fn replacement(path: &Path) -> Option<&'static str> {
    if let Some((_, stub)) = STUBS.iter().find(|(file, _)| path == Path::new(file)) {
        return Some(stub);
    }
    let is_source = path.extension() == Some("rs".as_ref());
    let has = |part: &str| path.iter().any(|of_path| of_path == part);
    let is_left_out = has("tests") || has("benches") || path.starts_with("stdarch");
    let is_entry = path.file_name() == Some("lib.rs".as_ref()) && has("core_arch");
    (is_source && is_left_out && !is_entry).then_some("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_and_tests_are_emptied_and_the_rest_stays() {
        let of = |path: &str| replacement(Path::new(path));
        assert_eq!(of("core/src/num/mod.rs"), None);
        assert_eq!(of("std/Cargo.toml"), None);
        assert_eq!(of("coretests/tests/lib.rs"), Some(""));
        assert_eq!(of("stdarch/crates/core_arch/src/x86/avx.rs"), Some(""));
        assert_eq!(of(STUBS[0].0), Some(STUBS[0].1));
    }
}
