//! What cargo does for a cell, told while it does it: a crate that is fetched and compiled takes
//! seconds or minutes.
//!
//! The program that stands for cargo writes it into a file among the links; the kernel reads it
//! there.

use crate::workspace::cargo_shim::links::of_workspace;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const FILE: &str = "progress";
/// How cargo begins what it says of its work. That it waits for another cargo is none: a class that
/// opens a lesson together would see it in each first cell.
const WORK: [&str; 4] = ["Compiling", "Downloaded", "Downloading", "Updating"];
/// The crate of the cell itself.
const CELL: &str = "Compiling ctx ";

/// Adds a line of cargo's, if it is for a learner. `links` is the folder of the links.
pub fn tell(links: &Path, line: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(line);
    let said = text.trim_start();
    let is_work = said
        .split(' ')
        .next()
        .is_some_and(|word| WORK.contains(&word));
    if !is_work || said.starts_with(CELL) {
        return Ok(());
    }
    let mut add = OpenOptions::new();
    let mut file = add
        .append(true)
        .create(true)
        .mode(0o600)
        .open(links.join(FILE))?;
    file.write_all(text.as_bytes())
}

/// The kernel's side.
pub struct Progress {
    file: PathBuf,
    read: u64,
    told: HashSet<String>,
}

impl Progress {
    pub fn of(workspace: &Path) -> Progress {
        Progress {
            file: of_workspace(workspace).join(FILE),
            read: 0,
            told: HashSet::new(),
        }
    }

    /// Forgets what was told before.
    pub fn begin(&mut self) {
        let _ = fs::remove_file(&self.file); // mostly there is none
        self.read = 0;
        self.told.clear();
    }

    /// What has been told since the last time: whole lines, each once, although cargo is called
    /// several times for a cell.
    pub fn news(&mut self) -> Option<String> {
        let mut file = File::open(&self.file).ok()?;
        file.seek(SeekFrom::Start(self.read)).ok()?;
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        text.truncate(text.rfind('\n')? + 1);
        self.read += text.len() as u64;
        let lines = text.split_inclusive('\n');
        let news = lines.filter(|line| self.told.insert((*line).to_owned()));
        Some(news.collect::<String>()).filter(|news| !news.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_and_compiled_is_told_once() -> io::Result<()> {
        let workspace = tempfile::tempdir()?;
        let links = of_workspace(workspace.path());
        fs::create_dir(&links)?;
        let mut progress = Progress::of(workspace.path());
        assert_eq!(progress.news(), None);
        for line in [
            "    Updating crates.io index\n",
            "     Locking 3 packages\n",
            "    Updating crates.io index\n",
            "warning: path override for crate `toy`\n",
            "   Compiling ctx v1.0.0 (/tmp/a/ctx)\n",
        ] {
            tell(&links, line.as_bytes())?;
        }
        let updating = "    Updating crates.io index\n";
        assert_eq!(progress.news().as_deref(), Some(updating));
        assert_eq!(progress.news(), None);
        let compiling = "   Compiling toy v0.1.0\n";
        tell(&links, compiling.as_bytes())?;
        assert_eq!(progress.news().as_deref(), Some(compiling));
        progress.begin();
        assert_eq!(progress.news(), None);
        Ok(())
    }
}
