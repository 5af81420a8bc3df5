//! The lock file next to a learner's file.

use crate::error::Error;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for another program's lock. (A change takes only milliseconds.)
pub(crate) const LONGEST: Duration = Duration::from_secs(5);
const BETWEEN: Duration = Duration::from_millis(2);

/// Holds a lock until the returned file is dropped.
///
/// # Errors
///
/// If the file cannot be opened, another program holds the lock for too long, or `stopped` returns
/// true first.
pub(crate) fn hold(path: &Path, stopped: &dyn Fn() -> bool) -> Result<File, Error> {
    let file = open(path).map_err(Error::io(path))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(Error::io(path)(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if began.elapsed() > LONGEST || stopped() {
            return Err(Error::Locked(path.to_owned()));
        }
        thread::sleep(BETWEEN);
    }
}

/// Whether this user is not allowed to open or create the file.
pub(crate) fn is_denied(path: &Path) -> bool {
    let denied = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
    open(path).is_err_and(|error| denied.contains(&error.kind()))
}

/// Opens the lock file, or creates it so that only this user can open it, because anyone who can
/// read a file can lock it. Does not follow symbolic links, or wait for a pipe.
fn open(path: &Path) -> io::Result<File> {
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path);
    let not_regular = || io::Error::other("it is not a regular file; move it out of the way");
    let file = match file {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => return Err(not_regular()),
        Err(error) if error.kind() == ErrorKind::IsADirectory => return Err(not_regular()),
        file => file?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(not_regular());
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        // Fails if the file belongs to another user.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
    }
    Ok(file)
}

#[cfg(test)]
pub(crate) fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo starts").success());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_this_user_can_open_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("a.lock");
        let mode = || lock.metadata().expect("a file").permissions().mode() & 0o777;
        drop(hold(&lock, &|| false).expect("held"));
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&lock, Permissions::from_mode(0o644)).expect("set");
        drop(hold(&lock, &|| false).expect("held"));
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn waiting_ends_with_a_sentence_and_before_when_it_is_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("a.lock");
        let held = hold(&lock, &|| false).expect("held");
        let began = Instant::now();
        assert!(hold(&lock, &|| true).is_err());
        assert!(began.elapsed() < LONGEST / 2, "{:?}", began.elapsed());
        let message = hold(&lock, &|| false).expect_err("held").to_string();
        assert!(began.elapsed() < 4 * LONGEST, "{:?}", began.elapsed());
        assert_eq!(
            message,
            format!(
                "another program holds {} and does not release it; close other notebooks or delete \
                 that file, then try again",
                lock.display()
            )
        );
        drop(held);
        drop(hold(&lock, &|| false).expect("free again"));
    }

    #[test]
    fn what_is_no_regular_file_is_neither_waited_for_nor_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["pipe", "link", "folder"];
        let [pipe, link, inner] = names.map(|name| folder.path().join(name));
        let others = folder.path().join("others");
        make_pipe(&pipe);
        symlink(&others, &link).expect("a link");
        fs::create_dir(&inner).expect("a folder");
        for path in [pipe, link, inner] {
            let error = hold(&path, &|| false).expect_err("none");
            assert_eq!(error.to_string(), format!("cannot use {}", path.display()));
            let source = error.source().map(ToString::to_string);
            let expected = "it is not a regular file; move it out of the way".to_owned();
            assert_eq!(source, Some(expected));
            assert!(!is_denied(&path));
        }
        assert!(!others.exists());
    }

    #[test]
    fn a_lock_in_a_folder_that_is_not_there_has_the_systems_message() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = hold(&folder.path().join("none/a.lock"), &|| false).expect_err("none");
        let source = error.source().map(ToString::to_string).unwrap_or_default();
        assert!(source.contains("No such file"), "{source}");
    }
}
