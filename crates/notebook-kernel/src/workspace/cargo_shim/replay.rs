//! Whether rustc can do with a cell what it did with the last one.

use crate::workspace::cargo_shim::record::{EVCXR_LIBRARY, Recorded};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What evcxr asks of cargo.
pub const BUILD: &str = "build";
pub const CHECK: &str = "check";

/// The files besides sources that decide about a compilation, seen from the crate into
/// which evcxr writes each cell.
const MANIFESTS: [&str; 4] = [
    "Cargo.toml",
    ".cargo/config.toml",
    "../Cargo.toml",
    "../Cargo.lock",
];

/// What decides about a compilation besides files: arguments and environment. Checking and
/// building have the same.
pub fn request_fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    env::args_os()
        .filter(|argument| argument != BUILD && argument != CHECK)
        .for_each(|argument| argument.hash(&mut hasher));
    let mut environment: BTreeMap<_, _> = env::vars_os().collect();
    environment.remove(OsStr::new(EVCXR_LIBRARY)); // for building alone
    environment.hash(&mut hasher);
    hasher.finish()
}

/// The recorded call of rustc, if cargo would start the same one.
pub fn unchanged_record(request_fingerprint: u64) -> Option<Recorded> {
    let record = Recorded::read()?;
    if record.request_fingerprint != request_fingerprint {
        return None;
    }
    let listed = record.library()?.parent()?.parent()?.join("libctx.d");
    let cell = fs::canonicalize("src/lib.rs").ok()?;
    let mut read = dependencies(&fs::read_to_string(listed).ok()?);
    read.retain(|file| *file != cell);
    read.extend(MANIFESTS.map(PathBuf::from));
    let unchanged = |file: &PathBuf| modified(file).is_some_and(|when| when < record.began);
    read.iter().all(unchanged).then_some(record)
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// The files that cargo lists in a rule of make, which escapes spaces.
fn dependencies(rule: &str) -> Vec<PathBuf> {
    let files = rule
        .split_once(": ")
        .map_or("", |(_, files)| files.trim_end());
    let files = files.replace("\\ ", "\0");
    let files = files.split(' ').filter(|file| !file.is_empty());
    files.map(|file| file.replace('\0', " ").into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_make_lists_files_with_spaces() {
        let rule = "/t/libctx.so: /a/lib.rs /b\\ c/README.md /d.rs\n";
        let files = ["/a/lib.rs", "/b c/README.md", "/d.rs"].map(PathBuf::from);
        assert_eq!(dependencies(rule), files);
        assert!(dependencies("").is_empty());
    }
}
