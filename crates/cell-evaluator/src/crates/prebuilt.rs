//! Set-up: compiles the prebuilt crates once, for all notebooks.

use crate::crates::cargo::Cargo;
use crate::crates::compiled::{Content, Crates, LOCK_FILE, METADATA, next_folder, read, sweep};
use crate::crates::dependency::Dependency;
use crate::crates::library::collect;
use crate::crates::target::{LOCK, TARGET};
use crate::crates::trouble::Trouble;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// The crates that all notebooks can use, and how they are compiled.
#[derive(Clone, Debug, Hash)]
pub struct PrebuiltCrates {
    /// The folder of the `Cargo.toml` and the `Cargo.lock` that determine their versions.
    pub workspace: PathBuf,
    /// The folders of the crates.
    pub crates: Vec<PathBuf>,
    /// Packages compiled without optimisation, because they do not affect the speed of cells.
    pub unoptimised: Vec<String>,
    /// Codegen units per package: with more of them, code compiles faster but runs a little slower.
    pub codegen_units: BTreeMap<String, u32>,
    /// Whether they are installed for many users and therefore never change. A `:dep` line with one
    /// of their names then refers to that crate, whatever path it gives.
    pub are_installed: bool,
}

impl PrebuiltCrates {
    /// Compiles them into `folder`, unless that was already done for exactly these sources,
    /// versions and compiler. Progress lines go to `tell`, each with the number of packages left to
    /// compile, or 0 before compilation starts.
    ///
    /// # Errors
    ///
    /// If a crate cannot be downloaded or does not compile, or if this was stopped. An earlier
    /// result is then kept.
    pub fn make(
        &self,
        folder: &Path,
        cargo: &Cargo,
        tell: &mut dyn FnMut(&str, usize),
    ) -> Result<(), Trouble> {
        let compiler = compiler(cargo)?;
        let wanted = self.wanted(&compiler)?;
        if self.is_made(folder, &wanted) {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join(LOCK))?;
        lock.lock()?;
        if self.is_made(folder, &wanted) {
            return Ok(()); // another process has done it in the meantime
        }
        let dependencies = self.dependencies()?;
        let host = compiler
            .lines()
            .find_map(|line| line.strip_prefix("host: "));
        let content = Content {
            made_for: wanted,
            host: host.unwrap_or_default().to_owned(),
            profile: self.profile(),
            installed: match self.are_installed {
                true => dependencies.clone(),
                false => BTreeMap::new(),
            },
            dependencies,
            externs: BTreeMap::new(),
            packages: Vec::new(),
            shared: Vec::new(),
            sources: BTreeMap::new(),
        };
        let lock = self.workspace.join(LOCK_FILE);
        let (project, target) = (folder.join("project"), folder.join(TARGET));
        let project = content.project(&project, &lock, &target);
        // Usually everything is on this machine already; without `--offline`, cargo would try the
        // network first.
        let mut tell_early = |line: &str| tell(line, 0);
        let resolved = match cargo.resolve(&project, true, &mut tell_early) {
            Err(Trouble::Unreachable { .. }) => cargo.resolve(&project, false, &mut tell_early),
            resolved => resolved,
        }?;
        let mut left = resolved.count();
        let artifacts = cargo.compile(&project, resolved, &mut |line| {
            tell(line, left);
            left = left.saturating_sub(1);
        })?;
        let libraries = next_folder(folder);
        let nothing = Crates {
            content: content.clone(),
            folder: libraries.clone(),
            set_up: folder.to_owned(),
            shared: libraries.clone(),
            lock: None,
        };
        collect(cargo, &project, &artifacts, &nothing, &libraries)?.write()?;
        let _ = sweep(folder, &libraries); // the next run retries
        Ok(())
    }

    fn is_made(&self, folder: &Path, wanted: &str) -> bool {
        read(folder).is_ok_and(|(libraries, made)| {
            made.made_for == wanted
                && libraries.join(METADATA).is_file()
                && made.changed().next().is_none()
        })
    }

    /// Identifies everything besides the sources that affects the result.
    fn wanted(&self, compiler: &str) -> Result<String, Trouble> {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        for file in ["Cargo.toml", LOCK_FILE] {
            fs::read(self.workspace.join(file)).ok().hash(&mut hasher);
        }
        Ok(format!("{compiler}\n{:016x}", hasher.finish()))
    }

    fn dependencies(&self) -> Result<BTreeMap<String, Value>, Trouble> {
        let dependencies = self.crates.iter().map(|folder| {
            let dependency = Dependency::of_folder(&folder.to_string_lossy())?;
            Ok((dependency.name, dependency.value))
        });
        dependencies.collect()
    }

    /// The build profile: fast code except for the named packages, and quick linking.
    fn profile(&self) -> Table {
        let mut packages = Table::new();
        let mut set = |name: &str, key: &str, value: Value| {
            let package = packages.entry(name).or_insert_with(|| Table::new().into());
            if let Value::Table(package) = package {
                package.insert(key.to_owned(), value);
            }
        };
        for name in &self.unoptimised {
            set(name, "opt-level", 0.into());
        }
        for (name, count) in &self.codegen_units {
            set(name, "codegen-units", i64::from(*count).into());
        }
        Table::from_iter([
            ("lto".to_owned(), "off".into()),
            ("package".to_owned(), packages.into()),
        ])
    }
}

/// The compiler's version information.
fn compiler(cargo: &Cargo) -> Result<String, Trouble> {
    let mut ask = Command::new(&cargo.rustc);
    let output = cargo.compilers.run(ask.arg("-vV"), &mut |_| ())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr)).into()),
    }
}
