//! Adds crates to a notebook with `:dep` lines.

use crate::crates::cargo::Cargo;
use crate::crates::compiled::{Content, Crates, LOCK_FILE, next_folder, read};
use crate::crates::dependency::Dependency;
use crate::crates::library::collect;
use crate::crates::target::{self, TARGET};
use crate::crates::trouble::Trouble;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

impl Crates {
    /// These crates plus those that a cell's `:dep` lines ask for. Compiles only what is missing or
    /// has changed; progress lines go to `tell`.
    ///
    /// # Errors
    ///
    /// If a crate is unavailable or does not compile, or if this was stopped.
    pub fn add(
        &self,
        lines: &[&str],
        offline: bool,
        cargo: &Cargo,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Crates, Trouble> {
        let mut added = self.clone();
        let content = &mut added.content;
        let (mut asked, mut are_there) = (BTreeMap::new(), true);
        for line in lines {
            let dependency = match content.installed(line) {
                Some(dependency) => dependency,
                None => Dependency::parse(line, &|name| self.prebuilt(name))?,
            };
            are_there &= content.use_again(&dependency);
            let Dependency { name, value } = dependency;
            content.dependencies.insert(name.clone(), value.clone());
            let before = asked.insert(name.clone(), value.clone());
            if before.is_some_and(|before| before != value) {
                return Err(twice(&name));
            }
        }
        let changed: Vec<&Path> = self.content.changed().collect();
        match are_there && changed.is_empty() {
            true => Ok(added),
            false => {
                let compiled = self.compile(&added.content, &changed, offline, cargo, tell);
                compiled.map_err(|trouble| match added.content.installed.is_empty() {
                    true => trouble,
                    false => trouble.in_installation(),
                })
            }
        }
    }

    /// The folder of the prebuilt crate with this name. In a notebook that was copied elsewhere,
    /// the path in a `:dep` line no longer leads there.
    fn prebuilt(&self, name: &str) -> Option<String> {
        let (_, content) = read(&self.set_up).ok()?;
        let folder = content.dependencies.get(name)?.get("path")?.as_str()?;
        Some(folder.to_owned())
    }

    fn compile(
        &self,
        content: &Content,
        changed: &[&Path],
        offline: bool,
        cargo: &Cargo,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Crates, Trouble> {
        for (name, value) in &content.dependencies {
            let folder = value
                .get("path")
                .and_then(|path| path.as_str())
                .map(Path::new);
            if let Some(folder) = folder.filter(|folder| !folder.join("Cargo.toml").exists()) {
                return Err(gone(name, folder));
            }
        }
        let own = self.shared.parent().unwrap_or(&self.shared);
        target::copy(&self.set_up, own)?;
        let (folder, target) = (own.join("project"), own.join(TARGET));
        let lock = self.folder.join(LOCK_FILE);
        let project = content.project(&folder, &lock, &target);
        let metadata = cargo.resolve(&project, offline, tell)?;
        cargo.forget(&project, &metadata, changed)?;
        let artifacts = cargo.compile(&project, metadata, tell)?;
        let libraries = next_folder(own);
        let collected = collect(cargo, &project, &artifacts, self, &libraries);
        if collected.is_err() {
            let _ = fs::remove_dir_all(&libraries); // else deleted with the notebook's folder
        }
        collected
    }
}

impl Content {
    /// The installed crate that a line refers to, whatever path it gives.
    fn installed(&self, line: &str) -> Option<Dependency> {
        let name = line
            .trim()
            .trim_start_matches(":dep")
            .split('=')
            .next()
            .unwrap_or_default()
            .trim();
        let value = self
            .installed
            .get(name)
            .filter(|_| line.contains("path"))?
            .clone();
        let name = name.to_owned();
        Some(Dependency { name, value })
    }

    /// Whether a crate is already there; if so, makes it nameable.
    fn use_again(&mut self, dependency: &Dependency) -> bool {
        if self.dependencies.get(&dependency.name) == Some(&dependency.value) {
            return true;
        }
        let Some((name, package)) = self.find(dependency) else {
            return false;
        };
        let file = package.file.clone();
        self.externs.insert(name, file);
        true
    }
}

fn twice(name: &str) -> Trouble {
    Trouble::Refused(format!(
        "`{name}` is asked for twice in this cell, with different sources or versions. Keep one of \
         the lines, or rename one: `:dep other = {{ package = \"{name}\", version = \
         \"1.2\" }}`."
    ))
}

fn gone(name: &str, folder: &Path) -> Trouble {
    Trouble::Refused(format!(
        "the crate `{name}` is no longer in {}, where this kernel loaded it from. If you have moved it, \
         restart the kernel and use the new path; if you have moved a whole project, run its set-up \
         there first.",
        folder.display()
    ))
}
