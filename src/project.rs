//! Where the parts of the project lie, and what its kernel is like: the one file of the
//! program that names the helper crate.

use anyhow::{Context, Result};
use notebook_kernel::{Config, Helper};
use std::path::{Path, PathBuf};

/// The helper crate that notebooks load.
const HELPER: &str = "attention";

/// A crate that compiles, unoptimised as they are, what cells would compile each for itself.
const FOR_CELLS: &str = "cell-instances";

/// Crates of which the helper crate needs no speed: they only compile others, or are
/// inlined into it, or read a file now and then. Unoptimised they halve the time that
/// set-up takes for cells.
const COLD: [&str; 19] = [
    "fontdb",
    "hashbrown",
    "libm",
    "ndarray",
    "paste",
    "plotters",
    "proc-macro2",
    "pulp",
    "quote",
    "raw-cpuid",
    "rayon",
    "rustybuzz",
    "safetensors",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "syn",
    "ttf-parser",
];

/// The project's folder: this program belongs to the checkout it was built in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the helper crate.
fn helper_crate() -> PathBuf {
    root().join("crates").join(HELPER)
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

/// What loads the helper crate in a notebook in any folder.
pub fn dependency() -> String {
    format!(":dep {HELPER} = {{ path = {:?} }}", helper_crate())
}

/// The kernel of the lessons.
pub fn kernel() -> Config {
    let kernel = Config::new("attention-notebooks", HELPER, helper_crate());
    Config {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        banner: "Rust, with the crate `attention` loaded: `use attention::prelude::*;`".to_owned(),
        first_cell: format!("{}\nuse attention::prelude::*;", dependency()),
        warm_up_cell: "let _warm = attention::ndarray::array![[1.0_f32]];".to_owned(),
        generated: generated(),
        set_up: format!("run `cargo run --release` in {}", root().display()),
        helper: Helper {
            workspace: root().to_owned(),
            signatures_cfg: Some("attention_signatures".to_owned()),
            codegen_units: 1,
            unoptimised: COLD
                .iter()
                .chain([&FOR_CELLS])
                .map(ToString::to_string)
                .collect(),
            compile_time: "about half a minute".to_owned(),
            ..kernel.helper
        },
        ..kernel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_that_is_not_optimised_is_in_the_lock_file() {
        let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
        for name in kernel().helper.unoptimised {
            assert!(lock.contains(&format!("name = \"{name}\"\n")), "{name}");
        }
    }

    #[test]
    fn cells_are_told_apart_from_signatures_by_a_cfg_of_the_helper_crate() {
        let manifest = std::fs::read_to_string(helper_crate().join("Cargo.toml"));
        let cfg = kernel().helper.signatures_cfg.expect("a cfg");
        let table = format!("[target.'cfg(not({cfg}))'.dependencies]");
        assert!(manifest.expect("the manifest").contains(&table), "{table}");
    }
}
