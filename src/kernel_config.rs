//! The kernel of the lessons: its own commands, its imports, and the crates that set-up compiles
//! for its cells.

use crate::lessons::{self, LearnerFolder};
use crate::project::{self, ATTENTION, EXERCISES};
use crate::trust::{self, Reader};
use crate::{course, originals, set_up_report};
use anyhow::{Context, Result};
use notebook_session::{CellCommand, Config, Installed, Prebuilt};
use std::path::Path;

/// A crate that compiles, unoptimised like cells, what every cell would otherwise compile for
/// itself.
const FOR_CELLS: &str = "cell-instances";

/// Packages whose speed does not matter to the lessons: they only help to compile others, are
/// inlined into them, or occasionally read a file. Compiling them unoptimised halves the time that
/// set-up takes for cells.
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

/// The kernel for a learner's own notebooks, which caches compiled cells. Graded notebooks get
/// [`kernel_config`]: with a cache, the code of one notebook could change what the
/// next one runs.
pub fn caching_kernel_config() -> Config {
    Config {
        cache: project::compile_cache(),
        ..kernel_config()
    }
}

/// The configuration of the lessons' kernel.
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
    let fresh_copy = CellCommand {
        name: "fresh".to_owned(),
        help: "Put a fresh copy of this lesson, in its newest version, next to this one".to_owned(),
        expand: |call| fresh_copy(call.notebook).map_err(|error| format!("{error:#}")),
    };
    let unoptimised = UNOPTIMISED.iter().chain([&FOR_CELLS]);
    Config {
        commands: vec![show_numpy, show_originals, fresh_copy],
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
            None if project::is_own() => {
                format!("run `cargo run --release` in {}", project::root().display())
            }
            None => format!("run `{}`", project::command("setup")),
        },
        installed: project::installed().map(|root| Installed {
            rust: root.join(project::RUST),
            crates: root.join(project::CRATES),
        }),
        prebuilt: Prebuilt {
            workspace: project::root().to_owned(),
            crates: vec![project::attention(), project::exercises()],
            unoptimised: unoptimised.map(ToString::to_string).collect(),
            // With two units, the models' loops would call functions in the other unit: a token
            // that the model of lesson 09 writes would take 86 ms instead of 10.
            codegen_units: [(ATTENTION, 1), (EXERCISES, 2)]
                .map(|(name, count)| (name.to_owned(), count))
                .into(),
            compile_time: "about a minute".to_owned(),
            are_installed: project::installed().or(project::environment()).is_some(),
        },
        report: set_up_report::step,
        ..kernel
    }
}

/// Makes a fresh copy of the notebook's lesson, and returns a cell that says where it is.
fn fresh_copy(notebook: Option<&Path>) -> Result<String> {
    let open = notebook.context("Jupyter does not say which notebook this is")?;
    let name = lessons::name_of(open, &project::notebook_names()?)
        .with_context(|| format!("{} is not one of the lessons", open.display()))?;
    let learner_folder = LearnerFolder::around(open, &name);
    let learner_folder = learner_folder.map_or_else(LearnerFolder::of_this_learner, Ok)?;
    let copy = learner_folder.fresh_copy(&project::notebooks(), &name, open)?;
    trust::sign(std::slice::from_ref(&copy), Reader::Any);
    let shown = copy.strip_prefix(learner_folder.folder())?.display();
    let text = format!("Here it is: {shown}, in the file browser on the left");
    Ok(format!("println!(\"{{}}\", {text:?});"))
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
