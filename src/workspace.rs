//! The cargo workspace in which the cells of one kernel are compiled: a copy of
//! the template in a temporary folder.

use crate::template;
use crate::toolchain::Toolchain;
use crate::{cell_cargo, environment, rust_sources};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Start of the names of the copies.
const COPY_PREFIX: &str = "attention-notebooks-";
/// A file in each copy that is locked as long as its kernel lives.
const OWNER: &str = "owner.lock";
/// A copy that is younger than this may not have been locked yet.
const LOCKED_BY_THEN: Duration = Duration::from_secs(60);

/// A workspace of this process alone; dropping it deletes it.
pub struct CellWorkspace {
    folder: TempDir,
    _owner: File,
}

impl CellWorkspace {
    /// A copy of the template, in which evcxr works from now on.
    pub fn open() -> Result<CellWorkspace> {
        let workspace = CellWorkspace::reserve()?;
        workspace.copy().fill()?;
        Ok(workspace)
    }

    /// An empty workspace in which evcxr works from now on; it becomes a copy of
    /// the template with [`CellWorkspace::copy`].
    pub fn reserve() -> Result<CellWorkspace> {
        let workspace = CellWorkspace::new()?;
        workspace.work_in(&Toolchain::find()?)?;
        Ok(workspace)
    }

    /// Deletes the folder; says whether it is gone.
    pub fn delete(&self) -> bool {
        let _ = fs::remove_dir_all(self.path()); // what counts is what is left
        !self.path().exists()
    }

    /// The copying, for any thread.
    pub fn copy(&self) -> TemplateCopy {
        TemplateCopy(self.path().to_owned())
    }

    /// An empty folder that other processes leave alone.
    pub fn new() -> Result<CellWorkspace> {
        let folder = tempfile::Builder::new()
            .prefix(COPY_PREFIX)
            .tempdir_in(temporary())?;
        let owner = File::create(folder.path().join(OWNER))?;
        owner.lock()?;
        Ok(CellWorkspace {
            folder,
            _owner: owner,
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Tells evcxr and cargo, through the environment, to work here.
    pub fn work_in(&self, toolchain: &Toolchain) -> Result<()> {
        let workspace = self.path();
        environment::set("EVCXR_TMPDIR", workspace.join("ctx"));
        environment::set("EVCXR_CONFIG_DIR", workspace.join("config"));
        if rust_sources::folder().exists() {
            environment::set("RUST_SRC_PATH", rust_sources::folder());
        }
        // For rust-analyzer's cargo alone: evcxr gives its own cargo other flags.
        environment::set("RUSTFLAGS", "--cfg attention_signatures");
        // The real cargo and rustc: rustup's stand-ins cost time in every cell.
        environment::prepend_path("PATH", toolchain.programs().as_os_str());
        cell_cargo::stand_before(&toolchain.programs(), workspace)?;
        // A cell's library looks for the standard library one folder too high; that
        // goes wrong where the workspace and the toolchain lie below the same folder.
        let library_path = if cfg!(target_os = "macos") {
            "DYLD_LIBRARY_PATH"
        } else {
            "LD_LIBRARY_PATH"
        };
        environment::prepend_path(library_path, toolchain.libraries().as_os_str());
        // The helper crate is a shared library as well. Cargo names it after the crate
        // alone, unless this is set, to anything: then a helper crate that is compiled
        // anew, as after a `:dep` that asks more of their common crates, does not take
        // the place of the one which the running process has loaded.
        environment::set("__CARGO_DEFAULT_LIB_METADATA", "cells");
        let helper = workspace
            .join("ctx/target")
            .join(toolchain.host())
            .join("debug/deps");
        // The loader never again looks into a folder that it once did not find.
        fs::create_dir_all(&helper)?;
        environment::prepend_path(library_path, helper.as_os_str());
        // evcxr_jupyter refreshes a kernel of its own where it finds one; here it finds none.
        environment::set("JUPYTER_PATH", workspace);
        Ok(())
    }
}

/// The way from a reserved workspace to a filled one.
pub struct TemplateCopy(PathBuf);

impl TemplateCopy {
    /// Copies the template; returns the workspace's folder.
    pub fn fill(&self) -> Result<PathBuf> {
        sweep();
        template::copy_to(&self.0)?;
        Ok(self.0.clone())
    }
}

/// The system's folder for temporary files; evcxr does not get along with a
/// space in its path.
fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    let has_space = folder.to_string_lossy().contains(' ');
    if has_space && cfg!(unix) {
        "/tmp".into()
    } else {
        folder
    }
}

/// Deletes the copies whose kernels were killed.
pub fn sweep() {
    let Ok(entries) = temporary().read_dir() else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(COPY_PREFIX)
            && is_abandoned(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path()); // somebody else's, or in use after all
        }
    }
}

fn is_abandoned(copy: &Path) -> bool {
    let age = copy
        .metadata()
        .and_then(|metadata| metadata.modified())
        .map(|time| time.elapsed());
    let settled = matches!(age, Ok(Ok(age)) if age > LOCKED_BY_THEN);
    settled && File::open(copy.join(OWNER)).is_ok_and(|owner| owner.try_lock().is_ok())
}

/// Copies a folder, except for its owner's lock.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    copy_tree(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies with the times of the files, by which cargo tells what is up to date.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if entry.file_name() != OWNER {
            fs::copy(entry.path(), &target)?;
            let modified = entry.metadata()?.modified()?;
            File::options()
                .append(true)
                .open(&target)?
                .set_modified(modified)?;
        }
    }
    Ok(())
}

/// Deletes a folder that may not be there.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_workspace_is_abandoned_when_it_is_old_and_nobody_holds_its_lock() -> Result<()> {
        let workspace = CellWorkspace::new()?;
        assert!(!is_abandoned(workspace.path()), "young and locked");
        let a_day_ago = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        File::open(workspace.path())?.set_modified(a_day_ago)?;
        assert!(!is_abandoned(workspace.path()), "locked");
        workspace._owner.unlock()?;
        assert!(is_abandoned(workspace.path()));
        File::open(workspace.path())?.set_modified(SystemTime::now())?;
        assert!(!is_abandoned(workspace.path()), "young: not locked yet");
        Ok(())
    }

    #[test]
    fn a_copy_has_the_times_of_the_files_and_no_lock() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::create_dir(from.path().join("inner"))?;
        let file = from.path().join("inner/lib.rs");
        fs::write(&file, "text")?;
        fs::write(from.path().join(OWNER), "")?;
        let a_day_ago = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        File::options()
            .append(true)
            .open(&file)?
            .set_modified(a_day_ago)?;
        copy_folder(from.path(), to.path())?;
        let copy = to.path().join("inner/lib.rs");
        assert_eq!(fs::read_to_string(&copy)?, "text");
        assert_eq!(copy.metadata()?.modified()?, file.metadata()?.modified()?);
        assert!(!to.path().join(OWNER).exists());
        Ok(())
    }
}
