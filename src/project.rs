//! Where the parts of the project lie.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The project's folder: this program belongs to the checkout it was built in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The helper crate that notebooks load.
pub fn helper_crate() -> PathBuf {
    root().join("crates").join("attention")
}

/// The lessons.
pub fn notebooks() -> PathBuf {
    root().join("notebooks")
}

/// All lessons, in teaching order.
pub fn lessons() -> Result<Vec<PathBuf>> {
    let folder = notebooks();
    let entries = folder
        .read_dir()
        .with_context(|| format!("cannot read {}", folder.display()))?;
    let mut lessons = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ipynb")
        {
            lessons.push(path);
        }
    }
    lessons.sort();
    Ok(lessons)
}

/// The variable that names another folder than `.jupyter` for [`generated`].
pub const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

/// Everything that set-up makes; may be deleted at any time.
pub fn generated() -> PathBuf {
    let chosen = std::env::var_os(GENERATED).filter(|folder| !folder.is_empty());
    chosen.map_or_else(|| root().join(".jupyter"), PathBuf::from)
}

/// The first cell of every lesson, for a notebook in any folder.
pub fn load_cell() -> String {
    let helper = helper_crate();
    format!(":dep attention = {{ path = {helper:?} }}\nuse attention::prelude::*;")
}
