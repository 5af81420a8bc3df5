//! The files of a wheel besides the program: the lessons, the crates that cells are compiled with,
//! the files that Jupyter looks for, and the module for Rust cells in Python notebooks.
//!
//! maturin packs them, as `pyproject.toml` says. The folders are those of an
//! [`Installation`](super::Installation), but there is no compiler, and set-up writes there.

use crate::installation::copy_parts;
use crate::installation::files::remove;
use crate::kernelspecs;
use crate::live_extension;
use crate::project;
use crate::server_config;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The path of the program. Jupyter fills in the kernelspec's folder.
const PROGRAM: &str = "{resource_dir}/../../../../bin/attention-notebooks";
/// The platforms for which crates are complete. Packages for other platforms only, such as Windows,
/// are empty: cargo needs them to resolve versions.
const PLATFORMS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];
/// The name of the module, in the folder `colab` and in the environment's packages.
const MODULE: &str = "attention_notebooks.py";
/// The folder from which cargo takes crates instead of a registry, relative to the project.
const VENDOR: &str = "vendor";
const SETTINGS: &str = "[source.crates-io]\nreplace-with = \"vendor\"\n\n\
                        [source.vendor]\ndirectory = \"vendor\"\n";

/// Fills the folder from which maturin takes a wheel's files, and returns it.
pub fn lay_out() -> Result<PathBuf> {
    let folder = project::root().join("target/wheel");
    remove(&folder)?;
    let data = folder.join("data");
    let root = data.join("share").join(project::INSTALLED);
    copy_parts(&root)?;
    vendor(&root)?;
    write(&root.join(".cargo/config.toml"), SETTINGS)?;
    project::keep_progress_in_homes(&root.join(".jupyter"))?;
    let jupyter = data.join("share/jupyter");
    kernelspecs::write(&jupyter, PROGRAM.as_ref(), None, Vec::new())?;
    live_extension::write(&jupyter)?;
    server_config::write_for_exports(&data.join("etc/jupyter"))?;
    let module = project::root().join("colab").join(MODULE);
    let text =
        fs::read_to_string(&module).with_context(|| format!("cannot read {}", module.display()))?;
    write(&folder.join("purelib").join(MODULE), &text)?;
    Ok(folder)
}

/// Copies to `root` the sources of all crates that the crates for cells need.
fn vendor(root: &Path) -> Result<()> {
    let work = tempfile::tempdir()?;
    let manifest = work.path().join("Cargo.toml");
    write(&work.path().join("src/lib.rs"), "")?;
    write(
        &manifest,
        &format!(
            "[package]\nname = \"for-cells\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
             {} = {{ path = {:?} }}\n{} = {{ path = {:?} }}\n",
            project::ATTENTION,
            project::attention(),
            project::EXERCISES,
            project::exercises()
        ),
    )?;
    let lock = project::root().join("Cargo.lock");
    fs::copy(&lock, work.path().join("Cargo.lock"))
        .with_context(|| format!("cannot read {}", lock.display()))?;
    let to = root.join(VENDOR);
    cargo(&manifest, &["vendor", "--quiet"], Some(&to))?;
    let mut needed = vec!["metadata", "--format-version=1"];
    needed.extend(PLATFORMS.iter().flat_map(|one| ["--filter-platform", one]));
    let needed: Needed = serde_json::from_slice(&cargo(&manifest, &needed, None)?)?;
    for entry in to.read_dir()? {
        let package = entry?.path();
        let described = fs::read_to_string(package.join("Cargo.toml"))?;
        if !needed.has(&described) {
            empty(&package)?;
        }
    }
    Ok(())
}

/// The output of `cargo metadata`.
#[derive(Deserialize)]
struct Needed {
    packages: BTreeSet<Package>,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
}

impl Needed {
    /// Whether a package with this manifest is among them.
    fn has(&self, manifest: &str) -> bool {
        self.packages.iter().any(|package| {
            manifest.contains(&format!("\nname = \"{}\"\n", package.name))
                && manifest.contains(&format!("\nversion = \"{}\"\n", package.version))
        })
    }
}

/// Reduces a package to what cargo needs to resolve versions.
fn empty(package: &Path) -> Result<()> {
    let checksum = package.join(".cargo-checksum.json");
    let sums = fs::read(&checksum)?;
    let mut sums: serde_json::Value = serde_json::from_slice(&sums)?;
    sums["files"] = serde_json::json!({});
    let manifest = fs::read(package.join("Cargo.toml"))?;
    remove(package)?;
    write(&package.join("src/lib.rs"), "")?;
    fs::write(package.join("Cargo.toml"), manifest)?;
    Ok(fs::write(checksum, sums.to_string())?)
}

/// Runs cargo, and returns what it prints.
fn cargo(manifest: &Path, arguments: &[&str], folder: Option<&Path>) -> Result<Vec<u8>> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).args(folder);
    let output = cargo
        .arg("--manifest-path")
        .arg(manifest)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started: searched PATH")?;
    if !output.status.success() {
        bail!(
            "`cargo {}` failed; its lines above say why",
            arguments.first().unwrap_or(&"")
        );
    }
    Ok(output.stdout)
}

fn write(file: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", file.display());
    let folder = file.parent().with_context(failed)?;
    fs::create_dir_all(folder).with_context(failed)?;
    fs::write(file, text).with_context(failed)
}
