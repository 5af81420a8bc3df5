//! Detects changes in the sources of crates in local folders.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

/// Parts of a crate's folder that do not affect its library.
const LEFT_OUT: [&str; 4] = ["benches", "examples", "target", "tests"];

/// A fingerprint that changes when a source is added, removed or written. Like cargo's, it is made
/// from names, sizes and times. Outside `src` only Rust files and manifests count: a notebook in
/// the folder is saved now and then, and its cells may write files.
pub fn fingerprint(folder: &Path) -> io::Result<u64> {
    folder.join("Cargo.toml").metadata()?;
    let mut hasher = DefaultHasher::new();
    hash(folder, &LEFT_OUT, false, &mut hasher)?;
    Ok(hasher.finish())
}

fn hash(
    folder: &Path,
    left_out: &[&str],
    is_in_src: bool,
    hasher: &mut DefaultHasher,
) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = folder.read_dir()?.collect();
    let mut entries = entries?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        let is_hidden = text.starts_with('.') || text.ends_with('~');
        if is_hidden || left_out.contains(&&*text) {
            continue;
        }
        let is_source = is_in_src || text.ends_with(".rs") || text.ends_with(".toml");
        if is_source {
            name.hash(hasher);
        }
        if entry.file_type()?.is_dir() {
            hash(&entry.path(), &[], is_in_src || text == "src", hasher)?;
        } else if is_source {
            stamp(&entry.path()).ok().hash(hasher); // a link may be broken
        }
    }
    Ok(())
}

/// The modification time and size of a file, as text.
pub fn stamp(file: &Path) -> io::Result<String> {
    let known = file.metadata()?;
    let time = known.modified()?.duration_since(std::time::UNIX_EPOCH);
    let time = time.unwrap_or_else(|before| before.duration());
    Ok(format!("{}-{}", time.as_nanos(), known.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    #[test]
    fn names_sizes_and_times_of_sources_decide_and_tests_do_not() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (root, source) = (folder.path(), folder.path().join("src/lib.rs"));
        let now = || fingerprint(root);
        assert!(now().is_err(), "it is no crate");
        fs::write(root.join("Cargo.toml"), "")?;
        for name in ["src/inner", "tests", "target"] {
            fs::create_dir_all(root.join(name))?;
        }
        fs::write(&source, "1")?;
        let first = now()?;
        fs::write(root.join("tests/a.rs"), "")?;
        fs::write(root.join("target/a"), "")?;
        fs::write(root.join(".lib.rs.swp"), "")?;
        fs::create_dir(root.join("notebooks"))?;
        fs::write(root.join("notebooks/mine.ipynb"), "{}")?;
        fs::write(root.join("weights.csv"), "1")?;
        assert_eq!(now()?, first);
        fs::write(root.join("src/inner/a.rs"), "")?;
        let second = now()?;
        assert_ne!(second, first);
        let file = File::options().append(true).open(&source)?;
        file.set_modified(SystemTime::now() - Duration::from_secs(86_400))?;
        assert_ne!(now()?, second, "a file from yesterday");
        fs::remove_file(root.join("src/inner/a.rs"))?;
        file.set_modified(SystemTime::UNIX_EPOCH)?;
        let third = now()?;
        fs::write(&source, "12")?;
        file.set_modified(SystemTime::UNIX_EPOCH)?;
        assert_ne!(now()?, third, "another size");
        Ok(())
    }
}
