//! Compiled crates, and how cells are compiled with them.

use crate::crates::cargo::Project;
use crate::crates::dependency::Dependency;
use crate::crates::sources;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::{Table, Value};

/// The crates that a notebook's cells can use.
#[derive(Clone, Debug)]
pub struct Crates {
    pub(super) content: Content,
    /// The folder with the libraries of all crates.
    pub(super) folder: PathBuf,
    /// Set-up's folder, which contains the prebuilt crates.
    pub(super) set_up: PathBuf,
    /// The folder with the shared libraries that the notebook has added. It exists from the start,
    /// because a running program checks only once which library folders exist.
    pub(super) shared: PathBuf,
    /// Held while the libraries are in use.
    pub(super) lock: Option<Arc<File>>,
}

/// The record of the crates, as stored in a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Content {
    /// What they were compiled for: settings, lock file and compiler.
    pub made_for: String,
    pub host: String,
    pub profile: Table,
    /// The dependencies, as in a manifest.
    pub dependencies: BTreeMap<String, Value>,
    /// The crates that cells can name, and their library files.
    pub externs: BTreeMap<String, String>,
    pub packages: Vec<Package>,
    /// The shared libraries; each links to those before it.
    pub shared: Vec<SharedLibrary>,
    /// The folders of crates, and fingerprints of their sources.
    pub sources: BTreeMap<PathBuf, u64>,
    /// The prebuilt crates of an installation: they never change, and no other crates may have
    /// their names.
    pub installed: BTreeMap<String, Value>,
}

/// A crate with its library.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Package {
    pub name: String,
    pub version: Version,
    /// Its name in code.
    pub library: String,
    /// The folder of the crate, if it is a local one.
    pub folder: Option<PathBuf>,
    pub is_from_registry: bool,
    pub features: BTreeSet<String>,
    pub has_default: bool,
    pub file: String,
}

/// A shared library that combines several crates.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SharedLibrary {
    /// Its crate name.
    pub name: String,
    /// The library files of its crates, with their times and sizes.
    pub crates: BTreeMap<String, String>,
}

impl SharedLibrary {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("lib{}.so", self.name)
    }
}

/// The file in set-up's folder with the record of the crates and the name of their folder.
const STATE: &str = "crates.json";

#[derive(Deserialize, Serialize)]
struct RecordFile {
    folder: String,
    content: Content,
}

impl Crates {
    /// The crates that set-up has compiled in `set_up`, for a notebook that can write to `own`.
    ///
    /// # Errors
    ///
    /// If set-up has compiled nothing there.
    pub fn read(set_up: &Path, own: &Path) -> io::Result<Crates> {
        // Once locked, the folder is not deleted; but it may be deleted after its name is read and
        // before it is locked, so try again.
        let mut tries = 0..3;
        loop {
            let (folder, content) = read(set_up)?;
            match (hold(&folder), tries.next()) {
                (Err(_), Some(_)) => {}
                (lock, _) => {
                    let shared = own.join("shared");
                    fs::create_dir_all(&shared)?;
                    return Ok(Crates {
                        content,
                        folder,
                        set_up: set_up.to_owned(),
                        shared,
                        lock: Some(Arc::new(lock?)),
                    });
                }
            }
        }
    }

    /// Makes these the crates that [`Crates::read`] returns from now on.
    pub(super) fn write(&self) -> io::Result<()> {
        let folder = self.folder.file_name().unwrap_or_default();
        let state = RecordFile {
            folder: folder.to_string_lossy().into_owned(),
            content: self.content.clone(),
        };
        atomic_file::write(&self.set_up.join(STATE), &serde_json::to_vec(&state)?)
    }

    /// The crates that cells can name, with their libraries, for rustc's `--extern`, including the
    /// library that cells link to.
    pub fn externs(&self) -> BTreeMap<String, PathBuf> {
        let externs = self.content.externs.iter();
        let mut externs: BTreeMap<String, PathBuf> = externs
            .map(|(name, file)| (name.clone(), self.folder.join(file)))
            .collect();
        for shared in &self.content.shared {
            externs.insert(shared.name.clone(), self.shared_file(shared));
        }
        externs
    }

    /// Crates that cells cannot name, although a value's type may come from one.
    pub fn below(&self) -> BTreeMap<String, PathBuf> {
        let named: BTreeSet<&String> = self.content.externs.values().collect();
        let mut packages: Vec<&Package> = self.content.packages.iter().collect();
        packages.sort_by(|one, other| one.version.cmp(&other.version));
        let libraries = packages
            .into_iter()
            .filter(|package| package.file.ends_with(".rlib") && !named.contains(&package.file));
        libraries
            .map(|package| (package.library.clone(), self.folder.join(&package.file)))
            .collect()
    }

    /// The crate that every cell has to link to: `extern crate NAME as _;`. Otherwise rustc would
    /// copy the code that a cell uses into the cell.
    pub fn linked(&self) -> Option<&str> {
        self.content
            .shared
            .last()
            .map(|shared| shared.name.as_str())
    }

    /// The crates that cells can name and that are loaded with the one that every cell links to.
    pub fn loaded(&self) -> Vec<String> {
        let is_loaded = |file: &String| {
            let mut shared = self.content.shared.iter();
            shared.any(|one| one.crates.contains_key(file))
        };
        let externs = self.content.externs.iter();
        let loaded = externs.filter(|(_, file)| is_loaded(file));
        loaded.map(|(name, _)| name.clone()).collect()
    }

