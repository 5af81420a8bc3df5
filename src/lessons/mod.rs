//! A learner's lessons: copies that remain the learner's own when a new version comes out.
//!
//! The text that each copy was made from is stored next to it. It shows what the learner has
//! changed, and what is newer in the project; only unchanged copies are ever replaced.

mod changes;
mod text;

use crate::project;
use crate::replaced_file;
use anyhow::{Context, Error, Result, bail};
use changes::{is_unchanged, say_the_same};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of the copies. Newer versions of changed copies go into folders with this name plus a
/// number.
const COPIES: &str = "my-lessons";
/// The folder of the published lessons, for reading.
const PUBLISHED: &str = "my-lessons-originals";
/// The folder, inside the folder of the copies, with the text that each copy was made from.
const BASES: &str = ".made-from";
/// A link to the project's crates, made by earlier versions. Kernels find the crates without it, and
/// it showed the exercises' solutions in the file browser.
const CRATES: &str = "crates";
/// The folder of the lessons' pictures and text files. It is copied, because Jupyter does not
/// follow links out of the folder that it serves.
const ASSETS: &str = "assets";
/// Where the copies are in a learner's home, unless the project is the learner's own.
const IN_HOME: &str = "attention-lessons";

/// The folder that Jupyter opens: it contains the copies, and the published lessons are one click away.
pub struct LearnerFolder {
    folder: PathBuf,
}

/// The result of [`LearnerFolder::lay_out`].
#[derive(Debug, Default)]
pub struct LaidOut {
    /// The copies that were created or, if unchanged, updated.
    pub copied: Vec<PathBuf>,
    /// Newer versions, stored next to copies that the learner has changed.
    pub newer: Vec<PathBuf>,
    /// All notebooks that are still exactly as they were made, just now or earlier.
    pub as_made: Vec<PathBuf>,
    /// The reasons why some things could not be copied; everything else was.
    pub failures: Vec<Error>,
}

/// The state in which a copy was found, and what was done about it.
#[derive(PartialEq)]
enum Found {
    /// Nothing, or an unchanged older copy; it was created or updated.
    Renewed,
    AsMade,
    /// The learner has changed or run it, but there is nothing newer.
    Used,
    /// A changed copy that has a newer version.
    Outdated,
}

impl LearnerFolder {
    /// The default folder for this learner's lessons: the project or, if that is not the learner's
    /// own, a folder in the user's home.
    pub fn of_this_learner() -> Result<LearnerFolder> {
        if project::is_own() {
            return Ok(LearnerFolder {
                folder: project::root().to_owned(),
            });
        }
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let home = home.context("there is no home folder: set HOME, or name a folder")?;
        LearnerFolder::at(&home.join(IN_HOME))
    }

    /// The learner folder at this path, whether it exists yet or not.
    pub fn at(folder: &Path) -> Result<LearnerFolder> {
        let folder = std::path::absolute(folder)?;
        if folder.exists() && !folder.is_dir() {
            bail!("{} is not a folder; name another one", folder.display());
        }
        Ok(LearnerFolder { folder })
    }

    /// The learner folder that contains this copy of a lesson, if one does.
    pub fn around(copy: &Path, name: &Path) -> Option<LearnerFolder> {
        let copies = copy.ancestors().nth(name.components().count())?;
        let is_one = copies.file_name()?.to_str()?.starts_with(COPIES);
        let folder = copies.parent().filter(|_| is_one)?.to_owned();
        Some(LearnerFolder { folder })
    }

    /// The path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The copy of a notebook, given its name in the folder of the lessons.
    pub fn copy(&self, name: &Path) -> PathBuf {
        self.folder.join(COPIES).join(name)
    }

