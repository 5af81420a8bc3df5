//! The template of the cargo workspace in which cells are compiled.
//!
//! Compiling the helper crate takes half a minute, so set-up does it once, here;
//! every kernel then works in a copy, in which only cells are left to compile.
//! The workspace has two members: `ctx`, the crate that evcxr writes each cell
//! into, and `pin`, which depends on the helper crate so that cargo keeps the
//! versions of the project's Cargo.lock although `ctx` starts without
//! dependencies.

use crate::evaluation::{PRELUDE, Session};
use crate::toolchain::Toolchain;
use crate::workspace::{CellWorkspace, copy_folder, remove_folder};
use crate::{cell_cargo, helper_manifest, project, rust_sources};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The helper crate is compiled like a release, in one unit so that its small functions
/// are inlined everywhere. A cell is compiled to start soon: not optimised, as one
/// unit, with nothing kept for the next one, which together halve rustc's time; its
/// own loops take twice as long then, while what it calls is as fast as ever. The rest
/// is as evcxr has it; in a workspace cargo reads profiles from the root only.
const WORKSPACE: &str = r#"[workspace]
members = ["ctx", "pin"]
resolver = "3"

[profile.dev]
opt-level = 0
lto = "off"
debug = false
strip = "debuginfo"
rpath = true
codegen-units = 1
incremental = false

[profile.dev.package."*"]
opt-level = 3
codegen-units = 16
debug-assertions = false
overflow-checks = false

[profile.dev.package.attention]
codegen-units = 1

# Cells are unoptimised and use only what an unoptimised crate has compiled.
[profile.dev.package.cell-instances]
opt-level = 0
"#;

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

/// The manifest of the workspace.
fn manifest() -> String {
    let cold = COLD.map(|name| format!("\n[profile.dev.package.{name}]\nopt-level = 0\n"));
    format!("{WORKSPACE}{}", cold.concat())
}

/// evcxr's own configuration: cargo stays offline, and each process that runs
/// cells begins with the prelude.
fn evcxr_config() -> String {
    format!("[evcxr]\noffline_mode = true\nprelude = '''{PRELUDE}'''\n")
}
/// The file in the template that says what it was compiled for.
const STAMP: &str = "compiled-for.txt";

/// Compiles the helper crate for cells, unless that has been done for exactly
/// these sources, versions and compiler.
pub fn prepare() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let wanted = state(&toolchain)?;
    if is_prepared(&wanted) {
        return Ok(());
    }
    let lock = lock_file()?;
    lock.lock()?;
    if is_prepared(&wanted) {
        return Ok(()); // another process did it meanwhile
    }
    toolchain.add_sources()?;
    eprintln!("Compiling the attention crate for cells (once, about half a minute) ...");
    compile_in_own_process()
}

/// Runs `warm` in a process of its own, with which rust-analyzer's half gigabyte
/// of memory ends. Its progress is shown as it comes, its error is returned.
fn compile_in_own_process() -> Result<()> {
    let mut warm = Command::new(std::env::current_exe()?)
        .arg("warm")
        .stderr(Stdio::piped())
        .spawn()?;
    let mut failure = String::new();
    for line in warm
        .stderr
        .take()
        .into_iter()
        .flat_map(|stderr| BufReader::new(stderr).lines())
    {
        let line = line?;
        match line.strip_prefix("error: ") {
            Some(message) if failure.is_empty() => message.clone_into(&mut failure),
            _ if failure.is_empty() => eprintln!("{line}"),
            _ => failure += &format!("\n{line}"),
        }
    }
    if !warm.wait()?.success() {
        bail!("the attention crate could not be compiled for cells: {failure}");
    }
    Ok(())
}

/// Makes the template: compiles the helper crate in a copy of the last one, if
/// there is one, and puts the result in its place.
pub fn warm() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let state = state(&toolchain)?;
    let workspace = CellWorkspace::new()?;
    let folder = workspace.path();
    if stamp().exists() {
        copy_folder(&template(), folder)?;
    }
    write_members(folder)?;
    toolchain.download_crates(folder)?;
    rust_sources::copy(&toolchain.sources())?;
    workspace.work_in(&toolchain)?;
    load_helper(folder)?;
    cell_cargo::leave(folder)?;
    fs::write(folder.join(STAMP), state)?;

    let unfinished = project::generated().join("cells.new");
    remove_folder(&unfinished)?;
    copy_folder(folder, &unfinished)?;
    remove_folder(&template())?;
    Ok(fs::rename(unfinished, template())?)
}

