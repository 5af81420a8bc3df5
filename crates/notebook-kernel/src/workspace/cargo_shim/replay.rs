//! Whether rustc can do with a cell what it did with the last one.

use crate::workspace::cargo_shim::record::Recorded;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The variable with the file in which evcxr looks for the path of the compiled library.
const EVCXR_LIBRARY: &str = "EVCXR_EXECUTION_SO_PATH";

/// The files besides sources that decide about a compilation, seen from the crate into
/// which evcxr writes each cell.
const MANIFESTS: [&str; 4] = [
    "Cargo.toml",
    ".cargo/config.toml",
    "../Cargo.toml",
    "../Cargo.lock",
];

/// What decides about a compilation besides files: arguments and environment.
pub fn request_fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    env::args_os().for_each(|argument| argument.hash(&mut hasher));
    let environment: BTreeMap<_, _> = env::vars_os().collect();
    environment.hash(&mut hasher);
    hasher.finish()
}

/// The recorded call of rustc, ready to start, if cargo would start the same one.
pub fn recorded_call(request_fingerprint: u64) -> Option<Command> {
    let record = Recorded::read()?;
    if record.request_fingerprint != request_fingerprint {
        return None;
    }
    let library = record.library()?;
    let listed = library.parent()?.parent()?.join("libctx.d");
    let cell = fs::canonicalize("src/lib.rs").ok()?;
    let mut read = dependencies(&fs::read_to_string(listed).ok()?);
    read.retain(|file| *file != cell);
    read.extend(MANIFESTS.map(PathBuf::from));
    let unchanged = |file: &PathBuf| modified(file).is_some_and(|when| when < record.began);
    if !read.iter().all(unchanged) {
        return None;
    }
    let _ = fs::remove_file(&library); // never write into what a process has loaded
    fs::write(env::var_os(EVCXR_LIBRARY)?, library.to_str()?).ok()?;
    Some(record.command())
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
