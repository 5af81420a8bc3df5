//! Collects cargo's output for cells to link to: one folder with the libraries of all crates, and a
//! shared library of the crates that are not in one yet.

use crate::compilers::extern_crate;
use crate::crates::cargo::{Artifact, Artifacts, Cargo, Project};
use crate::crates::compiled::{Crates, IN_USE, LOCK_FILE, METADATA, Package, SharedLibrary};
use crate::crates::sources::stamp;
use crate::crates::target::share;
use crate::crates::trouble::Trouble;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Collects the libraries in `folder`, away from cargo, which could overwrite them. The `earlier`
/// shared libraries are kept as long as their crates are unchanged.
pub fn collect(
    cargo: &Cargo,
    project: &Project,
    artifacts: &Artifacts,
    earlier: &Crates,
    folder: &Path,
) -> Result<Crates, Trouble> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(IN_USE), "")?;
    fs::copy(project.folder.join(LOCK_FILE), folder.join(LOCK_FILE))?;
    fs::write(folder.join(METADATA), &artifacts.metadata)?;
    let mut crates = earlier.clone();
    crates.folder = folder.to_owned();
    let content = &mut crates.content;
    content.dependencies.clone_from(project.dependencies);
    content.sources.clone_from(&artifacts.sources);
    (content.externs, content.packages, content.shared) = Default::default();
    let mut alone = BTreeMap::new();
    for artifact in artifacts.all.values() {
        let name = file_name(&artifact.file);
        if !share(&artifact.file.canonicalize()?, &folder.join(&name)) {
            return Err(
                io::Error::other(format!("{} cannot be linked", artifact.file.display())).into(),
            );
        }
        if !artifact.is_macros {
            alone.insert(name.clone(), stamp(&artifact.file)?);
        }
        content.packages.push(package(artifact, name)?);
    }
    for shared in &earlier.content.shared {
        let is_kept = |(file, stamp): (&String, &String)| alone.get(file) == Some(stamp);
        if !shared.crates.iter().all(is_kept) {
            break;
        }
        alone.retain(|file, _| !shared.crates.contains_key(file));
        content.shared.push(shared.clone());
        let kept = crates.shared.join(shared.file_name());
        if !kept.exists() {
            symlink(earlier.shared_file(shared), kept)?;
        }
    }
    for (name, id) in &artifacts.names {
        if let Some(artifact) = artifacts.all.get(id) {
            let file = file_name(&artifact.file);
            content.externs.insert(name.clone(), file);
        }
    }
    if let Some(name) = without_library(project, artifacts) {
        return Err(Trouble::Refused(format!(
            "the crate `{name}` has no library that Rust code can use: it is a program, or a \
             library for other languages."
        )));
    }
    if !alone.is_empty() {
        let shared = SharedLibrary {
            name: crates.free_name(),
            crates: alone,
        };
        link(cargo, &crates, &shared, &artifacts.native)?;
        crates.content.shared.push(shared);
    }
    Ok(crates)
}

/// A dependency for which cargo built no library; cargo itself only warns about it.
fn without_library<'a>(project: &Project<'a>, artifacts: &Artifacts) -> Option<&'a String> {
    let made = artifacts
        .names
        .values()
        .filter_map(|id| artifacts.all.get(id));
    let made: BTreeSet<&str> = made
        .map(|artifact| artifact.package.name.as_str())
        .collect();
    let mut dependencies = project.dependencies.iter();
    let missing = dependencies.find(|(name, value)| {
        let package = value.get("package").and_then(|package| package.as_str());
        !made.contains(package.unwrap_or(name))
    });
    missing.map(|(name, _)| name)
}

fn link(
    cargo: &Cargo,
    crates: &Crates,
    shared: &SharedLibrary,
    native: &[String],
) -> Result<(), Trouble> {
    let source = crates.folder.join(format!("{}.rs", shared.name));
    let before = crates.content.shared.last();
    let before = before.map(|before| (before.name.clone(), crates.shared_file(before)));
    // Numbered, because two versions of a crate have the same name.
    let new = shared.crates.keys().enumerate();
    let new = new.map(|(place, file)| (format!("crate_{place}"), crates.folder.join(file)));
    let mut text = String::new();
    let mut command = Command::new(&cargo.rustc);
    for (name, file) in before.into_iter().chain(new) {
        text += &format!("extern crate {name} as _;\n");
        command.args(extern_crate(&name, &file));
    }
    fs::write(&source, text)?;
    command
        .arg(&source)
        .args([
            "--crate-name",
            &shared.name,
            "--crate-type=dylib",
            "--edition=2024",
        ])
        .args(["-Cprefer-dynamic", "-Cdebuginfo=0"])
        .arg("--out-dir")
        .arg(&crates.shared)
        .envs(&cargo.variables);
    for search in crates.search() {
        command.arg("-L").arg(search);
    }
    for search in native {
        command.arg("-L").arg(search);
    }
    let output = cargo.compilers.run(&mut command, &mut |_| ())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Trouble::Refused(format!(
            "the crates that this cell needs cannot be linked together:\n\n{}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

fn package(artifact: &Artifact, file: String) -> Result<Package, Trouble> {
    let package = &artifact.package;
    Ok(Package {
        name: package.name.clone(),
        version: Version::parse(&package.version).map_err(io::Error::other)?,
        folder: package.folder().map(Path::to_owned),
        library: artifact.library.clone(),
        is_from_registry: package
            .source
            .as_ref()
            .is_some_and(|from| from.starts_with("registry+")),
        features: artifact.features.clone(),
        has_default: package.features.contains_key("default"),
        file,
    })
}

fn file_name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
