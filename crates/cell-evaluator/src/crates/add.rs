//! What `:dep` lines add for one notebook.

use crate::crates::cargo::Cargo;
use crate::crates::library::collect;
use crate::crates::made::{Content, Crates, LOCK_FILE, next_folder};
use crate::crates::request::Request;
use crate::crates::target::{self, TARGET};
use crate::crates::trouble::Trouble;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

impl Crates {
    /// These crates and those that the `:dep` lines of a cell ask for. Only what is not there yet, or
    /// whose source has changed, is compiled; lines on that go to `tell`.
    ///
    /// # Errors
    ///
    /// If a crate cannot be had or does not compile, or if that was stopped.
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
            let request = match content.installed(line) {
                Some(request) => request,
                None => Request::parse(line)?,
            };
            are_there &= content.use_again(&request);
            let Request { name, value } = request;
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
            let _ = fs::remove_dir_all(&libraries); // it goes with the notebook's folder
        }
        collected
    }
}

impl Content {
    /// The crate of an installation that a line means, whatever its path is.
    fn installed(&self, line: &str) -> Option<Request> {
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
        Some(Request { name, value })
    }

    /// Whether a crate is there already; then cells can name it from now on.
    fn use_again(&mut self, request: &Request) -> bool {
        if self.dependencies.get(&request.name) == Some(&request.value) {
            return true;
        }
        let Some((name, package)) = self.find(request) else {
            return false;
        };
        let file = package.file.clone();
        self.externs.insert(name, file);
        true
    }
}

fn twice(name: &str) -> Trouble {
    Trouble::Refused(format!(
        "`{name}` is asked for twice in this cell, each time as something else. Keep one of the \
         lines, or give one a name of its own: `:dep other = {{ package = \"{name}\", version = \
         \"1.2\" }}`."
    ))
}

fn gone(name: &str, folder: &Path) -> Trouble {
    Trouble::Refused(format!(
        "the crate `{name}` is no longer in {}, from where this kernel has loaded it. If you have \
         moved it, start the kernel again with the new place: after a move of a whole project, set \
         that up there first.",
        folder.display()
    ))
}
