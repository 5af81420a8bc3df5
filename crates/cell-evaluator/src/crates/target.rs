//! Cargo's own folder: that of set-up, and a notebook's, which begins as a copy of it so that
//! only what is new is compiled.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// In the folder of set-up and in a notebook's.
pub const TARGET: &str = "target";
/// In the folder of set-up: held alone by the process that changes what is there.
pub const LOCK: &str = "lock";

/// Makes a notebook's of that of set-up. An interrupted copy does not count.
pub fn copy(set_up: &Path, own: &Path) -> io::Result<()> {
    let (from, to) = (set_up.join(TARGET), own.join(TARGET));
    if to.exists() || !from.exists() {
        return Ok(());
    }
    // Where it cannot be opened nobody changes anything.
    let lock = File::open(set_up.join(LOCK));
    let _held = lock.map(|lock| lock.lock_shared().map(|()| lock));
    let unfinished = own.join("target.new");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    copy_tree(&from, &unfinished)?;
    fs::rename(unfinished, to)
}

/// Copies with the times of the files, by which cargo tells what is up to date.
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

/// Whether it is never changed where it is. Linkers write into what is there.
fn is_replaced_as_a_whole(file: &Path) -> bool {
    file.extension()
        .is_some_and(|kind| kind == "rlib" || kind == "rmeta")
}

/// Gives a file a second name; where the system allows none, since it is another user's or on another
/// file system, a link leads to it.
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
