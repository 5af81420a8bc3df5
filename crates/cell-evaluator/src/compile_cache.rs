//! Caches rustc's results for cells: a notebook that is run again after a restart need not be
//! compiled again.

use rustix::process::geteuid;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder of compiled cells, shared by all notebooks of one user. It may be deleted at any time.
#[derive(Clone, Debug)]
pub struct CompileCache {
    folder: PathBuf,
}

/// A hash of everything that determines rustc's result for a source.
pub struct CacheKey(Sha256);

/// The size in bytes to which a cache is trimmed when it is opened: enough for the cells of about
/// ten lessons.
const LARGEST: u64 = 200 << 20;
/// The length of a hash in bytes.
const HASH: usize = 32;
/// The length in bytes of the number before an entry's text, which gives the text's length.
const NUMBER: usize = 8;

impl CacheKey {
    pub fn new() -> CacheKey {
        CacheKey(Sha256::new())
    }

    /// Adds a part. Its length comes first, so that different lists of parts never give the same
    /// bytes.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds the path, size and modification time of a file that is never changed in place.
    pub fn add_stamp(&mut self, file: &Path) -> io::Result<()> {
        let found = fs::metadata(file)?;
        let stamp = [found.mtime(), found.mtime_nsec(), found.len() as i64];
        self.add(file.as_os_str().as_encoded_bytes());
        stamp
            .iter()
            .for_each(|number| self.add(&number.to_le_bytes()));
        Ok(())
    }

    /// Adds the contents of a file.
    pub fn add_file(&mut self, file: &Path) -> io::Result<()> {
        self.add(&fs::read(file)?);
        Ok(())
    }

    fn name(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// One compiled crate: an entry of the cache, which may not exist yet.
pub struct CachedCrate(PathBuf);

/// What a run of rustc produced.
#[derive(Debug, PartialEq)]
pub enum CachedResult {
    /// A library, represented by its MIR.
    Library(String),
    /// Errors, as rustc wrote them to standard error.
    Errors(String),
}

impl CompileCache {
    /// The cache in this folder, which is created if necessary, readable only by its owner. If the
    /// cache is too large, the least recently used entries are deleted.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created or read, or other users can write to it.
    pub fn open(folder: &Path) -> io::Result<CompileCache> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let found = fs::metadata(folder)?;
        if found.uid() != geteuid().as_raw() || found.mode() & 0o022 != 0 {
            let message = "others can write to the folder, and what is in it is run";
            return Err(io::Error::new(ErrorKind::PermissionDenied, message));
        }
        sweep(folder, LARGEST)?;
        Ok(CompileCache {
            folder: folder.to_owned(),
        })
    }

    pub(crate) fn entry(&self, key: CacheKey) -> CachedCrate {
        CachedCrate(self.folder.join(key.name()))
    }
}

impl CachedCrate {
    /// The result in the entry, if it exists and is intact. The code of a library is written to
    /// `library`.
    pub fn get(&self, library: &Path) -> Option<CachedResult> {
        let kept = fs::read(&self.0).ok()?;
        let (hash, rest) = kept.split_at_checked(HASH)?;
        if Sha256::digest(rest).as_slice() != hash {
            return None; // truncated, as after a crash of the machine
        }
        let (length, rest) = rest.split_at_checked(NUMBER)?;
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let (text, code) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        let text = String::from_utf8(text.to_vec()).ok()?;
        if let Ok(file) = File::open(&self.0) {
            let _ = file.set_modified(SystemTime::now()); // marks it as used
        }
        if code.is_empty() {
            return Some(CachedResult::Errors(text));
        }
        fs::write(library, code).ok()?;
        Some(CachedResult::Library(text))
    }

    /// Stores a library and its MIR.
    ///
    /// # Errors
    ///
    /// If the library cannot be read, or the entry cannot be written. Nothing is stored then.
    pub fn put_library(&self, library: &Path, mir: &str) -> io::Result<()> {
        self.put(mir, &fs::read(library)?)
    }

    /// Stores rustc's errors.
    ///
    /// # Errors
    ///
    /// If the entry cannot be written. Nothing is stored then.
    pub fn put_errors(&self, said: &str) -> io::Result<()> {
        self.put(said, &[])
    }

