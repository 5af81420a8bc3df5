//! The settings that the lessons need in a Jupyter server and in nbconvert: configuration files,
//! copied unchanged.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// A file's path in a folder where Jupyter looks for configuration, and its content.
type Settings = (&'static str, &'static str);

const OF_EXPORTS: Settings = (
    "jupyter_nbconvert_config.py",
    include_str!("jupyter_nbconvert_config.py"),
);
/// The last file turns off JupyterLab's question about news, which would cover a corner of the
/// lesson.
const FILES: [Settings; 3] = [
    OF_EXPORTS,
    (
        "jupyter_server_config.py",
        include_str!("jupyter_server_config.py"),
    ),
    (
        "labconfig/page_config.json",
        include_str!("page_config.json"),
    ),
];

/// Writes the settings into `folder`, but never over another program's file. Returns our files.
pub fn write(folder: &Path) -> Result<Vec<PathBuf>> {
    write_these(&FILES, folder)
}

/// Writes only what an export needs without our server, as with `jupyter nbconvert`.
pub fn write_for_exports(folder: &Path) -> Result<()> {
    write_these(&[OF_EXPORTS], folder).map(|_| ())
}

fn write_these(files: &[Settings], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (name, content) in files {
        let file = folder.join(name);
        if file.exists() && !is_ours(&file, content) {
            continue;
        }
        let failed = || format!("cannot write {}", file.display());
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(failed)?;
        fs::write(&file, content).with_context(failed)?;
        written.push(file);
    }
    Ok(written)
}

/// The files in a folder that are ours.
pub fn find(folder: &Path) -> Vec<PathBuf> {
    let files = FILES.map(|(name, content)| (folder.join(name), content));
    let ours = files
        .into_iter()
        .filter(|(file, content)| is_ours(file, content));
    ours.map(|(file, _)| file).collect()
}

/// Whether a file is one of ours, in any version. The first line identifies it.
fn is_ours(file: &Path, content: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().next() == content.lines().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_ones_settings_are_left_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        assert!(find(folder.path()).is_empty());
        let files = write(folder.path())?;
        assert_eq!((find(folder.path()), files.len()), (files.clone(), 3));
        assert_eq!(
            write(folder.path())?,
            files,
            "an earlier version is replaced"
        );
        fs::write(&files[0], "c.ServerApp.port = 9999\n")?;
        assert_eq!(write(folder.path())?, files[1..]);
        assert_eq!(find(folder.path()), files[1..]);
        assert_eq!(fs::read_to_string(&files[0])?, "c.ServerApp.port = 9999\n");
        Ok(())
    }
}
