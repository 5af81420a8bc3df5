//! The folder of the site: files are overwritten one by one, and outdated ones are deleted at the
//! end.

use anyhow::{Context, Result, bail};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Marks a folder as one that `site` may write to.
const MARK: &str = ".made-by-attention-notebooks";

/// A site that is being written.
pub struct Site {
    folder: PathBuf,
    written: RefCell<BTreeSet<PathBuf>>,
}

impl Site {
    /// Begins a site in a folder that is empty, does not exist, or contains an earlier site.
    pub fn begin(folder: &Path) -> Result<Site> {
        let mut entries = folder.read_dir().ok().into_iter().flatten();
        if entries.next().is_some() && !folder.join(MARK).exists() {
            bail!(
                "{} has files that are not of a site; give a new or empty folder",
                folder.display()
            );
        }
        let site = Site {
            folder: folder.to_owned(),
            written: RefCell::default(),
        };
        site.write(MARK, "")?;
        site.write(".nojekyll", "")?; // makes GitHub Pages serve the files unchanged
        Ok(site)
    }

    /// Writes a file, at a path inside the folder.
    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> Result<()> {
        let file = self.folder.join(path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&file, contents))
            .with_context(|| format!("{} cannot be written", file.display()))?;
        self.written.borrow_mut().insert(file);
        Ok(())
    }

    /// Writes a file named after its contents, and returns its path.
    pub fn write_named(&self, contents: &str, extension: &str) -> Result<String> {
        let mut hasher = DefaultHasher::new();
        contents.hash(&mut hasher);
        let path = format!("pictures/{:016x}.{extension}", hasher.finish());
        self.write(&path, contents)?;
        Ok(path)
    }

    /// Copies a file to a path inside the folder.
    pub fn copy(&self, from: &Path, to: &str) -> Result<()> {
        let contents = fs::read(from).with_context(|| format!("{}", from.display()))?;
        self.write(to, contents)
    }

    /// Deletes files of an earlier site that are not part of this one.
    pub fn end(self) -> Result<()> {
        let mut folders = vec![self.folder.clone()];
        let written = self.written.borrow();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let (path, kind) = entry.and_then(|one| Ok((one.path(), one.file_type()?)))?;
                match kind.is_dir() {
                    true => folders.push(path),
                    false if written.contains(&path) => {}
                    false => fs::remove_file(path)?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_of_a_site_is_written_to_and_old_files_go() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |path: &str| folder.path().join(path);
        fs::write(at("mine.txt"), "mine")?;
        assert!(Site::begin(folder.path()).is_err());
        assert!(at("mine.txt").exists());
        fs::remove_file(at("mine.txt"))?;
        let site = Site::begin(folder.path())?;
        site.write("a/old.html", "old")?;
        site.end()?;
        let site = Site::begin(folder.path())?;
        let path = site.write_named("<svg/>", "svg")?;
        site.end()?;
        assert!(!at("a/old.html").exists());
        assert_eq!(fs::read_to_string(at(&path))?, "<svg/>");
        Ok(())
    }
}
