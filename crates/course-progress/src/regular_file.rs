//! Reads a file that may turn out to be a pipe, a device or something else.

use crate::error::Error;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The size limit in bytes, more than any course needs: a learner can write anything into a file
/// that a teacher reads.
const LARGEST: u64 = 4 << 20;

/// The contents of a regular file; does not wait for a pipe or read a device endlessly.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    read_if(path, |_| true)
}

/// The contents of a regular file that belongs to the user `owner`.
pub(crate) fn read_of(owner: u32, path: &Path) -> Result<String, Error> {
    read_if(path, |metadata| metadata.uid() == owner)
}

fn read_if(path: &Path, is_owned: impl Fn(&Metadata) -> bool) -> Result<String, Error> {
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(Error::io(path))?;
    let metadata = file.metadata().map_err(Error::io(path))?;
    if !metadata.is_file() {
        return Err(Error::not_progress(path, "it is not a regular file"));
    }
    if !is_owned(&metadata) {
        return Err(Error::not_progress(path, "it belongs to another user"));
    }
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    match read {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Error::not_progress(path, "it is not UTF-8"))
        }
        Ok(bytes) if bytes as u64 > LARGEST => {
            let megabytes = LARGEST >> 20;
            let reason = format!("it is larger than {megabytes} MB");
            Err(Error::not_progress(path, reason))
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
        let long = File::create(&path).expect("a file");
        long.set_len(LARGEST).expect("a long file");
        assert!(read(&path).is_ok());
        long.set_len(LARGEST + 1).expect("a longer file");
        let message = read(&path).expect_err("too long").to_string();
        assert!(message.contains("it is larger than 4 MB"), "{message}");
        if cfg!(target_os = "linux") {
            // A regular file, but nothing can be read at its beginning.
            let message = read(Path::new("/proc/self/mem")).expect_err("no memory");
            assert!(!message.to_string().contains("UTF-8"), "{message}");
        }
    }
}
