//! The project, installed once for all users of a machine: the program, the lessons, the crate
//! compiled for cells, its compiler, and the sources of all crates, in a folder that only the
//! installer can write to.

mod crates;
mod files;
mod models;
mod rust;
pub mod wheel;

use crate::kernel_config::kernel_config;
use crate::project;
use crate::{kernelspecs, live_extension, server_config, set_up_report};
use anyhow::{Context, Result, bail};
use files::{Copied, copy, mirror, open_to_all, remove};
use notebook_session::SetUpStep;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parts of the project that lessons and cells need.
const PARTS: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "assets",
    "crates",
    "notebooks",
    "requirements.txt",
    "src",
];
/// The record of the crates compiled for cells; without it, set-up lets cargo check them.
const COMPILED: &str = ".jupyter/for-cells/crates.json";
/// Folders that compilers and front ends create in [`PARTS`]; they are not installed.
const LEFT_OUT: [&str; 4] = [
    "target",
    ".ipynb_checkpoints",
    "__pycache__",
    "node_modules",
];
/// The paths of everything that is installed under a prefix.
pub struct Installation {
    prefix: PathBuf,
}

impl Installation {
    /// An installation under `prefix`, whether it exists yet or not.
    ///
    /// # Errors
    ///
    /// If cells could not be compiled there, or part of the path is not a folder.
    pub fn below(prefix: &Path) -> Result<Installation> {
        let prefix = std::path::absolute(prefix)?;
        let text = prefix.to_str().unwrap_or_default();
        if text.is_empty() || text.contains([':', '"', '\\', '\n']) {
            bail!(
                "{} cannot be a prefix: compilers write folders into lists, so their names have \
                 no colon, quotation mark, backslash or line break",
                prefix.display()
            );
        }
        let mut above = prefix.ancestors();
        let nearest = above.find(|path| path.symlink_metadata().is_ok());
        if let Some(file) = nearest.filter(|folder| !folder.is_dir()) {
            bail!(
                "{} cannot be a prefix: {} is not a folder; choose one with `--prefix`, such as \
                 /opt/attention",
                prefix.display(),
                file.display()
            );
        }
        Ok(Installation { prefix })
    }

    /// The folder with everything except what Jupyter looks for elsewhere.
    pub fn root(&self) -> PathBuf {
        self.prefix.join("share").join(project::INSTALLED)
    }

    /// Where Jupyter looks for kernels and extensions.
    pub fn data(&self) -> PathBuf {
        self.prefix.join("share/jupyter")
    }

    /// Where Jupyter looks for settings.
    fn server_settings(&self) -> PathBuf {
        self.prefix.join("etc/jupyter")
    }

    /// The command in the search path.
    pub fn command(&self) -> PathBuf {
        self.prefix.join("bin").join(project::INSTALLED)
    }

    /// The program itself.
    pub fn program(&self) -> PathBuf {
        self.root().join("bin").join(project::INSTALLED)
    }

    /// Installs everything, replacing an earlier version, and returns the files that Jupyter
    /// will read.
    pub fn make(&self) -> Result<Vec<PathBuf>> {
        let root = self.root();
        self.copy_project()?;
        set_up_report::step(SetUpStep::Begins(
            "Copying the compiler and the crates' sources ...",
        ));
        let compiler = notebook_session::sysroot(&kernel_config())?;
        let rust = root.join(project::RUST);
        rust::copy(&compiler, &rust)?;
        crates::copy_those_of_the_user(&root)?;
        let generated = root.join(".jupyter");
        project::keep_progress_in_homes(&generated)?;
        open_to_all(&root)?;
        self.compile()?;
        crates::keep_needed(&root)?;
        models::fetch(&root, &self.program())?;
        open_to_all(&root)?;
        self.register()
    }

