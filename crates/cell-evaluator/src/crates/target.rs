//! Cargo's target folders: set-up's, and a notebook's, which starts as a copy so that only what is
//! new is compiled.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// The name of the folder, in set-up's folder and in a notebook's.
pub const TARGET: &str = "target";
/// The file in set-up's folder that a process locks while it changes the folder.
pub const LOCK: &str = "lock";

/// Copies set-up's target folder for a notebook that has none yet. An interrupted copy is started
/// over.
pub fn copy(set_up: &Path, own: &Path) -> io::Result<()> {
    let (from, to) = (set_up.join(TARGET), own.join(TARGET));
    if to.exists() || !from.exists() {
        return Ok(());
    }
    // If the lock cannot be opened, set-up is read-only and cannot change.
    let lock = File::open(set_up.join(LOCK));
    let _held = lock.map(|lock| lock.lock_shared().map(|()| lock));
    let unfinished = own.join("target.new");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    copy_tree(&from, &unfinished)?;
    fs::rename(unfinished, to)
}

/// Copies files with their times, which cargo uses to tell what is up to date.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_tree(&from, &to)?;
        } else if !is_replaced_as_a_whole(&from) || !share(&from, &to) {
            fs::copy(&from, &to)?;
            let original = entry.metadata()?;
            fs::set_permissions(
                &to,
                Permissions::from_mode(original.permissions().mode() | 0o600),
            )?;
            let copy = File::options().append(true).open(&to)?;
            copy.set_modified(original.modified()?)?;
        }
    }
    Ok(())
}

/// Whether a file is only ever replaced as a whole. Linkers change other files in place.
fn is_replaced_as_a_whole(file: &Path) -> bool {
    file.extension()
        .is_some_and(|kind| kind == "rlib" || kind == "rmeta")
}

/// Hard-links a file, or symlinks it if the system does not allow that because the file belongs to
/// another user or is on another file system. Returns whether it worked.
pub fn share(from: &Path, to: &Path) -> bool {
    fs::hard_link(from, to)
        .or_else(|_| symlink(from, to))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_has_the_times_and_shares_what_is_not_changed() -> io::Result<()> {
        let (set_up, own) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (from, to) = (
            set_up.path().join("target/deps"),
            own.path().join("target/deps"),
        );
        fs::create_dir_all(&from)?;
        let a_day_ago = SystemTime::now() - Duration::from_secs(86_400);
        for name in ["a.rlib", "a.d"] {
            fs::write(from.join(name), "of set-up")?;
            fs::set_permissions(from.join(name), Permissions::from_mode(0o444))?;
            File::open(from.join(name))?.set_modified(a_day_ago)?;
        }
        fs::create_dir_all(own.path().join("target.new/interrupted"))?;
        copy(set_up.path(), own.path())?;
        assert!(!own.path().join("target/interrupted").exists());
        for name in ["a.rlib", "a.d"] {
            let times = [from.join(name), to.join(name)].map(|file| file.metadata()?.modified());
            assert_eq!(times[0].as_ref().ok(), times[1].as_ref().ok());
        }
        fs::write(to.join("a.d"), "of the notebook")?;
        assert_eq!(fs::read_to_string(from.join("a.d"))?, "of set-up");
        Ok(())
    }
}
