//! A file that is read, and later replaced as a whole unless another program has changed it.

use anyhow::{Context, Result, bail};
use rustix::fs::{Access, OFlags, access};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// A file and its contents when it was read.
pub struct ReplacedFile {
    /// The path as given on the command line.
    path: PathBuf,
    /// The path with symbolic links resolved, so that links are preserved.
    real: PathBuf,
    contents: Vec<u8>,
}

impl ReplacedFile {
    pub fn read(path: &Path) -> io::Result<ReplacedFile> {
        let path = path.to_owned();
        let real = fs::canonicalize(&path)?;
        let contents = read(&real)?;
        Ok(ReplacedFile {
            path,
            real,
            contents,
        })
    }

    /// The path as given on the command line.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// Fails if this user may not replace the file, or if it is not a regular file.
    pub fn check_replaceable(&self) -> Result<()> {
        let path = self.path.display();
        let metadata = fs::metadata(&self.real).with_context(|| format!("{path} is gone"))?;
        if !metadata.is_file() {
            bail!("{path} is not a regular file, so nothing can be stored in it");
        }
        // Root can write to any file, but should respect a read-only flag.
        if metadata.permissions().readonly() || access(&self.real, Access::WRITE_OK).is_err() {
            bail!(
                "{path} is read-only, so nothing can be stored in it; `chmod u+w {path}` makes it \
                 writable"
            );
        }
        if access(self.folder(), Access::WRITE_OK).is_err() {
            bail!(
                "{path} cannot be replaced, because its folder {} is read-only",
                self.folder().display()
            );
        }
        Ok(())
    }

    /// Replaces the file's contents and keeps its permissions. If anything fails, the file is left
    /// unchanged.
    pub fn replace(&self, contents: &[u8]) -> Result<()> {
        self.check_replaceable()?;
        let path = self.path.display();
        let replaced = self.write(contents);
        match replaced.with_context(|| format!("cannot write {path}"))? {
            true => Ok(()),
            false => bail!(
                "{path} has been changed by another program, so nothing was stored in it; \
                 run the command again"
            ),
        }
    }

    /// Writes to a temporary file first; returns `false` if another program has changed the file.
    fn write(&self, contents: &[u8]) -> io::Result<bool> {
        let mut unfinished = tempfile::Builder::new()
            .prefix(".")
            .suffix(".unfinished")
            .tempfile_in(self.folder())?; // deleted when dropped
        unfinished.write_all(contents)?;
        let metadata = fs::metadata(&self.real)?;
        let owner = (Some(metadata.uid()), Some(metadata.gid()));
        let _ = fchown(unfinished.as_file(), owner.0, owner.1); // only root may do this, and usually it changes nothing
        let permissions = metadata.permissions();
        unfinished.as_file().set_permissions(permissions)?;
        unfinished.as_file().sync_all()?;
        // If two writers get here, the first holds the lock until its file is in place.
        let lock = open(&self.real)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Ok(false);
        }
        let current = read(&self.real)?;
        let is_unchanged = current == self.contents;
        if is_unchanged {
            unfinished.persist(&self.real)?;
        }
        Ok(is_unchanged || current == contents)
    }

    fn folder(&self) -> &Path {
        match self.real.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }
}

/// The contents of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    open(path)?.read_to_end(&mut contents)?;
    Ok(contents)
}

