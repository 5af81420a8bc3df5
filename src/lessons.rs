//! The lessons of one learner: copies, which stay the learner's own when a new version comes.
//!
//! Beside the copies lies what they were made from. So it can be told what the learner has changed,
//! and what is newer in the project: only a copy that nobody has changed is ever replaced.

use crate::project;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The folder of the copies. The next versions of what a learner has changed come to folders
/// with a number behind it.
const COPIES: &str = "my-lessons";
/// In it, what the copies were made from.
const BASES: &str = ".made-from";
/// What lessons name relative to their folder, beside which the copies lie as the lessons do.
const BESIDE: [&str; 3] = ["assets", "crates", "notebooks"];
/// Where the copies lie in a learner's home, unless the project is the learner's own.
const IN_HOME: &str = "attention-lessons";

/// The folder that Jupyter opens: in it are the copies, and the originals a click away.
pub struct Desk {
    folder: PathBuf,
}

/// What [`Desk::lay_out`] has done.
#[derive(Debug, Default, PartialEq)]
pub struct LaidOut {
    /// The copies that were made or, where nobody had changed them, renewed.
    pub copied: Vec<PathBuf>,
    /// The copies of which there are newer originals.
    pub outdated: Vec<PathBuf>,
}

impl Desk {
    /// Where this learner's lessons are unless somebody says otherwise: in the project, or in the
    /// home folder, if the project is there for all.
    pub fn of_this_learner() -> Result<Desk> {
        if project::installed().is_none() {
            return Ok(Desk {
                folder: project::root().to_owned(),
            });
        }
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let home = home.context("there is no home folder: set HOME, or name a folder")?;
        Desk::at(&home.join(IN_HOME))
    }

