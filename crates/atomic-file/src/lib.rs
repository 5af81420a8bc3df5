#![doc = include_str!("../README.md")]

use std::fs::{self, File, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes to a temporary file in the same folder and renames it into place.
///
/// # Errors
/// If the file cannot be written, is read-only or is not a regular file. An existing file at `path`
/// is then left unchanged, and the temporary one is removed.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(&target(path), content)
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let permissions = match fs::metadata(path) {
        Ok(old) if old.permissions().readonly() => {
            let message = "the existing file is read-only";
            return Err(io::Error::new(ErrorKind::PermissionDenied, message));
        }
        Ok(old) if !old.is_file() => {
            let message = "the path exists but is not a regular file";
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
        Ok(old) => Some(old.permissions()),
        Err(_) => None,
    };
    let (mut file, unfinished) = create_beside(path)?;
    fill(&mut file, content, permissions)
        .and_then(|()| fs::rename(&unfinished, path))
        .inspect_err(|_| {
            let _ = fs::remove_file(&unfinished); // report the original error, not this one
        })
}

fn fill(file: &mut File, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(content)?;
    file.sync_all()
}

/// The file that a symbolic link at `path` points to, or `path` itself.
fn target(path: &Path) -> PathBuf {
    let linked = || {
        let target = fs::read_link(path).ok()?; // a link whose target does not exist yet
        Some(path.parent()?.join(target))
    };
    fs::canonicalize(path).unwrap_or_else(|_| linked().unwrap_or_else(|| path.to_owned()))
}

/// A new file in the same folder, with an unpredictable name.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let drawn = RandomState::new().hash_one(path);
        let unfinished = path.with_file_name(format!(".{drawn:016x}.unfinished"));
        match File::create_new(&unfinished) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return Ok((created?, unfinished)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// An empty folder of this test program.
    fn folder(name: &str) -> PathBuf {
        let name = format!("atomic-file-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder); // usually it does not exist
        fs::create_dir(&folder).expect("a folder");
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().expect("a folder").flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn save(path: &Path, content: &str) -> io::Result<()> {
        write(path, content.as_bytes())
    }

    #[test]
    fn links_and_rights_stay() {
        let folder = folder("links");
        let [file, link, early] = ["file", "link", "early"].map(|name| folder.join(name));
        save(&file, "old").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("set");
        symlink("file", &link).expect("a link");
        symlink("later", &early).expect("a link");
        save(&link, "new").expect("written");
        save(&early, "new").expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "new");
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        for link in [link, early] {
            assert!(link.symlink_metadata().expect("a link").is_symlink());
        }
        assert_eq!(names(&folder), ["early", "file", "later", "link"]);
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_read_only_file_stays_and_so_does_what_lies_beside() {
        let folder = folder("read-only");
        let [file, beside] = ["file", "file.unfinished"].map(|name| folder.join(name));
        fs::write(&beside, "another program's").expect("written");
        save(&file, "old").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o400)).expect("set");
        let message = save(&file, "new").expect_err("read-only").to_string();
        assert_eq!(message, "the existing file is read-only");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "old");
        assert!(save(&folder, "new").is_err(), "a folder");
        assert_eq!(names(&folder), ["file", "file.unfinished"]);
        let content = fs::read_to_string(beside).expect("a file");
        assert_eq!(content, "another program's");
        fs::remove_dir_all(folder).expect("removed");
    }
}