    /// Creates missing copies and updates unchanged ones. Newer versions of changed copies are put
    /// next to them, and a note at the top of the copy says so. The notebooks are named as in
    /// `lessons`.
    pub fn lay_out(&self, lessons: &Path, names: &[PathBuf]) -> Result<LaidOut> {
        let made = fs::create_dir_all(&self.folder);
        made.with_context(|| format!("cannot make {}", self.folder.display()))?;
        let mut laid_out = LaidOut::default();
        let brought = self.bring_assets(project::root());
        laid_out.failures.extend(brought.err());
        for name in names {
            let published = self.lay_out_published(lessons, name);
            match published {
                Ok(published) => laid_out.as_made.push(published),
                Err(failure) => laid_out.failures.push(failure),
            }
            let copied = self.lay_out_copy(lessons, name, &mut laid_out);
            laid_out.failures.extend(copied.err());
        }
        Ok(laid_out)
    }

    fn lay_out_copy(&self, lessons: &Path, name: &Path, laid_out: &mut LaidOut) -> Result<()> {
        let published = text::copied(&lessons.join(name), &to_original(name))?;
        let copy = self.copy(name);
        match self.renew(&copy, name, published.as_bytes())? {
            Found::Renewed => {
                laid_out.copied.push(copy.clone());
                laid_out.as_made.push(copy);
            }
            Found::AsMade => laid_out.as_made.push(copy),
            Found::Used => {}
            Found::Outdated => {
                let beside = self.put_beside(&published, name, None)?;
                write(&self.base(name), published.as_bytes())?;
                let to_beside = way_from(name, beside.strip_prefix(&self.folder)?);
                let there = read(&copy)?.unwrap_or_default();
                let note = text::note(&to_original(name), Some(&to_beside));
                if let Some(text) = text::with_note(&there, &note) {
                    write(&copy, text.as_bytes())?;
                }
                laid_out.as_made.push(beside.clone());
                laid_out.newer.push(beside);
            }
        }
        Ok(())
    }

    /// Puts the published lesson next to the learner's copy, but never over the notebook `open`.
    pub fn fresh_copy(&self, lessons: &Path, name: &Path, open: &Path) -> Result<PathBuf> {
        let published = text::copied(&lessons.join(name), &to_original(name))?;
        self.put_beside(&published, name, Some(open))
    }

    /// Puts a copy into the first numbered folder that has no changed copy of the lesson.
    fn put_beside(&self, published: &str, name: &Path, open: Option<&Path>) -> Result<PathBuf> {
        let text = |copy: &str| text::linked_to(COPIES, name, copy);
        let new = text(published)?;
        let base = read(&self.base(name))?.unwrap_or_default();
        let old = String::from_utf8(base)
            .ok()
            .and_then(|base| text(&base).ok());
        let is_unchanged = |there: &[u8]| {
            let made = [Some(&new), old.as_ref()];
            let mut made = made.into_iter().flatten();
            made.any(|made| is_unchanged(there, made.as_bytes()))
        };
        let numbers = 2..;
        for number in numbers {
            let folder = self.folder.join(format!("{COPIES}-{number}"));
            // The copy keeps its name, because the kernel recognises the lesson by it.
            let file = folder.join(name);
            let is_free = read(&file)?.is_none_or(|there| is_unchanged(&there));
            if is_free && open != Some(&file) {
                write(&file, new.as_bytes())?;
                return Ok(file);
            }
        }
        bail!("there is no free number for {COPIES}")
    }

    /// Writes the copy for reading, if it differs from the published lesson, and returns its path.
    fn lay_out_published(&self, lessons: &Path, name: &Path) -> Result<PathBuf> {
        let file = self
            .folder
            .join(PUBLISHED)
            .join(text::name_of_published(name));
        let copy = Path::new(COPIES).join(name);
        let text = text::published(&lessons.join(name), &way_from(name, &copy))?;
        let text = text::linked_to(COPIES, name, &text)?;
        if read(&file)?.as_deref() != Some(text.as_bytes()) {
            write(&file, text.as_bytes())?;
        }
        Ok(file)
    }