    fn copy_project(&self) -> Result<()> {
        if copy_parts(&self.root())? {
            // An installation's kernels do not check whether its crates have changed.
            remove(&self.root().join(COMPILED))?;
        }
        remove(&self.program())?; // it may be running, so it cannot be overwritten
        copy(&env::current_exe()?, &self.program(), &|_| Copied::Yes)
    }

    /// Compiles the crate for cells in its final place, with the installed program.
    fn compile(&self) -> Result<()> {
        let compiled = Command::new(self.program()).arg("setup").status();
        let compiled = compiled
            .with_context(|| format!("{} could not be started", self.program().display()))?;
        if !compiled.success() {
            bail!("the installation could not be completed; its lines above say why");
        }
        Ok(())
    }

    fn register(&self) -> Result<Vec<PathBuf>> {
        let generated = self.root().join(".jupyter").display().to_string();
        let mut environment = vec![(project::GENERATED.to_owned(), generated)];
        if let Some(models) = project::models(&self.root()) {
            environment.push((project::MODELS.to_owned(), models.display().to_string()));
        }
        let mut written = kernelspecs::write(&self.data(), &self.program(), None, environment)?;
        written.push(live_extension::write(&self.data())?);
        written.extend(server_config::write(&self.server_settings())?);
        let of_kernels = kernelspecs::folders(&self.data());
        let folders = of_kernels.iter().filter(|folder| folder.exists());
        for path in written.iter().chain(folders) {
            open_to_all(path)?;
        }
        let command = self.command();
        remove(&command)?;
        fs::create_dir_all(self.prefix.join("bin"))?;
        symlink(self.program(), &command)
            .with_context(|| format!("cannot write {}", command.display()))?;
        written.push(command);
        Ok(written)
    }

    /// Removes what [`Installation::make`] installed, except the kernels and the extension, and
    /// returns the removed paths.
    pub fn remove(&self) -> Result<Vec<PathBuf>> {
        let is_ours = fs::read_link(self.command()).is_ok_and(|to| to == self.program());
        let mut removed = Vec::new();
        if is_ours {
            remove(&self.command())?;
            removed.push(self.command());
        }
        for settings in server_config::find(&self.server_settings()) {
            remove(&settings)?;
            removed.push(settings);
        }
        if self.program().is_file() {
            remove(&self.root())?;
            removed.push(self.root());
        }
        Ok(removed)
    }

    /// Removes the folders that are now empty.
    pub fn remove_empty(&self) {
        for folder in [
            "share/jupyter/kernels",
            "share/jupyter/labextensions",
            "share/jupyter",
            "share",
            "etc/jupyter/labconfig",
            "etc/jupyter",
            "etc",
            "bin",
        ] {
            let _ = fs::remove_dir(self.prefix.join(folder)); // fails if it is not empty
        }
    }
}

/// Copies the parts of the project that lessons and cells need, replacing earlier ones, and returns
/// whether the crates have changed.
fn copy_parts(to: &Path) -> Result<bool> {
    let from = project::root();
    let is_needed = |file: &Path| match file
        .file_name()
        .is_some_and(|name| LEFT_OUT.iter().any(|left_out| name == *left_out))
    {
        true => Copied::No,
        false => Copied::Yes,
    };
    let mut crates_have_changed = false;
    for part in PARTS {
        let has_changed = mirror(&from.join(part), &to.join(part), &is_needed)?;
        crates_have_changed |= has_changed && part == "crates";
    }
    Ok(crates_have_changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_folder_or_can_become_one() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        fs::write(&file, "")?;
        for prefix in [file.clone(), file.join("a/b")] {
            let refused = Installation::below(&prefix).err().context("refused")?;
            let expected = format!(
                "{} cannot be a prefix: {} is not a folder; choose one with `--prefix`, such as \
                 /opt/attention",
                prefix.display(),
                file.display()
            );
            assert_eq!(refused.to_string(), expected);
        }
        Installation::below(&folder.path().join("new/one"))?;
        Ok(())
    }
}
