//! Deletes folders left behind by killed kernels.
//!
//! They lie in a directory that other users can write to, so only this user's folders are
//! considered (see `workspaces`), links are not followed, and nothing may block.

use crate::config::Config;
use crate::workspace::temporary::workspaces;
use anyhow::Result;
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// Locked while the kernel lives.
pub const OWNER: &str = "owner.lock";
/// Contains everything a kernel writes.
pub const SESSION: &str = "session";
/// A younger workspace may not have been locked yet.
const LOCKED_BY_THEN: Duration = Duration::from_secs(60);
/// Deletes this program's workspaces whose kernels were killed.
pub fn sweep(config: &Config) {
    for workspace in workspaces(config) {
        if is_abandoned(&workspace).unwrap_or(false) {
            let _ = fs::remove_dir_all(workspace); // if this fails, it is still in use
        }
    }
}

/// Whether the process that owns a workspace has ended.
pub fn has_no_owner(workspace: &Path) -> bool {
    let owner = File::open(workspace.join(OWNER));
    owner.is_ok_and(|owner| owner.try_lock().is_ok())
}

/// Whether a folder is a workspace old enough to have its lock, but the lock is not held. One
/// without a lock was interrupted while being created or deleted; it counts only if it contains
/// nothing but the contents of a workspace.
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
    use crate::workspace::folder::KernelFolder;
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
    fn a_workspace_is_abandoned_when_it_is_old_and_nobody_holds_its_lock() -> Result<()> {
        let workspace = KernelFolder::new(&toy())?;
        let folder = workspace.path();
        let name = folder.file_name().expect("a name").display().to_string();
        assert!(name.starts_with("toy-kernel-"), "{name}");
        assert!(workspaces(&toy()).any(|workspace| workspace == folder));
        assert!(!is_abandoned(folder)?, "young and locked");
        make_old(folder)?;
        assert!(!is_abandoned(folder)?, "locked");
        workspace.unlock()?;
        assert!(is_abandoned(folder)?);
        File::open(folder)?.set_modified(SystemTime::now())?;
        assert!(!is_abandoned(folder)?, "young: not locked yet");
        Ok(())
    }

    #[test]
    fn without_a_lock_only_what_is_a_workspace_is_abandoned() -> Result<()> {
        let mut config = toy();
        let generated = tempfile::tempdir()?;
        config.generated = generated.path().to_owned();
        let workspace = KernelFolder::new(&config)?;
        let folder = workspace.path();
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
    fn folders_of_somebody_else_are_left_alone() -> Result<()> {
        let workspace = KernelFolder::new(&toy())?;
        let folder = workspace.path();
        // Only root can change the owner.
        if std::os::unix::fs::chown(folder, Some(65534), None).is_ok() {
            assert!(!workspaces(&toy()).any(|workspace| workspace == folder));
        }
        Ok(())
    }
}
