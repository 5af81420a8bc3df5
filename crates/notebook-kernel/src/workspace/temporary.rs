//! Where the workspaces of kernels lie, and what they are called.
//!
//! Others may make there what they like: only folders of this user are workspaces.

use crate::config::Config;
use rustix::process::geteuid;
use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// How many characters are drawn for the end of a workspace's name.
const DRAWN: usize = 6;

/// Start of the names of the copies.
pub fn prefix(config: &Config) -> String {
    format!("{}-", config.program)
}

/// The system's folder for temporary files; evcxr does not get along with a
/// space in its path.
pub fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    let has_space = folder.to_string_lossy().contains(' ');
    if has_space && cfg!(unix) {
        "/tmp".into()
    } else {
        folder
    }
}

/// The folders of this user that are named as workspaces of this program are.
pub fn workspaces(config: &Config) -> impl Iterator<Item = PathBuf> {
    let prefix = prefix(config);
    let is_named = move |entry: &DirEntry| {
        let name = entry.file_name();
        let drawn = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        drawn.is_some_and(|drawn| drawn.len() == DRAWN)
    };
    let is_mine = |entry: &DirEntry| {
        let metadata = entry.metadata(); // of a link itself, not of where it leads
        metadata.is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw())
    };
    let entries = temporary().read_dir().into_iter().flatten().flatten();
    entries
        .filter(move |entry| is_named(entry) && is_mine(entry))
        .map(|entry| entry.path())
}