/// Opens a file, but only a regular one: a pipe could wait for a writer forever, and a device may
/// have no end.
fn open(path: &Path) -> io::Result<File> {
    let file = File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits() as i32)
        .open(path)?;
    let kind = file.metadata()?.file_type();
    match kind {
        kind if kind.is_file() => Ok(file),
        kind if kind.is_dir() => Err(io::Error::other("it is a folder")),
        _ => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    use tempfile::{TempDir, tempdir};

    fn file(text: &str, mode: u32) -> Result<(TempDir, PathBuf)> {
        let folder = tempdir()?;
        let path = folder.path().join("a.ipynb");
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(mode))?;
        Ok((folder, path))
    }

    /// The names in a folder.
    fn names(folder: &TempDir) -> Result<Vec<String>> {
        let entries: io::Result<Vec<_>> = folder.path().read_dir()?.collect();
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries?.into_iter().map(name).collect();
        names.sort();
        Ok(names)
    }

    /// A hard link shows whether the file was replaced or overwritten.
    #[test]
    fn links_rights_and_what_lies_beside_stay() -> Result<()> {
        let (folder, path) = file("old", 0o640)?;
        let [link, beside, second] =
            ["link.ipynb", "a.ipynb.new", "second"].map(|name| folder.path().join(name));
        symlink("a.ipynb", &link)?;
        fs::write(&beside, "somebody's own")?;
        fs::hard_link(&path, &second)?;
        ReplacedFile::read(&link)?.replace(b"new")?;
        assert!(link.symlink_metadata()?.is_symlink());
        assert_eq!(fs::read_to_string(&path)?, "new");
        assert_eq!(path.metadata()?.permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(second)?, "old");
        assert_eq!(fs::read_to_string(beside)?, "somebody's own");
        let expected = ["a.ipynb", "a.ipynb.new", "link.ipynb", "second"];
        assert_eq!(names(&folder)?, expected);
        Ok(())
    }

    #[test]
    fn a_read_only_file_stays() -> Result<()> {
        let (folder, path) = file("old", 0o400)?;
        let message = format!(
            "{0} is read-only, so nothing can be stored in it; `chmod u+w {0}` makes it writable",
            path.display()
        );
        let read = ReplacedFile::read(&path)?;
        for refused in [read.check_replaceable(), read.replace(b"new")] {
            assert_eq!(refused.expect_err("read-only").to_string(), message);
        }
        assert_eq!(fs::read_to_string(&path)?, "old");
        assert_eq!(path.metadata()?.permissions().mode() & 0o777, 0o400);
        assert_eq!(names(&folder)?, ["a.ipynb"]);
        Ok(())
    }

    #[test]
    fn what_another_program_saved_in_the_meantime_survives() -> Result<()> {
        let (folder, path) = file("old", 0o644)?;
        let [first, second] = [ReplacedFile::read(&path)?, ReplacedFile::read(&path)?];
        first.replace(b"first")?;
        let refused = second.replace(b"second").expect_err("changed").to_string();
        let message = "has been changed by another program, so nothing was stored in it; run \
                       the command again";
        assert_eq!(refused, format!("{} {message}", path.display()));
        assert_eq!(fs::read_to_string(&path)?, "first");
        assert_eq!(names(&folder)?, ["a.ipynb"]);
        second.replace(b"first")?;
        Ok(())
    }

    #[test]
    fn what_another_program_is_about_to_replace_stays() -> Result<()> {
        let (folder, path) = file("old", 0o644)?;
        let read = ReplacedFile::read(&path)?;
        let other = File::open(&path)?;
        other.lock_shared()?;
        let refused = read.replace(b"new").expect_err("locked").to_string();
        assert!(
            refused.contains("has been changed by another program"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&path)?, "old");
        assert_eq!(names(&folder)?, ["a.ipynb"]);
        // Dropping it is not enough: a process just forked by another test may hold a copy.
        other.unlock()?;
        read.replace(b"new")
    }

    #[test]
    fn a_file_that_is_gone_or_none_is_said_to_be() -> Result<()> {
        let (folder, path) = file("old", 0o644)?;
        let read = ReplacedFile::read(&path)?;
        fs::remove_file(&path)?;
        let refused = read.replace(b"new").expect_err("gone").to_string();
        assert_eq!(refused, format!("{} is gone", path.display()));
        fs::create_dir(&path)?;
        let refused = read.replace(b"new").expect_err("a folder").to_string();
        assert!(refused.contains("is not a regular file"), "{refused}");
        assert_eq!(names(&folder)?, ["a.ipynb"]);
        Ok(())
    }

    #[test]
    fn what_has_no_end_is_not_read() -> Result<()> {
        let folder = tempdir()?;
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status()?;
        assert!(made.success());
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            let refused = ReplacedFile::read(path).err().context("refused")?;
            assert_eq!(refused.to_string(), "it is not a regular file");
        }
        let refused = ReplacedFile::read(folder.path()).err().context("refused")?;
        assert_eq!(refused.to_string(), "it is a folder");
        Ok(())
    }
}
