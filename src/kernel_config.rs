//! The kernel of the lessons: its own commands, its imports, and the crates that set-up compiles
//! for its cells.

use crate::project::{self, ATTENTION, EXERCISES};
use crate::{course, originals};
use notebook_session::{CellCommand, Config, Installed, Prebuilt};

/// A crate that compiles, unoptimised like cells, what every cell would otherwise compile for
/// itself.
const FOR_CELLS: &str = "cell-instances";

/// Packages whose speed does not matter to the lessons: they only help to compile others,
/// or are inlined into it, or occasionally read a file. Compiling them unoptimised halves the time
/// that set-up takes for cells.
const UNOPTIMISED: [&str; 24] = [
    "autocfg",
    "course-progress",
    "exercises",
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
    "version_check",
    "zerocopy",
];

/// The kernel of the lessons.
pub fn kernel_config() -> Config {
    let kernel = Config::new("attention-notebooks", project::attention());
    let show_originals = CellCommand {
        name: "originals".to_owned(),
        help: "Show what this lesson's original printed, next to the current values".to_owned(),
        expand: |call| originals::cell(call, &project::notebooks(), ATTENTION),
    };
    let show_numpy = CellCommand {
        name: "numpy".to_owned(),
        help: "Show lines of NumPy and their Rust equivalents, on one page".to_owned(),
        expand: |_| Ok(format!("{ATTENTION}::show::numpy_page()")),
    };
    let unoptimised = UNOPTIMISED.iter().chain([&FOR_CELLS]);
    Config {
        commands: vec![show_numpy, show_originals],
        preferred: Some(|notebook| {
            let lessons = course::read(&project::course()).unwrap_or_default();
            course::paths(&lessons, &originals::lesson(notebook))
        }),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        banner: format!(
            "Rust, with the crate `{ATTENTION}`, whose prelude is imported; `:help` lists commands"
        ),
        imports: format!("use {EXERCISES}::prelude::*;"),
        generated: project::generated(),
        set_up: match project::prefix() {
            Some(prefix) => format!(
                "ask the person who installed it to run `cargo run --release -- install --prefix {}` again",
                prefix.display()
            ),
            None => format!("run `cargo run --release` in {}", project::root().display()),
        },
        installed: project::installed().map(|root| Installed {
            rust: root.join(project::RUST),
            crates: root.join(project::CRATES),
        }),
        prebuilt: Prebuilt {
            workspace: project::root().to_owned(),
            crates: vec![project::attention(), project::exercises()],
            unoptimised: unoptimised.map(ToString::to_string).collect(),
            codegen_units: [ATTENTION, EXERCISES]
                .map(|name| (name.to_owned(), 2))
                .into(),
            compile_time: "about a minute".to_owned(),
        },
        ..kernel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn every_package_with_settings_is_in_the_lock_file() {
        let lock = fs::read_to_string(project::root().join("Cargo.lock")).expect("the lock file");
        let prebuilt = kernel_config().prebuilt;
        for name in prebuilt
            .unoptimised
            .iter()
            .chain(prebuilt.codegen_units.keys())
        {
            assert!(lock.contains(&format!("name = \"{name}\"\n")), "{name}");
        }
    }
}
