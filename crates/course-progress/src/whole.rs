//! Files that are read and replaced as a whole.

use crate::error::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The contents of a regular file; does not wait for a pipe or read a device endlessly.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let mut file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(Error::io(path))?;
    let metadata = file.metadata().map_err(Error::io(path))?;
    if !metadata.is_file() {
        return Err(Error::not_progress(path, "it is not a regular file"));
    }
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Error::not_progress(path, "it is not UTF-8"))
        }
        read => read.map(|_| text).map_err(Error::io(path)),
    }
}

/// Replaces the file at `path` by one with this text and the same permissions. If `path` is a
/// symbolic link, its target is replaced. The lock must be held.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let path = target(path);
    let unfinished = unfinished(&path);
    replace(&path, &unfinished, text).map_err(Error::io(&path))
}

fn replace(path: &Path, unfinished: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {} // a leftover of a process that was killed
    }
    let mut file = File::create_new(unfinished)?; // does not follow links
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// The file that a symbolic link at `path` points to, or `path` itself.
fn target(path: &Path) -> PathBuf {
    let linked = || {
        let target = fs::read_link(path).ok()?; // a link whose target does not exist yet
        Some(path.parent()?.join(target))
    };
    fs::canonicalize(path).unwrap_or_else(|_| linked().unwrap_or_else(|| path.to_owned()))
}

/// The temporary file that is written first.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.unfinished"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("me.json");
        fs::write(&path, b"\xff").expect("written");
        let message = read(&path).expect_err("no text").to_string();
        assert!(message.contains("it is not UTF-8"), "{message}");
        if cfg!(target_os = "linux") {
            // A regular file, but nothing can be read at its beginning.
            let message = read(Path::new("/proc/self/mem")).expect_err("no memory");
            assert!(!message.to_string().contains("UTF-8"), "{message}");
        }
    }
}
