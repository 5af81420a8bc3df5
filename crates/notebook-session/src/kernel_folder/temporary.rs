//! Where the kernels' folders are, and how they are named.
//!
//! Other users can write there, so only this user's folders count as kernel folders.

use crate::config::Config;
use anyhow::{Context, Result, bail};
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::process::geteuid;
use std::env;
use std::fs::{DirEntry, Permissions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::{Builder, TempDir};

/// Used if the system's temporary directory is unsuitable.
const COMMON: &str = "/tmp";
/// Maximum length of a socket path in a kernel folder: macOS's limit, which is lower than Linux's.
const LONGEST: usize = 103;
/// Number of random characters at the end of a kernel folder's name.
const DRAWN: usize = 6;
/// The name of the subfolder of a kernel's folder in which cells are compiled.
pub const SESSION: &str = "session";
/// The name in that subfolder of the socket to the process that runs the cells.
const SOCKET: &str = "cells";

/// The prefix of the names of kernel folders.
pub fn prefix(config: &Config) -> String {
    format!("{}-", config.program)
}

/// The user's temporary directory, looked up once.
pub fn of_user() -> &'static Path {
    static OF_USER: OnceLock<PathBuf> = OnceLock::new();
    OF_USER.get_or_init(env::temp_dir)
}

/// The user's temporary directory, or `/tmp` if a compiler could not work there.
pub fn temporary(config: &Config) -> PathBuf {
    let folder = of_user();
    match suits(folder, &prefix(config)) {
        true => folder.to_owned(),
        false => COMMON.into(),
    }
}

/// Whether cargo, the linker and the loader can handle this path: it appears in search paths and
/// command lines, and socket paths must be short.
fn suits(folder: &Path, prefix: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@~".contains(letter);
    let text = folder.to_str().unwrap_or_default();
    let below = ["", SESSION, SOCKET].join("/");
    let length = text.len() + 1 + prefix.len() + DRAWN + below.len();
    !text.is_empty() && text.chars().all(is_plain) && (cfg!(not(unix)) || length <= LONGEST)
}

/// The folders of this user whose names match this program's kernel folders.
pub fn kernel_folders(config: &Config) -> impl Iterator<Item = PathBuf> {
    let prefix = prefix(config);
    let is_named = move |entry: &DirEntry| {
        let name = entry.file_name();
        let drawn = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        drawn.is_some_and(|drawn| drawn.len() == DRAWN)
    };
    let is_mine = |entry: &DirEntry| {
        let metadata = entry.metadata(); // of a link itself, not its target
        metadata.is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw())
    };
    let entries = temporary(config).read_dir().into_iter().flatten().flatten();
    entries
        .filter(move |entry| is_named(entry) && is_mine(entry))
        .map(|entry| entry.path())
}

/// Creates an empty folder with a unique name.
pub fn make(config: &Config, rights: Permissions) -> Result<TempDir> {
    let place = temporary(config);
    let mut made = Builder::new();
    let made = made
        .prefix(&prefix(config))
        .permissions(rights)
        .tempdir_in(&place);
    let made = made.with_context(|| refusal(&place, "cannot be written"))?;
    let mounted = statvfs(made.path());
    if mounted.is_ok_and(|mounted| mounted.f_flag.contains(StatVfsMountFlags::NOEXEC)) {
        bail!(refusal(
            &place,
            "is mounted without permission to run programs (`noexec`)"
        ));
    }
    Ok(made)
}

fn refusal(folder: &Path, why: &str) -> String {
    format!(
        "the folder for temporary files, {}, {why}; set TMPDIR to another folder, and start again",
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_a_compiler_cannot_work_in_do_not_suit() {
        let suits = |folder: &str| suits(Path::new(folder), "toy-kernel-");
        assert!(suits("/tmp") && suits("/var/folders/zz/zyx_1.2-3+4/T/") && suits("/home/jürgen"));
        for odd in ["", "/a b", "/a:b", "/a#b", "/a%b", "/a,b", "/a\nb", "/a\"b"] {
            assert!(!suits(odd), "{odd:?}");
        }
        // Above the socket's own path, there is room for 71 characters.
        assert!(suits(&format!("/{}", "l".repeat(70))));
        assert!(!suits(&format!("/{}", "l".repeat(71))));
    }
}
