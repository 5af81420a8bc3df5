//! The live cells of all lessons as one WebAssembly program, for the site.

use crate::kernel_config::caching_kernel_config;
use crate::notebook::Notebook;
use crate::project::{self, ATTENTION, EXERCISES};
use crate::set_up_report;
use ::notebook::convention::LIVE_CAPTION;
use anyhow::{Context, Result, bail};
use cell_evaluator::{BELOW, Tools};
use notebook_session::{AsCrate, SetUpStep};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-wasip1";
/// Optimises everything but the arithmetic for size, because visitors wait for the file to load.
const PROFILE: &str = "\
[profile.release]
lto = true
codegen-units = 1
panic = \"abort\"
strip = true
opt-level = \"s\"

[profile.release.package]
attention.opt-level = 3
matrixmultiply.opt-level = 3
ndarray.opt-level = 3
";
/// The source of the functions that the page calls.
const EXPORTS: &str = include_str!("../crates/site/wasm/lib.rs");

/// The files for the site: the program, and one that says which cells each picture needs.
pub struct Compiled {
    pub program: PathBuf,
    pub live: PathBuf,
}

/// Writes and compiles the program in `folder`.
pub fn compile(folder: &Path) -> Result<Compiled> {
    let mut crates = Vec::new();
    let mut pages = Map::new();
    for path in project::lessons()? {
        let notebook = Notebook::read(&path)?;
        let (source, cells) = lesson(&notebook, folder)?;
        let name = format!("lesson_{}", notebook.name());
        write(&folder.join(&name).join("lib.rs"), &source)?;
        let dependencies = own_crates(&[ATTENTION, EXERCISES, "notebook"]);
        let dependencies = dependencies + &crates_of_types(&source)? + RUNTIME;
        let library = "[lib]\npath = \"lib.rs\"\n";
        let text = manifest(&name, &(dependencies + library));
        write(&folder.join(&name).join("Cargo.toml"), &text)?;
        pages.insert(notebook.name(), cells);
        crates.push((notebook.name(), name));
    }
    write_runtime(folder)?;
    write_program(folder, &crates)?;
    let live = folder.join("live.json");
    write(&live, &Value::Object(pages).to_string())?;
    let program = run_cargo(folder)?;
    Ok(Compiled { program, live })
}

/// The source of a lesson's crate and, by the id of each live cell, the numbers of the cells to run
/// and their sources.
fn lesson(notebook: &Notebook, folder: &Path) -> Result<(String, Value)> {
    let cells: Vec<_> = notebook.code_cells().collect();
    let sources: Vec<String> = cells.iter().map(|cell| cell.source()).collect();
    let own = folder.join("cells").join(notebook.name());
    fs::create_dir_all(&own)?;
    let compiled = AsCrate::compile(&caching_kernel_config(), &own, &sources)?;
    let mut all = BTreeSet::new();
    let mut pictures = Map::new();
    for (place, cell) in cells.iter().enumerate() {
        if !json!(cell.outputs()).to_string().contains(LIVE_CAPTION) {
            continue;
        }
        let needed = compiled.needed(place).with_context(|| {
            format!("cell {} of {} does not compile", cell.id(), notebook.name())
        })?;
        let places = compiled.places(&needed);
        let sources: Vec<&String> = places.iter().map(|place| &sources[*place]).collect();
        pictures.insert(cell.id(), json!({ "cells": needed, "sources": sources }));
        all.extend(needed);
    }
    Ok((compiled.source(&all), Value::Object(pictures)))
}

const RUNTIME: &str = "cell_runtime = { path = \"../cell_runtime\" }\n";

/// Manifest lines for crates that appear only in the types of variables, not in the cells
/// themselves.
fn crates_of_types(source: &str) -> Result<String> {
    let lock = fs::read_to_string(project::root().join("Cargo.lock"))?;
    let packages: Vec<&str> = lock
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let names = source.split(BELOW).skip(1);
    let names: BTreeSet<&str> = names
        .map(|rest| rest.split(|c| !is_part(c)).next().unwrap_or_default())
        .collect();
    let line = |name: &str| {
        let package = packages
            .iter()
            .find(|package| package.replace('-', "_") == name)?;
        Some(format!(
            "{BELOW}{name} = {{ package = {package:?}, version = \"*\" }}\n"
        ))
    };
    Ok(names.into_iter().filter_map(line).collect())
}

