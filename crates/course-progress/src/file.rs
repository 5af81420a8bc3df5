//! The file of one learner, which several processes may change at once.

use crate::error::Error;
use crate::progress::{Progress, SCHEMA};
use std::env;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where the names of users are found.
const USER: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// The folder for progress: `progress` in a shared folder, or, where this user may not write
/// there, `APPLICATION/progress` among the user's data: in `XDG_DATA_HOME` or `~/.local/share`.
pub fn folder(shared: &Path, application: &str) -> PathBuf {
    let folder = shared.join("progress");
    if may_write(&folder) {
        return folder;
    }
    let variable = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let in_home = || variable("HOME").map(|home| home.join(".local/share"));
    let data = variable("XDG_DATA_HOME").or_else(in_home);
    data.map_or(folder, |data| data.join(application).join("progress"))
}

/// Whether this user may write into a folder, which is made if there is none.
fn may_write(folder: &Path) -> bool {
    let lock = path(folder).with_extension("lock");
    fs::create_dir_all(folder).is_ok() && File::create(lock).is_ok()
}

/// The file of this user in a folder.
pub fn path(folder: &Path) -> PathBuf {
    let user = USER.iter().find_map(|name| env::var(name).ok());
    let is_plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    // A name must not lead to another folder, nor to a hidden file.
    let user = user.filter(|user| user.chars().all(is_plain) && !user.starts_with('.'));
    let user = user.filter(|user| !user.is_empty());
    folder.join(format!("{}.json", user.as_deref().unwrap_or("learner")))
}

/// What is in the file of this user; nothing yet if there is none.
///
/// # Errors
///
/// If the file cannot be read, or is not what [`update`] has written.
pub fn read(folder: &Path) -> Result<Progress, Error> {
    let path = path(folder);
    if let Err(error) = fs::metadata(&path)
        && error.kind() == ErrorKind::NotFound
    {
        return Ok(Progress::default());
    }
    read_file(&path)
}

/// What is in the file of any user.
///
/// # Errors
///
/// If there is no such file, and as for [`read`].
pub fn read_file(path: &Path) -> Result<Progress, Error> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    let not = |reason: String| {
        let path = path.to_owned();
        Error::NotProgress { path, reason }
    };
    let progress: Progress = serde_json::from_str(&text).map_err(|error| not(error.to_string()))?;
    match progress.schema {
        SCHEMA => Ok(progress),
        other => Err(not(format!("its schema is {other}, not {SCHEMA}"))),
    }
}

/// Changes what is in the file of this user, makes the folder if there is none, and returns what
/// `change` returns. Others who change it wait.
///
/// # Errors
///
/// As for [`read`], and if the file cannot be written; then it stays as it was.
pub fn update<T>(folder: &Path, change: impl FnOnce(&mut Progress) -> T) -> Result<T, Error> {
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let path = path(folder);
    // The file itself is replaced, and so cannot be locked.
    let lock = path.with_extension("lock");
    let lock_file = File::create(&lock).map_err(Error::io(&lock))?;
    lock_file.lock().map_err(Error::io(&lock))?;
    let mut progress = read(folder)?;
    let result = change(&mut progress);
    // Nobody else writes under this name while the lock is held.
    let unfinished = path.with_extension("unfinished");
    write(&unfinished, &progress).map_err(Error::io(&unfinished))?;
    fs::rename(&unfinished, &path).map_err(Error::io(&path))?;
    Ok(result)
}

fn write(path: &Path, progress: &Progress) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(serde_json::to_string_pretty(progress)?.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::State;

    #[test]
    fn a_file_that_is_none_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["no JSON", r#"{"schema": 2, "entries": {}}"#] {
            fs::write(path(folder.path()), text).expect("written");
            let refused = update(folder.path(), |progress| progress.record("x", State::Right));
            let message = refused.expect_err("it is none").to_string();
            assert!(message.contains("is no file of progress: "), "{message}");
            let kept = fs::read_to_string(path(folder.path())).expect("a file");
            assert_eq!(kept, text);
        }
    }

    #[test]
    fn many_who_change_it_at_once_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let change = |name: String| {
            update(folder.path(), |progress| {
                progress.record(&name, State::Wrong)
            })
            .expect("saved");
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || (0..25).for_each(|i| change(format!("{thread} {i}"))));
            }
        });
        assert_eq!(read(folder.path()).expect("a file").entries.len(), 100);
    }
}
