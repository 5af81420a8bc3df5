//! Folders: copied, deleted.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// A file in each workspace that is locked as long as its kernel lives.
pub const OWNER: &str = "owner.lock";

/// Copies a folder, except for its owner's lock.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    copy_tree(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies with the times of the files, by which cargo tells what is up to date.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if entry.file_name() != OWNER {
            fs::copy(entry.path(), &target)?;
            let modified = entry.metadata()?.modified()?;
            File::options()
                .append(true)
                .open(&target)?
                .set_modified(modified)?;
        }
    }
    Ok(())
}

/// Deletes a folder that may not be there.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// A path as it stands in a manifest.
pub fn utf8(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_has_the_times_of_the_files_and_no_lock() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::create_dir(from.path().join("inner"))?;
        let file = from.path().join("inner/lib.rs");
        fs::write(&file, "text")?;
        fs::write(from.path().join(OWNER), "")?;
        let a_day_ago = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        File::options()
            .append(true)
            .open(&file)?
            .set_modified(a_day_ago)?;
        copy_folder(from.path(), to.path())?;
        let copy = to.path().join("inner/lib.rs");
        assert_eq!(fs::read_to_string(&copy)?, "text");
        assert_eq!(copy.metadata()?.modified()?, file.metadata()?.modified()?);
        assert!(!to.path().join(OWNER).exists());
        Ok(())
    }
}