/// Writes what a workspace consists of before evcxr and cargo add to it.
fn write_members(workspace: &Path) -> Result<()> {
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n");
    let helper = project::helper_crate();
    let pin = package("pin") + &format!("[dependencies]\nattention = {{ path = {helper:?} }}\n");
    fs::create_dir_all(workspace.join("pin/src"))?;
    fs::create_dir_all(workspace.join("ctx/src"))?;
    fs::create_dir_all(workspace.join("config"))?;
    fs::write(workspace.join("Cargo.toml"), manifest())?;
    helper_manifest::write(workspace)?;
    fs::copy(
        project::root().join("Cargo.lock"),
        workspace.join("Cargo.lock"),
    )?;
    fs::write(workspace.join("config/evcxr.toml"), evcxr_config())?;
    fs::write(workspace.join("pin/Cargo.toml"), pin)?;
    fs::write(workspace.join("pin/src/lib.rs"), "")?;
    // evcxr replaces these two, but cargo asks for them before it does.
    fs::write(workspace.join("ctx/Cargo.toml"), package("ctx"))?;
    fs::write(workspace.join("ctx/src/lib.rs"), "")?;
    Ok(())
}

/// Evaluates the first cell of every lesson, which compiles the helper crate.
fn load_helper(workspace: &Path) -> Result<()> {
    let mut session = Session::start(workspace, "")?;
    let first_cell = project::load_cell();
    let loaded = session.execute(&first_cell, &mut |_| (), &mut |_| String::new());
    loaded.map_err(|failure| anyhow::anyhow!(failure.text()))
}

/// Copies the template to `folder`, in which evcxr can then work.
pub fn copy_to(folder: &Path) -> Result<()> {
    if !stamp().exists() {
        bail!(
            "the attention crate is not compiled for cells: searched {}; run \
             `cargo run --release` in {}",
            template().display(),
            project::root().display()
        );
    }
    let lock = lock_file()?;
    lock.lock_shared()?;
    copy_folder(&template(), folder)
}

/// Everything that the compiled template depends on, as a text to compare.
fn state(toolchain: &Toolchain) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    manifest().hash(&mut hasher);
    helper_manifest::text()?.hash(&mut hasher);
    PRELUDE.hash(&mut hasher);
    rust_sources::STUBS.hash(&mut hasher);
    for file in ["Cargo.toml", "Cargo.lock"] {
        hash_tree(&project::root().join(file), &mut hasher)?;
    }
    for part in ["Cargo.toml", "README.md", "src"] {
        hash_tree(&project::helper_crate().join(part), &mut hasher)?;
    }
    hash_tree(&project::root().join("crates/cell-instances"), &mut hasher)?;
    Ok(format!(
        "{}\nsources {:016x}\n",
        toolchain.version,
        hasher.finish()
    ))
}

fn hash_tree(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    if path.is_dir() {
        let entries: io::Result<Vec<PathBuf>> =
            path.read_dir()?.map(|entry| Ok(entry?.path())).collect();
        let mut entries = entries?;
        entries.sort();
        return entries
            .iter()
            .try_for_each(|entry| hash_tree(entry, hasher));
    }
    path.file_name().hash(hasher);
    fs::read(path)
        .with_context(|| format!("cannot read {}", path.display()))?
        .hash(hasher);
    Ok(())
}

fn is_prepared(wanted: &str) -> bool {
    let stamped = fs::read_to_string(stamp()).is_ok_and(|found| found == wanted);
    stamped && rust_sources::folder().exists()
}

fn template() -> PathBuf {
    project::generated().join("cells")
}

/// In the template, which appears under its name only when it is whole.
fn stamp() -> PathBuf {
    template().join(STAMP)
}

/// Held alone by a process that changes the template, shared by those that copy it.
fn lock_file() -> Result<File> {
    fs::create_dir_all(project::generated())?;
    Ok(File::create(project::generated().join("cells.lock"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_of_sources_decide() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let hash = |files: &[(&str, &str)]| -> Result<u64> {
            let sources = folder.path().join("src");
            remove_folder(&sources)?;
            fs::create_dir_all(sources.join("inner"))?;
            for (name, text) in files {
                fs::write(sources.join(name), text)?;
            }
            let mut hasher = DefaultHasher::new();
            hash_tree(&sources, &mut hasher)?;
            Ok(hasher.finish())
        };
        let first = hash(&[("a.rs", "1"), ("inner/b.rs", "2")])?;
        assert_eq!(hash(&[("inner/b.rs", "2"), ("a.rs", "1")])?, first);
        assert_ne!(hash(&[("a.rs", "1"), ("inner/b.rs", "3")])?, first);
        assert_ne!(hash(&[("a.rs", "1"), ("inner/c.rs", "2")])?, first);
        Ok(())
    }
}