    fn put(&self, text: &str, code: &[u8]) -> io::Result<()> {
        let length = (text.len() as u64).to_le_bytes();
        let rest = [&length, text.as_bytes(), code].concat();
        let hash = Sha256::digest(&rest);
        atomic_file::write(&self.0, &[hash.as_slice(), &rest].concat())
    }
}

/// Deletes the least recently used entries until at most `largest` bytes are left.
fn sweep(folder: &Path, largest: u64) -> io::Result<()> {
    let mut entries: Vec<(SystemTime, Metadata, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another kernel may have deleted it in the meantime.
        if let Ok(found) = entry.metadata()
            && found.is_file()
        {
            entries.push((found.modified()?, found, entry.path()));
        }
    }
    entries.sort_by_key(|(used, ..)| std::cmp::Reverse(*used));
    let mut size = 0;
    for (_, found, path) in entries {
        size += found.len();
        if size > largest {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::tempdir;

    fn entry(cache: &CompileCache, name: &str) -> CachedCrate {
        let mut key = CacheKey::new();
        key.add(name.as_bytes());
        cache.entry(key)
    }

    #[test]
    fn what_was_put_is_got_and_nothing_else() -> io::Result<()> {
        let folder = tempdir()?;
        let cache = CompileCache::open(&folder.path().join("a/cache"))?;
        let (made, got) = (folder.path().join("made"), folder.path().join("got"));
        fs::write(&made, b"\x7fELF")?;
        let one = entry(&cache, "one");
        assert_eq!(one.get(&got), None);
        one.put_library(&made, "fn main")?;
        assert_eq!(
            one.get(&got),
            Some(CachedResult::Library("fn main".to_owned()))
        );
        assert_eq!(fs::read(&got)?, b"\x7fELF");
        one.put_errors("E0382")?;
        assert_eq!(
            one.get(&got),
            Some(CachedResult::Errors("E0382".to_owned()))
        );
        assert_eq!(entry(&cache, "two").get(&got), None);
        Ok(())
    }

    #[test]
    fn an_entry_that_is_not_whole_is_none() -> io::Result<()> {
        let folder = tempdir()?;
        let cache = CompileCache::open(folder.path())?;
        let (made, got) = (folder.path().join("made"), folder.path().join("got"));
        fs::write(&made, b"\x7fELF")?;
        let one = entry(&cache, "one");
        one.put_library(&made, "fn main")?;
        let whole = fs::read(&one.0)?;
        for length in 0..whole.len() {
            fs::write(&one.0, &whole[..length])?;
            assert_eq!(one.get(&got), None, "{length} bytes");
        }
        let mut changed = whole;
        *changed.last_mut().expect("bytes") ^= 1;
        fs::write(&one.0, changed)?;
        assert_eq!(one.get(&got), None);
        Ok(())
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let name = |parts: &[&str]| {
            let mut key = CacheKey::new();
            parts.iter().for_each(|part| key.add(part.as_bytes()));
            key.name()
        };
        assert_ne!(name(&["ab", "c"]), name(&["a", "bc"]));
        assert_ne!(name(&["ab"]), name(&["ab", ""]));
        assert_eq!(name(&["ab", "c"]), name(&["ab", "c"]));
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() -> io::Result<()> {
        let folder = tempdir()?;
        for (mode, is_used) in [(0o700, true), (0o755, true), (0o775, false), (0o702, false)] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode))?;
            assert_eq!(
                CompileCache::open(folder.path()).is_ok(),
                is_used,
                "{mode:o}"
            );
        }
        Ok(())
    }

    #[test]
    fn what_was_used_last_stays() -> io::Result<()> {
        let folder = tempdir()?;
        let file = |name: &str| folder.path().join(name);
        for (name, age) in [("old", 30), ("older", 40), ("new", 10)] {
            fs::write(file(name), [0; 100])?;
            let then = SystemTime::now() - std::time::Duration::from_secs(age);
            File::options()
                .write(true)
                .open(file(name))?
                .set_modified(then)?;
        }
        sweep(folder.path(), 200)?;
        assert!(file("new").exists() && file("old").exists() && !file("older").exists());
        Ok(())
    }
}