fn own_crates(names: &[&str]) -> String {
    let line = |name: &&str| {
        let path = project::root().join("crates").join(name);
        format!("{name} = {{ path = {path:?} }}\n")
    };
    names.iter().map(line).collect()
}

fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\n{dependencies}",
        name.to_lowercase()
    )
}

fn write_runtime(folder: &Path) -> Result<()> {
    let folder = folder.join("cell_runtime");
    for (name, text) in Tools::sources() {
        write(&folder.join(name), text)?;
    }
    let library = "[lib]\npath = \"cell_runtime.rs\"\n";
    write(
        &folder.join("Cargo.toml"),
        &manifest("cell_runtime", library),
    )
}

fn write_program(folder: &Path, crates: &[(String, String)]) -> Result<()> {
    let mut arms = String::new();
    let mut dependencies = own_crates(&[EXERCISES, "notebook"]) + RUNTIME;
    for (lesson, name) in crates {
        writeln!(arms, "        {lesson:?} => {name}::run(cell, store),")?;
        writeln!(dependencies, "{name} = {{ path = \"../{name}\" }}")?;
    }
    let library = "[lib]\npath = \"lib.rs\"\ncrate-type = [\"cdylib\"]\n";
    let program = folder.join("lessons");
    write(&program.join("lib.rs"), EXPORTS)?;
    write(
        &program.join("lessons.rs"),
        &format!(
            "use cell_runtime::{{Ended, Store}};\n\npub fn run(lesson: &str, cell: u64, store: &mut Store) -> \
             Option<Result<(), Ended>> {{\n    match lesson {{\n{arms}        _ => None,\n    }}\n}}\n"
        ),
    )?;
    let members = ["lessons"]
        .into_iter()
        .chain(crates.iter().map(|(_, name)| name.as_str()));
    let members: Vec<&str> = members.collect();
    write(
        &program.join("Cargo.toml"),
        &manifest("lessons", &(dependencies + library)),
    )?;
    write(
        &folder.join("Cargo.toml"),
        &format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{PROFILE}"),
    )?;
    // Gives the crates the same versions as everywhere else in the project.
    let lock = project::root().join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock")).with_context(|| format!("{}", lock.display()))?;
    Ok(())
}

/// Writes a file, unless it already has this text: cargo recompiles files with a newer modification
/// time.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("{} cannot be written", path.display()))
}

fn run_cargo(folder: &Path) -> Result<PathBuf> {
    add_target()?;
    let target = folder.join("target");
    if !target.exists() {
        set_up_report::step(SetUpStep::Begins(
            "Compiling the lessons for web pages (once, a few minutes) ...",
        ));
    }
    let status = Command::new("cargo")
        .args([
            "build",
            "--release",
            "--quiet",
            "--package",
            "lessons",
            "--target",
            TARGET,
        ])
        .env("CARGO_TARGET_DIR", &target)
        // Each crate uses only part of the runtime; warnings about the rest would not help readers.
        .env("RUSTFLAGS", "-Ctarget-feature=+simd128 -Awarnings")
        .current_dir(folder)
        .status()
        .context(
            "cargo could not be started: searched PATH; install Rust from https://rustup.rs",
        )?;
    if !status.success() {
        bail!("the lessons could not be compiled for web pages; the lines above say why");
    }
    Ok(target.join(TARGET).join("release/lessons.wasm"))
}

/// Makes rustup install the compiler's library for web pages, unless it is already installed.
fn add_target() -> Result<()> {
    let sysroot = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    if sysroot.join("lib/rustlib").join(TARGET).exists() {
        return Ok(());
    }
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .status();
    match added {
        Ok(status) if status.success() => Ok(()),
        _ => bail!(
            "Rust's library for {TARGET} is missing, and rustup could not install it; run `rustup target add {TARGET}`"
        ),
    }
}
