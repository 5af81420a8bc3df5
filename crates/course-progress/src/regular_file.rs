//! Reading a file that may turn out to be something else.

use crate::error::Error;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
