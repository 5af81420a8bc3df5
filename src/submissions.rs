//! The notebooks that a class has handed in: a folder for each learner, with notebooks anywhere in
//! it, as nbgrader collects them, or one notebook per learner, named after that learner.

use anyhow::{Context, Result, bail, ensure};
use chrono::{DateTime, NaiveDateTime};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The file in which nbgrader notes when the notebooks beside it were handed in.
const TIMESTAMP: &str = "timestamp.txt";
/// Maximum depth of the folders that are searched for notebooks.
const DEEPEST: usize = 4;
/// Maximum size of a timestamp file that is read, in bytes.
const LONGEST_TIMESTAMP: u64 = 100;
/// The size of the largest notebook that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// A notebook that a learner handed in.
pub struct Submission {
    /// The name of its file without the extension.
    pub name: String,
    /// The contents, or why they cannot be read: one bad notebook must not keep the rest of the
    /// class from its results.
    pub contents: Result<Vec<u8>>,
    /// When it was handed in, in seconds since 1970.
    pub handed_in: u64,
}

/// The notebooks of each learner. Links are not followed: they may lead to another learner's work.
pub fn read(folder: &Path) -> Result<BTreeMap<String, Vec<Submission>>> {
    let mut learners = BTreeMap::new();
    for path in visible(folder)? {
        let is_folder = path.is_dir();
        let name = if is_folder {
            path.file_name()
        } else {
            path.file_stem()
        };
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        let mut found = Vec::new();
        read_below(&path, DEEPEST, &mut found);
        if is_folder || !found.is_empty() {
            learners.entry(name).or_insert_with(Vec::new).extend(found);
        }
    }
    if learners.values().all(Vec::is_empty) {
        bail!("{} has no notebooks (LEARNER/NAME.ipynb)", folder.display());
    }
    Ok(learners)
}

fn read_below(path: &Path, depth: usize, found: &mut Vec<Submission>) {
    let mut add = |contents| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        found.push(Submission {
            name: name.into_owned(),
            contents,
            handed_in: noted(path).or_else(|| modified(path)).unwrap_or(u64::MAX),
        });
    };
    if path.is_dir() && depth > 0 {
        match visible(path) {
            Ok(inner) => inner
                .iter()
                .for_each(|path| read_below(path, depth - 1, found)),
            Err(error) => add(Err(error)),
        }
    } else if path.is_file() && path.extension().is_some_and(|kind| kind == "ipynb") {
        add(contents(path));
    }
}

fn contents(notebook: &Path) -> Result<Vec<u8>> {
    let failed = || format!("cannot read {}", notebook.display());
    let size = notebook.metadata().with_context(failed)?.len();
    ensure!(
        size <= LARGEST,
        "{} is larger than {} MB",
        notebook.display(),
        LARGEST >> 20
    );
    fs::read(notebook).with_context(failed)
}

/// When a file was last changed, in seconds since 1970.
fn modified(file: &Path) -> Option<u64> {
    let time = file.metadata().ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

/// When a notebook was handed in, according to the timestamp file beside it.
fn noted(notebook: &Path) -> Option<u64> {
    let file = notebook.parent()?.join(TIMESTAMP);
    // A learner may have put anything there, such as a pipe, which has no end.
    let found = file.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > LONGEST_TIMESTAMP {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let (time, zone) = text.trim().rsplit_once(' ')?;
    let format = "%Y-%m-%d %H:%M:%S%.f";
    let seconds = match zone {
        "UTC" | "GMT" | "Z" => NaiveDateTime::parse_from_str(time, format)
            .ok()?
            .and_utc()
            .timestamp(),
        _ => {
            let format = format!("{format} %z");
            DateTime::parse_from_str(text.trim(), &format)
                .ok()?
                .timestamp()
        }
    };
    u64::try_from(seconds).ok()
}

/// The entries of a folder, sorted, except links and hidden files, such as Jupyter's checkpoints.
fn visible(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !path.is_symlink()
    });
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn notebooks_are_found_as_nbgrader_and_people_collect_them() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let write = |path: &str, text: &str| -> Result<()> {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().context("a folder")?)?;
            Ok(fs::write(path, text)?)
        };
        write("ann@example.org/attention/01.ipynb", "{}")?;
        write(
            "ann@example.org/attention/timestamp.txt",
            "2026-12-01 10:00:00.5 UTC",
        )?;
        write("ann@example.org/.ipynb_checkpoints/01.ipynb", "old")?;
        write("Ann Smith/02.ipynb", "{}")?;
        write(
            "Ann Smith/timestamp.txt",
            "2026-12-01 11:00:00.000000 +0100\n",
        )?;
        write("ben.ipynb", "{}")?;
        write("notes.txt", "")?;
        fs::create_dir(folder.path().join("idle"))?;
        symlink("ben.ipynb", folder.path().join("thief.ipynb"))?;
        let found = read(folder.path())?;
        let counts: Vec<(&str, usize)> = found
            .iter()
            .map(|(learner, notebooks)| (learner.as_str(), notebooks.len()))
            .collect();
        let expected = [
            ("Ann Smith", 1),
            ("ann@example.org", 1),
            ("ben", 1),
            ("idle", 0),
        ];
        assert_eq!(counts, expected);
        for learner in ["ann@example.org", "Ann Smith"] {
            assert_eq!(found[learner][0].handed_in, 1_796_119_200, "{learner}");
        }
        assert_eq!(found["ann@example.org"][0].name, "01");
        Ok(())
    }

    #[test]
    fn a_notebook_that_cannot_be_read_is_one_learners_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("eve"))?;
        let large = fs::File::create(folder.path().join("eve/01.ipynb"))?;
        large.set_len(LARGEST + 1)?;
        fs::write(folder.path().join("ann.ipynb"), "{}")?;
        let found = read(folder.path())?;
        let reason = found["eve"][0]
            .contents
            .as_ref()
            .map_err(ToString::to_string);
        assert!(reason.is_err_and(|reason| reason.ends_with("01.ipynb is larger than 64 MB")));
        assert_eq!(found["ann"][0].contents.as_deref().ok(), Some(&b"{}"[..]));
        Ok(())
    }

    #[test]
    fn a_pipe_or_a_flood_in_place_of_the_time_is_not_read() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for learner in ["ann", "ben"] {
            fs::create_dir(folder.path().join(learner))?;
            fs::write(folder.path().join(learner).join("01.ipynb"), "{}")?;
        }
        let time = |learner: &str| folder.path().join(learner).join(TIMESTAMP);
        let made = std::process::Command::new("mkfifo")
            .arg(time("ann"))
            .status()?;
        ensure!(made.success(), "no pipe");
        fs::File::create(time("ben"))?.set_len(1 << 40)?;
        let found = read(folder.path())?;
        for learner in ["ann", "ben"] {
            let notebook = folder.path().join(learner).join("01.ipynb");
            assert_eq!(Some(found[learner][0].handed_in), modified(&notebook));
        }
        Ok(())
    }

    #[test]
    fn a_folder_without_notebooks_is_an_error() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let error = read(folder.path()).err().map(|error| error.to_string());
        assert!(error.unwrap_or_default().contains("has no notebooks"));
        Ok(())
    }
}
