//! The folder of one kernel, in which cells are compiled.

use crate::config::Config;
use crate::workspace::sweep::{OWNER, SESSION, sweep};
use crate::workspace::temporary;
use anyhow::Result;
use cell_evaluator::kill;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Between two tries to delete a folder that something still writes into.
const PAUSE: Duration = Duration::from_millis(50);
const MOST_TRIES: usize = 40;

/// A folder of this process and its user alone; dropping it deletes it.
pub struct KernelFolder {
    folder: TempDir,
    _owner: File,
}

impl KernelFolder {
    /// Makes one. Folders that killed kernels have left go.
    ///
    /// # Errors
    ///
    /// If there is no place where a compiler could work.
    pub fn new(config: &Config) -> Result<KernelFolder> {
        sweep(config);
        let folder = temporary::make(config, Permissions::from_mode(0o700))?;
        let mut create = File::options();
        create.write(true).create_new(true).mode(0o600);
        let owner = create.open(folder.path().join(OWNER))?;
        owner.lock()?;
        fs::create_dir(folder.path().join(SESSION))?;
        Ok(KernelFolder {
            folder,
            _owner: owner,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where cells are compiled.
    pub fn session(&self) -> PathBuf {
        self.path().join(SESSION)
    }

    #[cfg(test)]
    /// As if its process had ended.
    pub fn unlock(&self) -> Result<()> {
        Ok(self._owner.unlock()?)
    }
}

/// Ends all processes that this one has started, and deletes a folder that they may write into.
pub fn leave_nothing(folder: &Path) {
    for _ in 0..MOST_TRIES {
        kill(process::id(), |_| true);
        let _ = fs::remove_dir_all(folder); // what counts is what is left
        if !folder.exists() {
            return;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_for_its_user_alone() -> Result<()> {
        let folder = KernelFolder::new(&Config::new("toy-kernel", "/toy"))?;
        let mode =
            |path: &Path| -> Result<u32> { Ok(path.metadata()?.permissions().mode() & 0o777) };
        assert_eq!(mode(folder.path())?, 0o700);
        assert_eq!(mode(&folder.path().join(OWNER))?, 0o600);
        Ok(())
    }
}
