//! How the files look that decide about a compilation, besides the cell's own.
//!
//! A file has changed if it looks different, whatever its time is: clocks are set back, and
//! files can come from the future.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toml::Table;

/// What decides besides sources and the manifests of their packages, seen from the crate into
/// which evcxr writes each cell.
const MANIFESTS: [&str; 4] = ["Cargo.toml", ".cargo/config.toml", "../Cargo.toml", LOCK];
/// Cargo itself changes this one, before it compiles.
const LOCK: &str = "../Cargo.lock";
const MANIFEST: &str = "Cargo.toml";

/// The files, each with its look: a hash.
#[derive(Deserialize, PartialEq, Serialize)]
pub struct Looks(BTreeMap<PathBuf, u64>);

impl Looks {
    /// Of all files that cargo compiled the last cell from.
    pub fn now() -> Looks {
        let files = deciding().into_iter();
        Looks(
            files
                .filter_map(|file| Some((look(&file)?, file)))
                .map(|(look, file)| (file, look))
                .collect(),
        )
    }

    /// After cargo has found the versions of all crates of this workspace.
    pub fn with_new_lock(mut self, workspace: &Path) -> Looks {
        if let Some(look) = look_of_contents(&workspace.join("ctx").join(LOCK)) {
            self.0.insert(LOCK.into(), look);
        }
        self
    }

    /// Whether everything looks as it did; a file that was not looked at must be older than
    /// `began`. Returns how everything looks now.
    pub fn unchanged(&self, began: SystemTime) -> Option<Looks> {
        let now = Looks::now();
        let is_same = |file: &PathBuf| match (self.0.get(file), now.0.get(file)) {
            (Some(before), Some(now)) => before == now,
            (None, Some(_)) => modified(file).is_some_and(|when| when < began),
            (_, None) => false,
        };
        deciding().iter().all(is_same).then_some(now)
    }

    /// Makes cargo compile the packages again whose sources look different: it would go by
    /// their times.
    pub fn forget_changed(&self) {
        let changed = self
            .0
            .iter()
            .filter(|(file, before)| look(file) != Some(**before));
        let packages: BTreeSet<String> = changed.filter_map(|(file, _)| package(file)).collect();
        for folder in fingerprints() {
            let name = folder
                .file_name()
                .and_then(OsStr::to_str)
                .unwrap_or_default();
            let of = name.rsplit_once('-').map_or("", |(package, _)| package);
            if packages.contains(of) {
                let _ = fs::remove_dir_all(&folder); // then cargo compiles what it sees
            }
        }
    }
}

/// The manifests are compared by their contents: evcxr and cargo write the same again.
fn look(file: &Path) -> Option<u64> {
    if !is_source(file) {
        return look_of_contents(file);
    }
    let metadata = file.metadata().ok()?;
    Some(hash((metadata.len(), metadata.modified().ok()?)))
}

fn look_of_contents(file: &Path) -> Option<u64> {
    Some(hash(fs::read(file).ok()?))
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn is_source(file: &Path) -> bool {
    !file.ends_with(MANIFEST) && !MANIFESTS.iter().any(|manifest| file == Path::new(manifest))
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

fn deciding() -> BTreeSet<PathBuf> {
    let cell = fs::canonicalize("src/lib.rs").unwrap_or_default();
    let mut files = sources();
    files.retain(|file| *file != cell);
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let above: BTreeSet<&Path> = folders
        .iter()
        .flat_map(|folder| folder.ancestors())
        .collect();
    let manifests = above.iter().map(|folder| folder.join(MANIFEST));
    let manifests: Vec<PathBuf> = manifests.filter(|file| file.is_file()).collect();
    files.extend(manifests);
    files.extend(MANIFESTS.map(PathBuf::from));
    files
}

/// The sources that cargo lists behind a build, those of crates from a registry not among them.
fn sources() -> BTreeSet<PathBuf> {
    let arguments: Vec<_> = env::args_os().collect();
    let target = arguments.windows(2).find(|pair| pair[0] == "--target");
    let Some([_, target]) = target else {
        return BTreeSet::new();
    };
    let listed = Path::new("target").join(target).join("debug/libctx.d");
    dependencies(&fs::read_to_string(listed).unwrap_or_default())
}

/// The files that cargo lists in a rule of make, which escapes spaces.
fn dependencies(rule: &str) -> BTreeSet<PathBuf> {
    let files = rule
        .split_once(": ")
        .map_or("", |(_, files)| files.trim_end());
    let files = files.replace("\\ ", "\0");
    let files = files.split(' ').filter(|file| !file.is_empty());
    files.map(|file| file.replace('\0', " ").into()).collect()
}

/// The name of the package that a source belongs to; none for manifests, which cargo reads.
fn package(file: &Path) -> Option<String> {
    let mut manifests = file.ancestors().skip(1).map(|folder| folder.join(MANIFEST));
    let manifest = manifests.find(|manifest| is_source(file) && manifest.is_file())?;
    let manifest: Table = toml::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    Some(manifest.get("package")?.get("name")?.as_str()?.to_owned())
}

/// The folders in which cargo notes what it has compiled.
fn fingerprints() -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let mut targets = entries(Path::new("target"));
    targets.push("target".into());
    let folders = targets
        .iter()
        .map(|target| target.join("debug/.fingerprint"));
    folders.flat_map(|folder| entries(&folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Result;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn a_rule_of_make_lists_files_with_spaces() {
        let rule = "/t/libctx.so: /a/lib.rs /b\\ c/README.md /d.rs\n";
        let files = ["/a/lib.rs", "/b c/README.md", "/d.rs"].map(PathBuf::from);
        assert_eq!(dependencies(rule), BTreeSet::from(files));
        assert!(dependencies("").is_empty());
    }

    #[test]
    fn a_source_looks_different_at_any_other_time_and_a_manifest_with_another_text() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for (name, expected) in [("lib.rs", true), (MANIFEST, false)] {
            let path = folder.path().join(name);
            fs::write(&path, "[package]\nname = \"one\"\n")?;
            let before = look(&path);
            assert!(before.is_some());
            let file = File::options().append(true).open(&path)?;
            for when in [
                SystemTime::now() - Duration::from_secs(60 * 60),
                SystemTime::now() + Duration::from_secs(60 * 60),
            ] {
                file.set_modified(when)?;
                assert_eq!(look(&path) != before, expected, "{name}");
            }
            fs::write(&path, "[package]\nname = \"two\"\n\n")?;
            assert_ne!(look(&path), before, "{name}");
        }
        assert_eq!(
            package(&folder.path().join("lib.rs")),
            Some("two".to_owned())
        );
        assert_eq!(package(&folder.path().join(MANIFEST)), None);
        Ok(())
    }
}