    /// In another folder.
    pub fn at(folder: &Path) -> Result<Desk> {
        let folder = std::path::absolute(folder)?;
        if folder.exists() && !folder.is_dir() {
            bail!("{} is no folder; name another one", folder.display());
        }
        Ok(Desk { folder })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The copy of a lesson.
    pub fn copy(&self, lesson: &Path) -> PathBuf {
        self.folder.join(COPIES).join(name(lesson))
    }

    /// Makes the copies that are missing, and renews those that nobody has changed. With `refresh`,
    /// what is newer than a changed copy comes beside it.
    pub fn lay_out(&self, lessons: &[PathBuf], refresh: bool) -> Result<LaidOut> {
        self.link_project(project::root())?;
        let mut laid_out = LaidOut::default();
        for lesson in lessons {
            let original = copied(lesson)?;
            self.lay_out_one(lesson, &original, refresh, &mut laid_out)?;
        }
        Ok(laid_out)
    }

    fn lay_out_one(
        &self,
        lesson: &Path,
        original: &str,
        refresh: bool,
        laid_out: &mut LaidOut,
    ) -> Result<()> {
        let (copy, base) = (self.copy(lesson), self.base(lesson));
        let is_changed = match (read(&copy)?, read(&base)?) {
            (None, _) => false,
            (Some(copy), Some(base)) => copy != base,
            (Some(copy), None) => copy != original,
        };
        let is_new = read(&base)?.as_deref() != Some(original);
        if !is_changed {
            if is_new || !copy.exists() {
                write(&copy, original)?;
                write(&base, original)?;
                laid_out.copied.push(copy);
            }
        } else if is_new && refresh {
            let beside = self.free_beside(lesson, original)?;
            write(&beside, original)?;
            write(&base, original)?;
            laid_out.copied.push(beside);
        } else if is_new {
            laid_out.outdated.push(copy);
        }
        Ok(())
    }

    /// What a copy was made from.
    fn base(&self, lesson: &Path) -> PathBuf {
        self.folder.join(COPIES).join(BASES).join(name(lesson))
    }

    /// Where no lesson of this name is yet, or the very same one. The file keeps its name, by which
    /// the kernel knows the lesson.
    fn free_beside(&self, lesson: &Path, original: &str) -> Result<PathBuf> {
        let numbers = 2..;
        for number in numbers {
            let folder = self.folder.join(format!("{COPIES}-{number}"));
            let file = folder.join(name(lesson));
            if read(&file)?.is_none_or(|there| there == original) {
                return Ok(file);
            }
        }
        bail!("there is no free number for {COPIES}")
    }

    /// Outside of the project, links to what lessons name.
    fn link_project(&self, root: &Path) -> Result<()> {
        let made = fs::create_dir_all(&self.folder);
        made.with_context(|| format!("cannot make {}", self.folder.display()))?;
        if self.folder == root {
            return Ok(());
        }
        for part in BESIDE {
            let (from, link) = (root.join(part), self.folder.join(part));
            match fs::read_link(&link) {
                Ok(to) if to == from => continue,
                Ok(_) => fs::remove_file(&link)?, // where the project was before
                Err(_) if link.exists() => bail!(
                    "{} is there already, and lessons need a link of this name there; name another \
                     folder",
                    link.display()
                ),
                Err(_) => {}
            }
            symlink(from, &link).with_context(|| format!("cannot write {}", link.display()))?;
        }
        Ok(())
    }
}

fn name(lesson: &Path) -> &Path {
    Path::new(lesson.file_name().unwrap_or_default())
}

/// A lesson as learners get it: it says that it is a copy, and where the original is.
fn copied(lesson: &Path) -> Result<String> {
    let text =
        fs::read_to_string(lesson).with_context(|| format!("cannot read {}", lesson.display()))?;
    let mut notebook: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a notebook", lesson.display()))?;
    let note = format!(
        "*This copy is yours: no new version will change it.* \
         [The original](../notebooks/{}) is a click away.",
        name(lesson).display()
    );
    let cell = json!({
        "cell_type": "markdown", "id": "your-copy", "metadata": {}, "source": [note],
    });
    let cells = notebook["cells"].as_array_mut();
    let cells = cells.with_context(|| format!("{} has no cells", lesson.display()))?;
    cells.insert(0, cell);
    // As nbformat writes it.
    let mut text = Vec::new();
    let indented = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, indented);
    serde::Serialize::serialize(&notebook, &mut serializer)?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

/// The text of a file that may not be there.
fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        // A learner can write anything into a copy.
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(Some(String::new())),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let folder = path.parent().with_context(failed)?;
    fs::create_dir_all(folder).with_context(failed)?;
    let mut file = tempfile::Builder::new();
    let made = file.prefix(".unfinished-").make_in(folder, |path| {
        fs::write(path, text)?;
        fs::File::open(path)
    });
    made.with_context(failed)?
        .persist(path)
        .with_context(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::{TempDir, tempdir};

    const LESSON: &str = "01_first.ipynb";

    struct Course {
        folder: TempDir,
    }

    impl Course {
        fn new() -> Course {
            let course = Course {
                folder: tempdir().expect("a folder"),
            };
            course.publish("one");
            course
        }

        fn original(&self) -> PathBuf {
            self.folder.path().join("notebooks").join(LESSON)
        }

        fn publish(&self, text: &str) {
            let cell = json!({"cell_type": "markdown", "id": "a", "source": [text]});
            let notebook = json!({"cells": [cell], "nbformat": 4});
            write(&self.original(), &notebook.to_string()).expect("written");
        }

        fn desk(&self) -> Desk {
            Desk::at(&self.folder.path().join("desk")).expect("a folder")
        }

        fn lay_out(&self, refresh: bool) -> LaidOut {
            let lessons = [self.original()];
            self.desk().lay_out(&lessons, refresh).expect("laid out")
        }

        /// What is in the copy of the folder with this ending.
        fn copy(&self, ending: &str) -> String {
            let folder = self.desk().folder().join(format!("{COPIES}{ending}"));
            fs::read_to_string(folder.join(LESSON)).expect("a copy")
        }
    }

    #[test]
    fn a_copy_says_what_it_is_and_where_the_original_is() {
        let course = Course::new();
        let laid_out = course.lay_out(false);
        assert_eq!(laid_out.copied, [course.desk().copy(&course.original())]);
        let copy = course.copy("");
        assert!(copy.contains("(../notebooks/01_first.ipynb)"), "{copy}");
        assert!(copy.contains("one") && copy.ends_with("}\n"), "{copy}");
        assert_eq!(course.lay_out(false), LaidOut::default(), "once is enough");
        let link = fs::read_link(course.desk().folder().join("crates")).expect("a link");
        assert_eq!(link, project::root().join("crates"));
    }

    #[test]
    fn what_a_learner_has_changed_is_never_overwritten() {
        let course = Course::new();
        course.lay_out(false);
        let copy = course.desk().copy(&course.original());
        fs::write(&copy, "mine").expect("written");
        assert_eq!(course.lay_out(true), LaidOut::default(), "nothing is newer");
        course.publish("two");
        assert_eq!(course.lay_out(false).outdated, std::slice::from_ref(&copy));
        assert_eq!(course.lay_out(true).copied.len(), 1);
        assert_eq!(course.copy(""), "mine");
        assert!(course.copy("-2").contains("two"));
        assert_eq!(course.lay_out(false), LaidOut::default(), "it is beside it");
        // The next one comes beside both.
        course.publish("three");
        assert_eq!(course.lay_out(true).copied.len(), 1);
        assert!(course.copy("-2").contains("two") && course.copy("-3").contains("three"));
        assert_eq!(course.copy(""), "mine");
    }

    #[test]
    fn a_copy_that_nobody_has_changed_is_renewed_and_one_that_is_gone_comes_back() {
        let course = Course::new();
        course.lay_out(false);
        course.publish("two");
        assert_eq!(course.lay_out(false).copied.len(), 1);
        assert!(course.copy("").contains("two"));
        fs::remove_file(course.desk().copy(&course.original())).expect("removed");
        assert_eq!(course.lay_out(false).copied.len(), 1);
        assert!(course.copy("").contains("two"));
    }

    #[test]
    fn a_file_that_was_there_before_is_the_learners() {
        let course = Course::new();
        let copy = course.desk().copy(&course.original());
        write(&copy, "mine").expect("written");
        assert_eq!(course.lay_out(false).outdated, [copy]);
        assert_eq!(course.lay_out(true).copied.len(), 1);
        assert_eq!(course.copy(""), "mine");
        assert!(course.copy("-2").contains("one"));
    }

    #[test]
    fn folders_in_the_way_are_named() {
        let course = Course::new();
        fs::create_dir_all(course.desk().folder().join("assets")).expect("a folder");
        let refused = course.desk().lay_out(&[], false).expect_err("refused");
        let message = refused.to_string();
        assert!(message.contains("assets is there already"), "{message}");
        let refused = Desk::at(&course.original()).err().expect("refused");
        assert!(
            refused
                .to_string()
                .ends_with("is no folder; name another one")
        );
    }
}
