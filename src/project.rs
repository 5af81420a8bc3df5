//! Where the parts of the project lie, and what its kernel is like: the one file of the
//! program that names the helper crate.

use anyhow::{Context, Result, bail};
use notebook_kernel::{Config, Helper};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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

/// Where the project was when this program was compiled. It may have been moved or copied
/// since, and cargo does not compile it again for that.
const COMPILED_IN: &str = env!("CARGO_MANIFEST_DIR");

/// The project's folder: the one in whose `target` this program lies, or the one in which it
/// was compiled.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| around(&program()).unwrap_or_else(|| COMPILED_IN.into()))
}

/// Fails if the project is at neither place.
pub fn check() -> Result<()> {
    if !is_project(root()) {
        bail!(
            "the project is not there: searched around {} and in {COMPILED_IN}; run `cargo run \
             --release` in the project's folder",
            program().display()
        );
    }
    Ok(())
}

fn program() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.canonicalize().unwrap_or(program)
}

/// The project in whose `target` a program lies.
fn around(program: &Path) -> Option<PathBuf> {
    let mut folders = program.ancestors();
    let target = folders.find(|folder| folder.ends_with("target"))?;
    let root = target.parent()?;
    is_project(root).then(|| root.to_owned())
}

fn is_project(folder: &Path) -> bool {
    let parts = [
        "Cargo.lock",
        "requirements.txt",
        "crates/attention/Cargo.toml",
    ];
    parts.iter().all(|part| folder.join(part).is_file())
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
    let chosen = env::var_os(GENERATED).filter(|folder| !folder.is_empty());
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
    use std::fs;

    #[test]
    fn the_project_is_found_around_its_program_wherever_it_was_moved() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let [moved, other] = ["moved", "other"].map(|name| folder.path().join(name));
        let program = moved.join("target/release/attention-notebooks");
        assert_eq!(around(&program), None, "it is no project");
        fs::create_dir_all(moved.join("crates/attention"))?;
        for part in [
            "Cargo.lock",
            "requirements.txt",
            "crates/attention/Cargo.toml",
        ] {
            fs::write(moved.join(part), "")?;
        }
        assert_eq!(around(&program), Some(moved.clone()));
        let cross = moved.join("target/aarch64-apple-darwin/release/attention-notebooks");
        assert_eq!(around(&cross), Some(moved.clone()));
        assert_eq!(
            around(&other.join("target/release/attention-notebooks")),
            None
        );
        // The `target` of something else that lies in this one's.
        let inner = moved.join("target/defects/target/release/attention-notebooks");
        assert_eq!(around(&inner), None);
        Ok(())
    }

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
