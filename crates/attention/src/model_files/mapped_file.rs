//! A file as memory: its pages are read when they are first used, and shared by all programs that
//! use them, so that ten notebooks need the memory of one.

#![allow(unsafe_code, reason = "the operating system lends the bytes of a file")]

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;

/// The bytes of a whole file, without copying them.
pub(super) fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the bytes must not change while they are borrowed. The model's files are put into
    // their folder complete, by renaming, and are never written to again; replacing or deleting one leaves
    // the mapped pages as they are. Only a program that overwrites the file in place could change
    // them, and any bytes are valid numbers: results would be wrong, and nothing else.
    unsafe { Mmap::map(&file) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_bytes_are_those_of_the_file_even_after_it_is_deleted() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("attention-mapped-{}", std::process::id()));
        fs::write(&path, b"numbers")?;
        let bytes = map(&path)?;
        fs::remove_file(&path)?;
        assert_eq!(&bytes[..], b"numbers");
        assert!(map(&path).is_err());
        Ok(())
    }
}
