//! Memory-mapped files: their pages are read when they are first used, and shared by all programs
//! that use them, so that ten notebooks need only the memory of one.

#![allow(unsafe_code, reason = "the operating system lends the bytes of a file")]

use std::io;
use std::path::Path;
use std::sync::Arc;

/// The bytes of a file, shared by everything built from them.
pub(crate) type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The bytes of a whole file, without copying them.
#[cfg(not(target_family = "wasm"))]
pub(super) fn map(path: &Path) -> io::Result<Bytes> {
    let file = std::fs::File::open(path)?;
    // SAFETY: the bytes must not change while they are borrowed. Each of the model's files is
    // complete when it is renamed into its folder, and is never written to again; replacing or
    // deleting it leaves the mapped pages as they are. Only a program that overwrites the file in
    // place could change them. Any bytes are valid numbers, so only the results would be wrong; if
    // the file were truncated, the system would kill this process.
    let file = unsafe { memmap2::Mmap::map(&file) }?;
    Ok(Arc::new(file))
}

/// The bytes of a whole file, copied: WebAssembly cannot map files.
#[cfg(target_family = "wasm")]
pub(super) fn map(path: &Path) -> io::Result<Bytes> {
    Ok(Arc::new(std::fs::read(path)?))
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
        assert_eq!((*bytes).as_ref(), b"numbers");
        assert!(map(&path).is_err());
        Ok(())
    }
}
