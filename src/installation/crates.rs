//! The sources of all crates that cells are compiled with, in the installation's own `CARGO_HOME`.
//!
//! Crates that this user's cargo has already downloaded are copied. cargo itself unpacks them, and
//! downloads the rest, when the crate for cells is compiled.

use crate::installation::files::{Copied, copy, remove};
use crate::project;
use anyhow::Result;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The lock file of the crates that are compiled for cells.
const LOCK_OF_CELLS: &str = ".jupyter/for-cells/project/Cargo.lock";

/// A crate's name, and its name with the version, as cargo names downloads.
type Package = (String, String);

/// Copies those packages listed in `root`'s lock file that exist in `from` to the crates under
/// `root`.
pub fn copy_to(root: &Path, from: &Path) -> Result<()> {
    let to = root.join(project::CRATES);
    let packages = locked(&fs::read_to_string(root.join("Cargo.lock"))?);
    for registry in entries(&from.join("registry/index")) {
        let name = registry.file_name().unwrap_or_default();
        let index = to.join("registry/index").join(name);
        let copy_one = |from: PathBuf, to: PathBuf| match from.is_file() {
            true => copy(&from, &to, &|_| Copied::Yes),
            false => Ok(()),
        };
        copy_one(registry.join("config.json"), index.join("config.json"))?;
        for (package, with_version) in &packages {
            let place = in_index(package);
            copy_one(registry.join(&place), index.join(&place))?;
            let archive = Path::new("registry/cache")
                .join(name)
                .join(format!("{with_version}.crate"));
            copy_one(from.join(&archive), to.join(&archive))?;
        }
    }
    Ok(())
}

/// Like [`copy_to`], but from this user's own cargo folder.
pub fn copy_those_of_the_user(root: &Path) -> Result<()> {
    let chosen = env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty());
    let usual = || Some(env::home_dir()?.join(".cargo"));
    match chosen.map(PathBuf::from).or_else(usual) {
        Some(from) => copy_to(root, &from),
        None => Ok(()),
    }
}

/// Removes what cells do not need: the archives of crates that cargo has not unpacked, and the
/// index except for the crates of cells. The index keeps even the crates for other systems: cargo
/// never unpacks them, but looks them up whenever a learner loads a crate.
pub fn keep_needed(root: &Path) -> Result<()> {
    let packages = locked(&fs::read_to_string(root.join(LOCK_OF_CELLS))?);
    let needed: BTreeSet<String> = packages.into_iter().map(|(name, _)| name).collect();
    let registry = root.join(project::CRATES).join("registry");
    for folder in entries(&registry.join("cache")) {
        let name = folder.file_name().unwrap_or_default();
        for archive in entries(&folder) {
            let package = archive.file_stem().unwrap_or_default();
            if !registry.join("src").join(name).join(package).is_dir() {
                remove(&archive)?;
            }
        }
        let index = registry.join("index").join(name);
        for file in files_below(&index.join(".cache")) {
            let package = file.file_name().and_then(OsStr::to_str);
            if !package.is_some_and(|package| needed.contains(package)) {
                remove(&file)?;
            }
        }
    }
    Ok(())
}

/// The packages of a lock file that come from a registry.
fn locked(lock: &str) -> Vec<Package> {
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key));
        line.map(|value| value.trim_matches([' ', '=', '"']).to_owned())
    };
    let packages = lock.split("[[package]]");
    packages
        .filter(|package| package.contains("\nsource = \"registry+"))
        .filter_map(|package| {
            let name = value(package, "name")?;
            let version = value(package, "version")?;
            Some((name.clone(), format!("{name}-{version}")))
        })
        .collect()
}

/// Where cargo stores the index entry of a crate.
///
/// Source: <https://doc.rust-lang.org/cargo/reference/registry-index.html#index-files>
fn in_index(package: &str) -> PathBuf {
    let name = package.to_lowercase();
    let folder = match name.len() {
        1 => "1".to_owned(),
        2 => "2".to_owned(),
        3 => format!("3/{}", &name[..1]),
        _ => format!("{}/{}", &name[..2], &name[2..4]),
    };
    Path::new(".cache").join(folder).join(name)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| match path.is_dir() {
        true => files_below(&path),
        false => vec![path],
    };
    entries(folder).into_iter().flat_map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"rayon\"\nversion = \"1.2.0\"\n\
        source = \"registry+https://example.org\"\n\n[[package]]\nname = \"unused\"\n\
        version = \"0.1.0\"\nsource = \"registry+https://example.org\"\n\n[[package]]\n\
        name = \"own\"\nversion = \"0.1.0\"\n";

    #[test]
    fn packages_of_registries_are_read_from_a_lock_file() {
        let packages = locked(LOCK);
        let names: Vec<&str> = packages.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["rayon-1.2.0", "unused-0.1.0"]);
    }

    #[test]
    fn an_index_has_folders_by_the_first_letters() {
        for (package, place) in [
            ("a", "1/a"),
            ("io", "2/io"),
            ("syn", "3/s/syn"),
            ("Serde", "se/rd/serde"),
        ] {
            assert_eq!(in_index(package), Path::new(".cache").join(place));
        }
    }

    #[test]
    fn what_is_there_is_copied_and_what_cells_need_is_kept() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (from, root) = (folder.path().join("from"), folder.path().join("root"));
        let write = |path: PathBuf| -> Result<()> {
            fs::create_dir_all(path.parent().context("a folder")?)?;
            Ok(fs::write(path, LOCK)?)
        };
        write(root.join("Cargo.lock"))?;
        let windows = LOCK.replace("\"unused\"", "\"windows\"");
        fs::write(root.join("Cargo.lock"), format!("{LOCK}\n{windows}"))?;
        for file in [
            "index/r/config.json",
            "index/r/.cache/ra/yo/rayon",
            "index/r/.cache/un/us/unused",
            "index/r/.cache/wi/nd/windows",
            "index/r/.cache/ot/he/other",
            "cache/r/rayon-1.2.0.crate",
            "cache/r/unused-0.1.0.crate",
            "cache/r/rayon-1.3.0.crate",
        ] {
            write(from.join("registry").join(file))?;
        }
        copy_to(&root, &from)?;
        let registry = root.join("cargo/registry");
        let there = |file: &str| registry.join(file).is_file();
        assert!(there("index/r/config.json") && there("index/r/.cache/ra/yo/rayon"));
        assert!(there("cache/r/rayon-1.2.0.crate") && there("cache/r/unused-0.1.0.crate"));
        assert!(!there("cache/r/rayon-1.3.0.crate") && !there("index/r/.cache/ot/he/other"));
        fs::create_dir_all(registry.join("src/r/rayon-1.2.0"))?;
        write(root.join(LOCK_OF_CELLS))?;
        fs::write(root.join(LOCK_OF_CELLS), windows)?;
        keep_needed(&root)?;
        assert!(there("index/r/config.json") && there("index/r/.cache/ra/yo/rayon"));
        assert!(there("cache/r/rayon-1.2.0.crate") && !there("cache/r/unused-0.1.0.crate"));
        assert!(there("index/r/.cache/wi/nd/windows"), "another system's");
        assert!(!there("index/r/.cache/un/us/unused"));
        Ok(())
    }
}