    /// The folders where rustc, and the program that loads cells, look for libraries.
    pub fn search(&self) -> Vec<PathBuf> {
        vec![self.folder.clone(), self.shared.clone()]
    }

    /// The libraries' folder, and the record of them.
    pub(crate) fn content(&self) -> (&Path, &Content) {
        (&self.folder, &self.content)
    }

    /// Whether everything that earlier cells were compiled with is still there and unchanged. If
    /// not, libraries that link to the earlier crates, and values of their types, are unusable.
    pub fn goes_on_from(&self, earlier: &Crates) -> bool {
        self.content.shared.starts_with(&earlier.content.shared)
    }

    /// Whether a crate in a local folder has changed since it was compiled. If so, [`Crates::add`]
    /// recompiles it, even without any `:dep` line.
    pub fn is_outdated(&self) -> bool {
        self.content.changed().next().is_some()
    }

    /// A name that no shared library of the notebook has used: loaded libraries are identified by
    /// name.
    pub(super) fn free_name(&self) -> String {
        if self.lock.is_none() {
            return "prebuilt_crates".to_owned();
        }
        let mut names = (1..).map(|number: u64| format!("added_crates_{number}"));
        let is_free = |name: &String| !self.shared.join(format!("lib{name}.so")).exists();
        names.find(is_free).unwrap_or_default()
    }

    pub(super) fn shared_file(&self, shared: &SharedLibrary) -> PathBuf {
        let name = shared.file_name();
        let file = self.folder.join(&name);
        match file.exists() {
            true => file,
            false => self.shared.join(name),
        }
    }
}

/// A file in each folder of libraries, locked by every process that uses the folder.
pub const IN_USE: &str = "in-use";

fn hold(folder: &Path) -> io::Result<File> {
    let file = File::open(folder.join(IN_USE))?;
    file.lock_shared()?;
    // Another process may have deleted the folder in the meantime.
    folder.join(IN_USE).metadata()?;
    Ok(file)
}

/// The folder of the libraries that set-up made last, and the record of them.
pub fn read(set_up: &Path) -> io::Result<(PathBuf, Content)> {
    let state: RecordFile = serde_json::from_slice(&fs::read(set_up.join(STATE))?)?;
    Ok((set_up.join(state.folder), state.content))
}

/// An unused name for a folder of libraries.
pub fn next_folder(parent: &Path) -> PathBuf {
    let mut folders = (1..).map(|number: u64| parent.join(format!("{LIBRARIES}{number}")));
    folders.find(|folder| !folder.exists()).unwrap_or_default()
}

/// Deletes set-up's libraries that no notebook uses any more, except the `current` ones.
pub fn sweep(set_up: &Path, current: &Path) -> io::Result<()> {
    for entry in set_up.read_dir()? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(LIBRARIES) || folder == current {
            continue;
        }
        let lock = File::open(folder.join(IN_USE));
        if lock.is_ok_and(|lock| lock.try_lock().is_err()) {
            continue;
        }
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

const LIBRARIES: &str = "libraries-";

/// The file with the versions of all crates; a copy is kept next to their libraries.
pub const LOCK_FILE: &str = "Cargo.lock";
/// The file with the output of `cargo metadata` for all crates, next to their libraries.
pub const METADATA: &str = "metadata.json";

impl Content {
    /// The crates that cells can name, by their names in code.
    pub fn named(&self) -> BTreeMap<&str, &Package> {
        let externs = self.externs.iter().filter_map(|(name, file)| {
            let package = self.packages.iter().find(|one| one.file == *file)?;
            Some((name.as_str(), package))
        });
        externs.collect()
    }

    /// The project with these dependencies, in `folder`.
    pub fn project<'a>(
        &'a self,
        folder: &'a Path,
        lock: &'a Path,
        target: &'a Path,
    ) -> Project<'a> {
        Project {
            folder,
            dependencies: &self.dependencies,
            profile: &self.profile,
            lock,
            target,
            host: &self.host,
        }
    }

    /// The folders of crates that have changed or no longer exist.
    pub fn changed(&self) -> impl Iterator<Item = &Path> {
        let sources = self.sources.iter().filter(|_| self.installed.is_empty());
        sources
            .filter(|(folder, known)| sources::fingerprint(folder).ok() != Some(**known))
            .map(|(folder, _)| folder.as_path())
    }

    /// The existing crate that satisfies a dependency, and its name for cells.
    pub fn find(&self, dependency: &Dependency) -> Option<(String, &Package)> {
        let wanted = dependency
            .wanted()
            .filter(|wanted| wanted.source.is_empty())?;
        let name = wanted.package.as_ref().unwrap_or(&dependency.name);
        let version = match &wanted.version {
            Some(version) => VersionReq::parse(version).ok()?,
            None => VersionReq::STAR,
        };
        let is_wanted = |package: &&Package| {
            let is_there = match &wanted.path {
                Some(path) => package.folder.as_ref() == Some(path),
                None => package.is_from_registry,
            };
            let features = wanted.features.iter();
            let misses_default = wanted.default_features
                && package.has_default
                && !package.features.contains("default");
            is_there
                && package.name == *name
                && version.matches(&package.version)
                && !misses_default
                && features
                    .into_iter()
                    .all(|feature| package.features.contains(feature))
        };
        let found = self.packages.iter().filter(is_wanted);
        let found = found.max_by(|one, other| one.version.cmp(&other.version))?;
        let name = match &wanted.package {
            Some(_) => dependency.name.replace('-', "_"),
            None => found.library.clone(),
        };
        Some((name, found))
    }
}