    /// Creates a copy with this content, or updates one that is unchanged.
    fn renew(&self, copy: &Path, name: &Path, published: &[u8]) -> Result<Found> {
        let base = self.base(name);
        let (there, made_from) = (read(copy)?, read(&base)?);
        let made = made_from.as_deref().unwrap_or(published);
        let is_new = made_from.as_deref() != Some(published);
        match there {
            Some(there) if there == made && !is_new => return Ok(Found::AsMade),
            Some(there) if is_unchanged(&there, made) && !is_new => return Ok(Found::Used),
            Some(there) if is_unchanged(&there, made) => {}
            Some(_) if made_from.is_some() && say_the_same(made, published) => {
                return Ok(Found::Used);
            }
            Some(there) if is_unchanged(&there, published) => {}
            Some(_) => return Ok(Found::Outdated),
            None => {}
        }
        write(copy, published)?;
        write(&base, published)?;
        Ok(Found::Renewed)
    }

    /// The file with the text that a copy was made from.
    fn base(&self, name: &Path) -> PathBuf {
        self.folder.join(COPIES).join(BASES).join(name)
    }

    /// Outside the project, provides copies of the pictures and text files that lessons refer to.
    /// If the learner has a folder with this name, its files are kept and missing ones are added.
    fn bring_assets(&self, root: &Path) -> Result<()> {
        if self.folder == root {
            return Ok(());
        }
        for name in [CRATES, ASSETS] {
            let link = self.folder.join(name);
            if fs::read_link(&link).is_ok_and(|to| is_in_a_project(&to, name)) {
                fs::remove_file(&link)?; // made by an earlier version
            }
        }
        let assets = self.folder.join(ASSETS);
        if assets.exists() && !assets.is_dir() {
            bail!(
                "{} is a file, but lessons keep their pictures in a folder of this name; rename the file",
                assets.display()
            );
        }
        for name in files_below(root, Path::new(ASSETS))? {
            let content = read(&root.join(&name))?.unwrap_or_default();
            self.renew(&self.folder.join(&name), &name, &content)?;
        }
        Ok(())
    }
}

/// Whether a link leads to this folder of a project, even one that no longer exists.
fn is_in_a_project(to: &Path, name: &str) -> bool {
    let folder = to.parent().filter(|_| to.ends_with(name));
    folder.is_some_and(|folder| project::is_project(folder) || !folder.exists())
}

/// The lesson of which a notebook is a copy. An erratum has the same file name as its lesson.
pub fn name_of(notebook: &Path, names: &[PathBuf]) -> Option<PathBuf> {
    let names = names.iter().filter(|name| notebook.ends_with(name));
    names.max_by_key(|name| name.components().count()).cloned()
}

/// The relative path from a copy to the lesson as published.
fn to_original(name: &Path) -> String {
    way_from(
        name,
        &Path::new(PUBLISHED).join(text::name_of_published(name)),
    )
}

/// The relative path from a notebook in a folder of lessons to a file in the learner folder.
fn way_from(name: &Path, file: &Path) -> String {
    format!(
        "{}{}",
        "../".repeat(name.components().count()),
        file.display()
    )
}

/// The files under a folder of `root`, relative to `root`.
fn files_below(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let path = root.join(folder);
    let failed = || format!("cannot read {}", path.display());
    let mut files = Vec::new();
    for entry in path.read_dir().with_context(failed)? {
        let name = folder.join(entry.with_context(failed)?.file_name());
        match root.join(&name).is_dir() {
            true => files.extend(files_below(root, &name)?),
            false => files.push(name),
        }
    }
    Ok(files)
}

/// The contents of a file, if it exists.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match replaced_file::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Writes a file completely or not at all.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let folder = path.parent().with_context(failed)?;
    fs::create_dir_all(folder).with_context(failed)?;
    let mut file = tempfile::Builder::new();
    let made = file.prefix(".unfinished-").make_in(folder, |path| {
        fs::write(path, content)?;
        fs::File::open(path)
    });
    made.with_context(failed)?
        .persist(path)
        .with_context(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests;
