//! Runs cargo for all dependencies of a project, and collects what it built.

use crate::compilers::Compilers;
use crate::crates::sources::fingerprint;
use crate::crates::trouble::{PROJECT, Trouble, refusal};
use serde::Deserialize;
use serde_json::from_str;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use toml::{Table, Value};

/// Cargo and the compiler it uses.
#[derive(Clone)]
pub struct Cargo {
    /// The cargo binary itself, not rustup's proxy.
    pub program: PathBuf,
    /// The compiler's binary.
    pub rustc: PathBuf,
    /// Environment variables for both, in addition to this process's, such as `CARGO_HOME`.
    pub variables: BTreeMap<OsString, OsString>,
    /// Runs both programs, and can stop them.
    pub compilers: Compilers,
}

/// A package without code of its own, and how its dependencies are compiled.
pub struct Project<'a> {
    pub folder: &'a Path,
    pub dependencies: &'a BTreeMap<String, Value>,
    /// The build profile, as under `profile.release` in a manifest.
    pub profile: &'a Table,
    /// The lock file whose versions are used.
    pub lock: &'a Path,
    /// Cargo's target folder.
    pub target: &'a Path,
    /// The target platform, such as `x86_64-unknown-linux-gnu`.
    pub host: &'a str,
}

/// A compiled crate.
#[derive(Debug)]
pub struct Artifact {
    pub package: CargoPackage,
    /// Its name in code.
    pub library: String,
    /// The features it was compiled with.
    pub features: BTreeSet<String>,
    pub file: PathBuf,
    pub is_macros: bool,
}

/// The results of building a project.
pub struct Artifacts {
    /// The compiled crates by package ID.
    pub all: BTreeMap<String, Artifact>,
    /// The project's dependencies: their names in code, and their package IDs.
    pub names: BTreeMap<String, String>,
    /// The folders of crates that were not downloaded, and the fingerprints their sources had
    /// before compilation.
    pub sources: BTreeMap<PathBuf, u64>,
    /// Search paths of native libraries, as rustc arguments.
    pub native: Vec<String>,
    /// The output of `cargo metadata`.
    pub metadata: Vec<u8>,
}

/// A project's crates in the resolved versions.
#[derive(Deserialize)]
pub struct Metadata {
    packages: Vec<CargoPackage>,
    resolve: Resolve,
    /// Cargo's whole output.
    #[serde(skip)]
    text: Vec<u8>,
}

/// A package in cargo's output.
#[derive(Clone, Debug, Deserialize)]
pub struct CargoPackage {
    id: String,
    pub name: String,
    pub version: String,
    /// The registry or repository it was downloaded from.
    pub source: Option<String>,
    manifest_path: PathBuf,
    /// All its features.
    pub features: BTreeMap<String, Vec<String>>,
}

impl CargoPackage {
    /// Its folder, unless it was downloaded.
    pub fn folder(&self) -> Option<&Path> {
        self.manifest_path
            .parent()
            .filter(|_| self.source.is_none())
    }
}

impl Metadata {
    /// The number of packages to compile for a project.
    pub fn count(&self) -> usize {
        self.packages.len().saturating_sub(1) // minus the project's own
    }
}

#[derive(Deserialize)]
struct Resolve {
    root: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<ResolvedDependency>,
}

