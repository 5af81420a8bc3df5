//! Collects learners' progress files from folders or from all homes on a machine. Any other file is
//! reported and left out: a single bad file must not hide the rest of the class.

use anyhow::{Context, Result, bail};
use course_progress::{Progress, learner, read_file, read_file_of};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of progress files in a learner's home.
const IN_HOME: &str = ".local/share/attention-notebooks/progress";
/// Maximum number of files in one home, since a learner could create any number of them.
const MOST_IN_HOME: usize = 10;

/// The progress found for a class.
#[derive(Default)]
pub struct Collected {
    /// Each learner's progress by name, and the files that it comes from.
    pub learners: BTreeMap<String, (Progress, Vec<PathBuf>)>,
    /// A sentence for each file that was left out.
    pub left_out: Vec<String>,
}

/// Collects named files, the files in named folders, and those in the homes under a folder.
pub fn collect(named: &[PathBuf], homes: Option<&Path>) -> Collected {
    let mut collected = Collected::default();
    for path in named {
        match files_in(path) {
            Ok(files) => files
                .iter()
                .for_each(|file| collected.add(file, read_file(file))),
            Err(error) => collected.left_out.push(format!("{error:#}")),
        }
    }
    if let Some(homes) = homes {
        match sorted(homes) {
            Ok(found) => found.iter().for_each(|home| collected.add_home(home)),
            Err(error) => collected.left_out.push(format!("{error:#}")),
        }
    }
    collected
}

impl Collected {
    /// Adds a file. Files with the same name belong to one learner, who worked in several places.
    fn add(&mut self, file: &Path, read: Result<Progress, course_progress::Error>) {
        match read.with_context(|| file.display().to_string()) {
            Ok(progress) => {
                let (all, files) = self.learners.entry(learner(file)).or_default();
                all.add(progress);
                files.push(file.to_owned());
            }
            Err(error) => self.left_out.push(reason(&error)),
        }
    }

    /// Adds the files in a home. A home without progress is not an error, since it may not be a
    /// learner's.
    fn add_home(&mut self, home: &Path) {
        let folder = home.join(IN_HOME);
        let (Ok(owner), true) = (home.metadata(), folder.exists()) else {
            return;
        };
        match files_in(&folder) {
            Ok(files) if files.len() > MOST_IN_HOME => self.left_out.push(format!(
                "{} has {} files, more than {MOST_IN_HOME}: name those that count",
                folder.display(),
                files.len()
            )),
            Ok(files) => {
                for file in files {
                    self.add(&file, read_file_of(owner.uid(), &file));
                }
            }
            Err(error) => self.left_out.push(format!("{error:#}")),
        }
    }
}

/// What is wrong with a file, without the added context: the causes already name the file.
fn reason(error: &anyhow::Error) -> String {
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    causes.join(": ")
}

/// The progress files in a folder, or the file itself.
fn files_in(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = sorted(path)?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
    if files.is_empty() {
        bail!("{} has no progress files (NAME.json)", path.display());
    }
    Ok(files)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use course_progress::path_of;
    use std::os::unix::fs::symlink;

    const SOLVED: &str = r#"{ "schema": 1, "entries": { "softmax":
        { "state": "right", "attempts": 1, "hints": 0, "changed": 5 } } }"#;

    /// The progress folder of a new home.
    fn home(homes: &Path, name: &str) -> Result<PathBuf> {
        let folder = homes.join(name).join(IN_HOME);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    #[test]
    fn homes_are_searched_for_learners_and_nothing_stops_the_class() -> Result<()> {
        let homes = tempfile::tempdir()?;
        for learner in ["ann@example.org", "Ann Smith", "a/b"] {
            let folder = home(homes.path(), &learner.replace('/', "-"))?;
            fs::write(path_of(&folder, learner), SOLVED)?;
        }
        fs::create_dir(homes.path().join("administrator"))?;
        fs::write(homes.path().join("a file"), "")?;
        let half = home(homes.path(), "half")?;
        fs::write(path_of(&half, "half"), &SOLVED[..40])?;
        let flood = home(homes.path(), "flood")?;
        for number in 0..=MOST_IN_HOME {
            fs::write(path_of(&flood, &number.to_string()), SOLVED)?;
        }
        let dangling = home(homes.path(), "dangling")?;
        symlink("/no such file", path_of(&dangling, "dangling"))?;
        let found = collect(&[], Some(homes.path()));
        let learners: Vec<&str> = found.learners.keys().map(String::as_str).collect();
        assert_eq!(learners, ["Ann Smith", "a/b", "ann@example.org"]);
        let left_out = found.left_out.join("\n");
        assert_eq!(found.left_out.len(), 3, "{left_out}");
        for says in [
            "has 11 files, more than 10",
            "EOF while parsing",
            "No such file",
        ] {
            assert!(left_out.contains(says), "{says}: {left_out}");
        }
        Ok(())
    }

    #[test]
    fn two_files_of_one_name_are_of_one_learner() -> Result<()> {
        let folders = tempfile::tempdir()?;
        let both = ["one", "two"].map(|name| folders.path().join(name));
        for folder in &both {
            fs::create_dir(folder)?;
            fs::write(path_of(folder, "ada"), SOLVED)?;
        }
        let found = collect(&both, None);
        let (progress, files) = &found.learners["ada"];
        assert_eq!((progress.entries["softmax"].attempts, files.len()), (2, 2));
        Ok(())
    }
}
