//! The working folder of a kernel, where cells are compiled; `temporary` chooses its location. It
//! is deleted when the kernel ends, even if a signal ends the kernel (`shutdown`) or it is killed
//! (`supervisor`); failing that, a later kernel deletes it (`sweep`).

pub mod shutdown;
#[cfg(target_os = "linux")]
pub mod supervisor;
pub mod sweep;
mod temporary;

use crate::config::Config;
use crate::kernel_folder::sweep::{OWNER, sweep};
use crate::kernel_folder::temporary::SESSION;
use anyhow::Result;
use cell_evaluator::kill;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Delay between attempts to delete a folder that is still being written to.
const PAUSE: Duration = Duration::from_millis(50);
const MOST_TRIES: usize = 40;

/// A folder private to this process and user; deleted on drop.
pub struct KernelFolder {
    folder: TempDir,
    _owner: File,
}

impl KernelFolder {
    /// Creates a folder, and deletes those that killed kernels have left behind.
    ///
    /// # Errors
    ///
    /// If there is no folder in which a compiler can work.
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

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The subfolder in which cells are compiled.
    pub fn session(&self) -> PathBuf {
        self.path().join(SESSION)
    }

    #[cfg(test)]
    /// Simulates the end of its process.
    pub fn unlock(&self) -> Result<()> {
        Ok(self._owner.unlock()?)
    }
}

/// Kills all child processes of this process, and deletes a folder that they may still write to.
pub fn leave_nothing(folder: &Path) {
    for _ in 0..MOST_TRIES {
        kill(process::id(), |_| true);
        let _ = fs::remove_dir_all(folder); // retried until the folder is gone
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
