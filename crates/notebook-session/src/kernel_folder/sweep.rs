//! Deletes folders left behind by killed kernels.
//!
//! They are in a directory that other users can write to, so only this user's folders are
//! considered (see `kernel_folders`), links are not followed, and nothing may block.

use crate::config::Config;
use crate::kernel_folder::temporary::{SESSION, kernel_folders};
use anyhow::Result;
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// The name of a file in a kernel's folder, which is locked while the kernel lives.
pub const OWNER: &str = "owner.lock";
/// Minimum age of an abandoned kernel folder; a younger one may not have been locked yet.
const LOCKED_BY_THEN: Duration = Duration::from_secs(60);

/// Deletes this program's kernel folders whose kernels were killed.
pub fn sweep(config: &Config) {
    for kernel_folder in kernel_folders(config) {
        if is_abandoned(&kernel_folder).unwrap_or(false) {
            let _ = fs::remove_dir_all(kernel_folder); // if this fails, it is still in use
        }
    }
}

/// Whether the process that owns a kernel folder has ended.
pub fn has_no_owner(kernel_folder: &Path) -> bool {
    let owner = File::open(kernel_folder.join(OWNER));
    owner.is_ok_and(|owner| owner.try_lock().is_ok())
}

/// Whether a kernel folder is old enough to have a lock file, but the lock is not held. A folder
/// without a lock file may be left over from an interrupted creation or deletion; it counts only if
/// it contains nothing but the contents of a kernel folder.
fn is_abandoned(folder: &Path) -> Result<bool> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = File::from(open(folder, flags | OFlags::DIRECTORY, Mode::empty())?);
    if opened.metadata()?.modified()?.elapsed()? <= LOCKED_BY_THEN {
        return Ok(false);
    }
    match openat(&opened, OWNER, flags, Mode::empty()) {
        Ok(owner) => {
            let owner = File::from(owner);
            Ok(owner.metadata()?.is_file() && owner.try_lock().is_ok())
        }
        Err(Errno::NOENT) => {
            let entries: Result<Vec<_>, _> = folder.read_dir()?.collect();
            Ok(entries?.iter().all(|entry| entry.file_name() == SESSION))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_folder::KernelFolder;
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::SystemTime;

    fn toy() -> Config {
        Config::new("toy-kernel", "/toy")
    }

    fn make_old(folder: &Path) -> Result<()> {
        let an_hour_ago = SystemTime::now() - Duration::from_secs(60 * 60);
        Ok(File::open(folder)?.set_modified(an_hour_ago)?)
    }

    #[test]
    fn a_kernel_folder_is_abandoned_when_it_is_old_and_unlocked() -> Result<()> {
        let kernel_folder = KernelFolder::new(&toy())?;
        let folder = kernel_folder.path();
        let name = folder.file_name().expect("a name").display().to_string();
        assert!(name.starts_with("toy-kernel-"), "{name}");
        assert!(kernel_folders(&toy()).any(|kernel_folder| kernel_folder == folder));
        assert!(!is_abandoned(folder)?, "young and locked");
        make_old(folder)?;
        assert!(!is_abandoned(folder)?, "locked");
        kernel_folder.unlock()?;
        assert!(is_abandoned(folder)?);
        File::open(folder)?.set_modified(SystemTime::now())?;
        assert!(!is_abandoned(folder)?, "young: not locked yet");
        Ok(())
    }

    #[test]
    fn without_a_lock_only_what_is_a_kernel_folder_is_abandoned() -> Result<()> {
        let mut config = toy();
        let generated = tempfile::tempdir()?;
        config.generated = generated.path().to_owned();
        let kernel_folder = KernelFolder::new(&config)?;
        let folder = kernel_folder.path();
        fs::remove_file(folder.join(OWNER))?;
        assert!(!is_abandoned(folder)?, "it may just be made");
        make_old(folder)?;
        assert!(is_abandoned(folder)?);
        fs::write(folder.join("thesis.txt"), "not ours")?;
        make_old(folder)?;
        assert!(!is_abandoned(folder)?);
        Ok(())
    }

    /// Opening a pipe without a writer would block.
    #[test]
    fn pipes_and_links_are_left_alone_and_not_waited_for() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let [pipe, link, linked] = ["pipe", "link", "linked"].map(|name| folder.path().join(name));
        fs::create_dir(&pipe)?;
        let made = Command::new("mkfifo").arg(pipe.join(OWNER)).status()?;
        assert!(made.success());
        fs::create_dir(&linked)?;
        symlink(&linked, &link)?;
        fs::create_dir(folder.path().join("lock"))?;
        fs::write(folder.path().join("elsewhere"), "")?;
        symlink(
            folder.path().join("elsewhere"),
            folder.path().join("lock").join(OWNER),
        )?;
        make_old(&pipe)?;
        make_old(&linked)?;
        make_old(&folder.path().join("lock"))?;
        let (sender, answers) = mpsc::channel();
        let lock = folder.path().join("lock");
        std::thread::spawn(move || {
            for path in [&pipe, &link, &lock, &linked] {
                let _ = sender.send(is_abandoned(path).unwrap_or(false));
            }
        });
        for expected in [false, false, false, true] {
            assert_eq!(answers.recv_timeout(Duration::from_secs(60))?, expected);
        }
        Ok(())
    }

    #[test]
    fn other_users_folders_are_left_alone() -> Result<()> {
        let kernel_folder = KernelFolder::new(&toy())?;
        let folder = kernel_folder.path();
        // Only root can change the owner.
        if std::os::unix::fs::chown(folder, Some(65534), None).is_ok() {
            assert!(!kernel_folders(&toy()).any(|kernel_folder| kernel_folder == folder));
        }
        Ok(())
    }
}