#[derive(Deserialize)]
struct ResolvedDependency {
    name: String,
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// A message of `cargo build`.
#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum CargoMessage {
    CompilerArtifact {
        package_id: String,
        target: Target,
        features: BTreeSet<String>,
        filenames: Vec<PathBuf>,
    },
    #[serde(rename = "compiler-message")]
    FromCompiler {
        message: Said,
    },
    BuildScriptExecuted {
        linked_paths: Vec<String>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Said {
    level: String,
    rendered: Option<String>,
}

impl Cargo {
    /// Resolves the versions of all crates of a project, and downloads missing ones. Cargo's
    /// progress lines go to `tell`.
    ///
    /// # Errors
    ///
    /// If a crate is unavailable.
    pub fn resolve(
        &self,
        project: &Project,
        offline: bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Metadata, Trouble> {
        write(project)?;
        let mut ask = self.command(project, "metadata", offline);
        ask.args(["--format-version=1", "--filter-platform", project.host]);
        let output = self
            .compilers
            .run(&mut ask, &mut |line| progress(line, tell))?;
        if !output.status.success() {
            return Err(refusal(&String::from_utf8_lossy(&output.stderr)));
        }
        let metadata: Metadata = serde_json::from_slice(&output.stdout).map_err(io::Error::from)?;
        Ok(Metadata {
            text: output.stdout,
            ..metadata
        })
    }

    /// Compiles a project's crates.
    ///
    /// # Errors
    ///
    /// If one does not compile.
    pub fn compile(
        &self,
        project: &Project,
        metadata: Metadata,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Artifacts, Trouble> {
        let mut sources = BTreeMap::new();
        for package in &metadata.packages {
            if let Some(folder) = package.folder()
                && metadata.resolve.root.as_ref() != Some(&package.id)
            {
                sources.insert(folder.to_owned(), fingerprint(folder)?);
            }
        }
        let mut build = self.command(project, "build", true);
        build
            .args([
                "--release",
                "--message-format=json",
                "--target",
                project.host,
            ])
            .arg("--target-dir")
            .arg(project.target);
        let output = self
            .compilers
            .run(&mut build, &mut |line| progress(line, tell))?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<CargoMessage> = stdout
            .lines()
            .filter_map(|line| from_str(line).ok())
            .collect();
        match output.status.success() {
            true => Ok(artifacts(metadata, messages, project, sources)),
            false => Err(uncompiled(&output, messages)),
        }
    }

    /// Makes cargo recompile the crates in these folders, even if their files look unchanged.
    ///
    /// # Errors
    ///
    /// If cargo fails.
    pub fn forget(
        &self,
        project: &Project,
        metadata: &Metadata,
        folders: &[&Path],
    ) -> Result<(), Trouble> {
        let mut packages = (metadata.packages.iter())
            .filter(|package| {
                package
                    .folder()
                    .is_some_and(|folder| folders.contains(&folder))
            })
            .peekable();
        if packages.peek().is_none() {
            return Ok(());
        }
        let mut clean = self.command(project, "clean", true);
        clean
            .args(["--release", "--target", project.host, "--target-dir"])
            .arg(project.target);
        for package in packages {
            clean.args(["--package", &package.id]);
        }
        let output = self.compilers.run(&mut clean, &mut |_| ())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(refusal(&String::from_utf8_lossy(&output.stderr))),
        }
    }

    fn command(&self, project: &Project, what: &str, offline: bool) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg(what)
            .args(offline.then_some("--offline"))
            .current_dir(project.folder);
        // The user's settings for other projects must not apply here.
        for (name, _) in env::vars_os() {
            let is_chosen = name.to_str().is_some_and(|name| {
                let starts = [
                    "CARGO_BUILD_",
                    "CARGO_PROFILE_",
                    "CARGO_TARGET_",
                    "CARGO_TERM_",
                ];
                let whole = [
                    "CARGO_INCREMENTAL",
                    "RUSTC_WRAPPER",
                    "RUSTC_WORKSPACE_WRAPPER",
                ];
                starts.iter().any(|start| name.starts_with(start)) || whole.contains(&name)
            });
            if is_chosen {
                command.env_remove(name);
            }
        }
        command
            .env("CARGO_ENCODED_RUSTFLAGS", "")
            .env("RUSTC", &self.rustc)
            .envs(&self.variables);
        command
    }
}

fn write(project: &Project) -> io::Result<()> {
    let package = [("name", PROJECT), ("version", "0.0.0"), ("edition", "2024")];
    let package = package.map(|(key, value)| (key.to_owned(), value.into()));
    let dependencies = project.dependencies.clone().into_iter();
    let profile = Table::from_iter([("release".to_owned(), project.profile.clone().into())]);
    let manifest = Table::from_iter(
        [
            ("package", Table::from_iter(package)),
            ("workspace", Table::new()),
            ("dependencies", dependencies.collect()),
            ("profile", profile),
        ]
        .map(|(key, table)| (key.to_owned(), Value::from(table))),
    );
    fs::create_dir_all(project.folder.join("src"))?;
    fs::write(project.folder.join("src/lib.rs"), "")?;
    fs::write(project.folder.join("Cargo.toml"), manifest.to_string())?;
    if project.lock.is_file() {
        fs::copy(project.lock, project.folder.join("Cargo.lock"))?;
    }
    Ok(())
}

/// The first words of cargo's progress lines. "Blocking", printed while waiting for another cargo,
/// is not one of them: when a whole class opened a lesson, everyone would see it in the first cell.
const WORK: [&str; 4] = ["Compiling", "Downloaded", "Downloading", "Updating"];

/// Passes on a line from cargo if it is meant for a learner.
fn progress(line: &str, tell: &mut dyn FnMut(&str)) {
    let mut words = line.split_whitespace();
    let is_work = words.next().is_some_and(|word| WORK.contains(&word));
    if is_work && words.next() != Some(PROJECT) {
        tell(line);
    }
}

/// Why a crate does not compile: the compiler's errors, or else cargo's.
fn uncompiled(output: &Output, messages: Vec<CargoMessage>) -> Trouble {
    let errors = messages.into_iter().filter_map(|message| match message {
        CargoMessage::FromCompiler { message } if message.level.starts_with("error") => {
            message.rendered
        }
        _ => None,
    });
    let errors: String = errors.collect();
    match errors.is_empty() {
        true => refusal(&String::from_utf8_lossy(&output.stderr)),
        false => Trouble::Refused(format!(
            "a crate that this cell needs does not compile:\n\n{}",
            errors.trim_end()
        )),
    }
}

fn artifacts(
    metadata: Metadata,
    messages: Vec<CargoMessage>,
    project: &Project,
    sources: BTreeMap<PathBuf, u64>,
) -> Artifacts {
    let mut artifacts = Artifacts {
        all: BTreeMap::new(),
        names: BTreeMap::new(),
        sources,
        native: Vec::new(),
        metadata: metadata.text,
    };
    let own = metadata.resolve.root.unwrap_or_default();
    if let Some(node) = metadata
        .resolve
        .nodes
        .into_iter()
        .find(|node| node.id == own)
    {
        let is_linked =
            |one: &ResolvedDependency| one.dep_kinds.iter().any(|kind| kind.kind.is_none());
        let linked = node.deps.into_iter().filter(is_linked);
        artifacts.names = linked.map(|one| (one.name, one.pkg)).collect();
    }
    let mut packages: BTreeMap<String, CargoPackage> = (metadata.packages.into_iter())
        .map(|package| (package.id.clone(), package))
        .collect();
    packages.remove(&own);
    // Artifacts of build scripts and macros are in another folder.
    let of_host = project.target.join(project.host);
    for message in messages {
        let (package_id, target, features, filenames) = match message {
            CargoMessage::CompilerArtifact {
                package_id,
                target,
                features,
                filenames,
            } => (package_id, target, features, filenames),
            CargoMessage::BuildScriptExecuted { linked_paths } => {
                artifacts.native.extend(linked_paths);
                continue;
            }
            _ => continue,
        };
        let is_macros = target.kind.iter().any(|kind| kind == "proc-macro");
        let file = filenames.into_iter().find(|file| match is_macros {
            true => file
                .extension()
                .is_some_and(|kind| kind == env::consts::DLL_EXTENSION),
            false => {
                file.extension().is_some_and(|kind| kind == "rlib") && file.starts_with(&of_host)
            }
        });
        if let Some(file) = file
            && let Some(package) = packages.get(&package_id).cloned()
        {
            let artifact = Artifact {
                package,
                library: target.name.replace('-', "_"),
                features,
                file,
                is_macros,
            };
            artifacts.all.insert(package_id, artifact);
        }
    }
    artifacts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_does_is_told_and_what_it_is_called_for_is_not() {
        let mut told = Vec::new();
        for line in [
            "    Updating crates.io index\n",
            "     Locking 3 packages\n",
            "    Blocking waiting for file lock on build directory\n",
            "warning: unused\n",
            "   Compiling toy v0.1.0\n",
            "   Compiling notebook-crates v0.0.0 (/tmp/a)\n",
        ] {
            progress(line, &mut |line| told.push(line.trim().to_owned()));
        }
        assert_eq!(told, ["Updating crates.io index", "Compiling toy v0.1.0"]);
    }
}
