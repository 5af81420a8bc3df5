//! A learner's file, which several processes may change at once.

use crate::error::Error;
use crate::lock;
use crate::progress::{Progress, SCHEMA};
use crate::regular_file;
use exact_json::Json;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Environment variables with the user's name. On a Hub, many learners may share one account on the
/// machine, but each has a separate name on the Hub.
const USER: [&str; 4] = ["JUPYTERHUB_USER", "USER", "LOGNAME", "USERNAME"];

/// The learner's name if the environment does not contain a user's name.
const UNNAMED: &str = "learner";

/// The folder for progress: `progress` in a shared folder or, if this user may not write
/// there, `APPLICATION/progress` in the user's data folder, `XDG_DATA_HOME` or `~/.local/share`.
pub fn folder(shared: &Path, application: &str) -> PathBuf {
    folder_with(shared, application, |name| env::var_os(name))
}

/// [`folder`] with these environment variables.
fn folder_with(
    shared: &Path,
    application: &str,
    variables: impl Fn(&str) -> Option<OsString>,
) -> PathBuf {
    let folder = shared.join("progress");
    if may_write(&folder) {
        return folder;
    }
    let variable = |name| {
        variables(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let in_home = || variable("HOME").map(|home| home.join(".local/share"));
    let data = variable("XDG_DATA_HOME").or_else(in_home);
    data.map_or(folder, |data| data.join(application).join("progress"))
}

/// Whether this user may write to a folder, which is created if it does not exist. Any other
/// obstacle is reported when something is written.
fn may_write(folder: &Path) -> bool {
    fs::create_dir_all(folder).is_ok() && !lock::is_denied(&lock_of(&path(folder)))
}

/// The file of this user in a folder.
pub fn path(folder: &Path) -> PathBuf {
    let mut names = USER.iter().filter_map(|name| env::var(name).ok());
    let user = names.find(|name| !name.is_empty());
    path_of(folder, user.as_deref().unwrap_or(UNNAMED))
}

/// A learner's file in a folder. Characters that could lead to another folder or to a hidden file
/// are written as `%` and two hexadecimal digits, so that no two learners share a file.
///
/// ```
/// use course_progress::{learner, path_of};
/// use std::path::Path;
///
/// let path = path_of(Path::new("progress"), "Ann Smith");
/// assert_eq!(path, Path::new("progress/Ann%20Smith.json"));
/// assert_eq!(learner(&path), "Ann Smith");
/// ```
pub fn path_of(folder: &Path, learner: &str) -> PathBuf {
    let mut name = String::new();
    for (place, c) in learner.char_indices() {
        if c.is_alphanumeric() || "_-@".contains(c) || c == '.' && place > 0 {
            name.push(c);
        } else {
            let bytes = c.to_string().into_bytes();
            name.extend(bytes.iter().map(|byte| format!("%{byte:02X}")));
        }
    }
    folder.join(name + ".json")
}

/// The learner to whom a file belongs, according to its name.
pub fn learner(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| first == b'%');
        let code = digits.and_then(|digits| str::from_utf8(digits).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A separate file, because the progress file is replaced and so cannot be locked.
fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

/// The progress of this user; empty if there is no file yet.
///
/// # Errors
///
/// If the file cannot be read, or was not written by [`update`].
pub fn read(folder: &Path) -> Result<Progress, Error> {
    Ok(read_if_there(&path(folder))?.map_or_else(Progress::default, |(progress, _)| progress))
}

/// The progress in any user's file.
///
/// # Errors
///
/// If there is no such file, or for the same reasons as [`read`].
pub fn read_file(path: &Path) -> Result<Progress, Error> {
    let (progress, _) = parse(path, &regular_file::read(path)?)?;
    Ok(progress)
}

/// The progress in another user's file. A file that does not belong to `owner` is rejected: a
/// caller who may read all files must not mistake a link to another learner's file for this
/// learner's own.
///
/// # Errors
///
/// If the file does not belong to `owner`, or for the same reasons as [`read_file`].
pub fn read_file_of(owner: u32, path: &Path) -> Result<Progress, Error> {
    let (progress, _) = parse(path, &regular_file::read_of(owner, path)?)?;
    Ok(progress)
}

fn read_if_there(path: &Path) -> Result<Option<(Progress, Json)>, Error> {
    match regular_file::read(path) {
        Err(error) if error.is_of_nothing() => Ok(None),
        text => {
            let read = text.and_then(|text| parse(path, &text));
            read.map(Some).map_err(Error::with_advice)
        }
    }
}

/// The progress in a file, and the file's complete contents.
fn parse(path: &Path, text: &str) -> Result<(Progress, Json), Error> {
    let not = |reason: String| Error::not_progress(path, reason);
    let progress: Progress = serde_json::from_str(text).map_err(|error| not(error.to_string()))?;
    if progress.schema != SCHEMA {
        let other = progress.schema;
        return Err(not(format!("its schema is {other}, not {SCHEMA}")));
    }
    let written = Json::read(text).map_err(|error| not(error.to_string()))?;
    Ok((progress, written))
}

/// Changes this user's progress, creating the folder if necessary, and returns what
/// `change` returns. Concurrent updates wait. Any other contents of the file are kept.
///
/// # Errors
///
/// For the same reasons as [`read`], if the file cannot be written, or if another program holds
/// its lock for more than five seconds; the file is then left unchanged.
pub fn update<T>(folder: &Path, change: impl FnOnce(&mut Progress) -> T) -> Result<T, Error> {
    update_unless(&|| false, folder, change)
}

/// [`update`], but stops waiting for other programs as soon as `stopped` returns true.
///
/// # Errors
///
/// Same as [`update`].
pub fn update_unless<T>(
    stopped: &dyn Fn() -> bool,
    folder: &Path,
    change: impl FnOnce(&mut Progress) -> T,
) -> Result<T, Error> {
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let path = path(folder);
    let _held = lock::hold(&lock_of(&path), stopped)?;
    let (mut progress, mut written) = match read_if_there(&path)? {
        Some(read) => read,
        None => (Progress::default(), Json::Object(Vec::new())),
    };
    let result = change(&mut progress);
    let now = serde_json::to_value(&progress).map_err(|error| Error::io(&path)(error.into()))?;
    written.take_over(&now);
    if let Some(entries) = written.get_mut("entries") {
        entries.retain(|name| progress.entries.contains_key(name));
    }
    write(&path, &written)?;
    Ok(result)
}

/// Writes progress that was made elsewhere, replacing the contents of the file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_file(path: &Path, progress: &Progress) -> Result<(), Error> {
    let value = serde_json::to_value(progress).map_err(|error| Error::io(path)(error.into()))?;
    write(path, &Json::from(&value))
}

fn write(path: &Path, json: &Json) -> Result<(), Error> {
    let text = json.pretty("  ") + "\n";
    atomic_file::write(path, text.as_bytes()).map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::ExerciseState;
    use std::collections::BTreeSet;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn solve(folder: &Path) -> Result<(), Error> {
        update(folder, |progress| {
            progress.record("x", ExerciseState::Right)
        })
    }

    #[test]
    fn a_file_that_is_not_progress_is_left_untouched() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["no JSON", r#"{"schema": 2, "entries": {}}"#, "\u{0}"] {
            fs::write(path(folder.path()), text).expect("written");
            let message = solve(folder.path()).expect_err("it is none").to_string();
            assert!(message.contains("is not a progress file: "), "{message}");
            assert!(
                message.ends_with("; move it out of the way to start over"),
                "{message}"
            );
            let kept = fs::read_to_string(path(folder.path())).expect("a file");
            assert_eq!(kept, text);
        }
    }

    #[test]
    fn what_the_file_says_besides_stays_digit_for_digit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(folder.path());
        let text = r#"{
  "class": "7b",
  "schema": 1,
  "entries": {
    "y": {
      "state": "open",
      "attempts": 0,
      "hints": 1,
      "changed": 7,
      "mark": 0.1000000000000000055,
      "corrected": false
    },
    "z": {
      "state": "open",
      "attempts": 0,
      "hints": 1,
      "changed": 7
    }
  },
  "id": 123456789012345678901234567890
}
"#;
        fs::write(&file, text).expect("written");
        update(folder.path(), |progress| progress.reset("z")).expect("saved");
        let without_z =
            text.find(",\n    \"z\"").expect("z")..text.find("\n  },").expect("its end");
        let mut expected = text.to_owned();
        expected.replace_range(without_z, "");
        assert_eq!(fs::read_to_string(&file).expect("a file"), expected);
        solve(folder.path()).expect("saved");
        let now = fs::read_to_string(&file).expect("a file");
        let [before, after] = expected.split("\n  },").collect::<Vec<_>>()[..] else {
            panic!("{expected}");
        };
        assert!(now.starts_with(before) && now.ends_with(after), "{now}");
        assert_eq!(read(folder.path()).expect("a file").entries.len(), 2);
    }

    #[test]
    fn links_and_rights_stay_and_no_other_link_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let (file, real) = (path(folder.path()), elsewhere.path().join("mine"));
        let others = elsewhere.path().join("others");
        fs::write(&others, "something else").expect("written");
        symlink(&real, &file).expect("a link");
        for beside in [&file, &real] {
            symlink(&others, beside.with_extension("unfinished")).expect("a link");
        }
        solve(folder.path()).expect("saved");
        assert!(file.symlink_metadata().expect("a link").is_symlink());
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        solve(folder.path()).expect("saved");
        assert!(file.symlink_metadata().expect("a link").is_symlink());
        assert_eq!(read_file(&real).expect("a file").entries["x"].attempts, 2);
        let mode = real.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let kept = fs::read_to_string(others).expect("a file");
        assert_eq!(kept, "something else");
    }

    #[test]
    fn progress_from_elsewhere_replaces_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        solve(folder.path()).expect("saved");
        let mut elsewhere = Progress::default();
        elsewhere.record("y", ExerciseState::Wrong);
        let file = path(folder.path());
        write_file(&file, &elsewhere).expect("written");
        assert_eq!(read_file(&file).expect("a file"), elsewhere);
    }

    #[test]
    fn what_is_no_regular_file_is_said_to_be_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(folder.path());
        lock::make_pipe(&file);
        let not = "is not a progress file: it is not a regular file";
        let message = read_file(&file).expect_err("a pipe").to_string();
        assert!(message.contains(not), "{message}");
        fs::remove_file(&file).expect("removed");
        fs::create_dir(&file).expect("a folder");
        let message = solve(folder.path()).expect_err("a folder").to_string();
        assert!(message.contains(not), "{message}");
    }

    #[test]
    fn progress_is_shared_or_else_in_the_users_data_folder() {
        let temporary = tempfile::tempdir().expect("a folder");
        let shared = temporary.path().join("shared");
        let among = |shared: &Path, variables: &[(&str, &str)]| {
            folder_with(shared, "lessons", |name| {
                let found = variables.iter().find(|variable| variable.0 == name);
                found.map(|variable| variable.1.into())
            })
        };
        let both = [("XDG_DATA_HOME", "/data"), ("HOME", "/home/me")];
        assert_eq!(among(&shared, &both), shared.join("progress"));
        // No folder can be created under a file.
        let file = temporary.path().join("file");
        std::fs::write(&file, "").expect("a file");
        let below = |variables: &[(&str, &str)]| among(&file, variables);
        assert_eq!(below(&both), Path::new("/data/lessons/progress"));
        let in_home = Path::new("/home/me/.local/share/lessons/progress");
        assert_eq!(below(&both[1..]), in_home);
        assert_eq!(below(&[("XDG_DATA_HOME", ""), both[1]]), in_home);
        assert_eq!(below(&[]), file.join("progress"));
    }

    #[test]
    fn every_learner_has_a_file_of_their_own_in_the_folder() {
        let folder = Path::new("progress");
        let learners = [
            "me-2.a_b",
            "ann@example.org",
            "Ann Smith",
            "a/b",
            "a%2Fb",
            "a b",
            ".hidden",
            "../other",
            "..",
            "Zoë",
            "100%",
            "%zz",
            "line\nbreak",
        ];
        let paths = learners.map(|learner| path_of(folder, learner));
        for (path, learner) in paths.iter().zip(learners) {
            assert_eq!(path.parent(), Some(folder), "{learner}");
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            assert!(!name.starts_with('.') && !name.contains('\n'), "{name}");
            assert_eq!(super::learner(path), learner);
        }
        let different: BTreeSet<&PathBuf> = paths.iter().collect();
        assert_eq!(different.len(), learners.len());
        assert_eq!(path_of(folder, "me-2.a_b"), folder.join("me-2.a_b.json"));
    }

    #[test]
    fn a_link_to_another_users_file_is_not_read_for_this_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path_of(folder.path(), "ada");
        fs::write(&file, r#"{ "schema": 1, "entries": {} }"#).expect("written");
        let owner = file.metadata().expect("a file").uid();
        assert!(read_file_of(owner, &file).is_ok());
        let message = read_file_of(owner + 1, &file).expect_err("another's");
        assert!(message.to_string().contains("belongs to another user"));
    }

    #[test]
    fn concurrent_changes_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let change = |name: String| {
            update(folder.path(), |progress| {
                progress.record(&name, ExerciseState::Wrong)
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
