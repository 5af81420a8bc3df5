//! What the lessons need from a Jupyter server: a configuration file, copied unchanged.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "jupyter_server_config.py";
const CONTENT: &str = include_str!("jupyter_server_config.py");

/// Writes it into a folder where Jupyter looks for configuration, unless a file of other origin has
/// its name. Returns the file if it is ours.
pub fn write(folder: &Path) -> Result<Option<PathBuf>> {
    let file = folder.join(NAME);
    if file.exists() && !is_ours(&file) {
        return Ok(None);
    }
    let failed = || format!("cannot write {}", file.display());
    fs::create_dir_all(folder).with_context(failed)?;
    fs::write(&file, CONTENT).with_context(failed)?;
    Ok(Some(file))
}

/// The file in a folder, if it is ours.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let file = folder.join(NAME);
    is_ours(&file).then_some(file)
}

/// In any version; recognised by the first line.
fn is_ours(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().next() == CONTENT.lines().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_ones_settings_are_left_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        assert_eq!(find(folder.path()), None);
        let file = write(folder.path())?;
        assert_eq!((find(folder.path()), file.is_some()), (file.clone(), true));
        assert_eq!(
            write(folder.path())?,
            file,
            "an earlier version is replaced"
        );
        let theirs = folder.path().join(NAME);
        fs::write(&theirs, "c.ServerApp.port = 9999\n")?;
        assert_eq!((write(folder.path())?, find(folder.path())), (None, None));
        assert_eq!(fs::read_to_string(theirs)?, "c.ServerApp.port = 9999\n");
        Ok(())
    }
}
