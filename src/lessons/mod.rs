//! A learner's lessons: copies that remain the learner's own when a new version comes out.
//!
//! What the copies were made from is stored next to them. This shows what the learner has changed,
//! and what is newer in the project; only unchanged copies are ever replaced.

mod text;

use crate::project;
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The folder of the copies. Newer versions of what a learner has changed go into folders
/// with this name plus a number.
const COPIES: &str = "my-lessons";
/// The lessons as published, for reading.
const PUBLISHED: &str = "my-lessons-originals";
/// Inside the folder of the copies: what they were made from.
const BASES: &str = ".made-from";
/// Cells refer to it by a relative path, so the copies need it next to their folder, just as the
/// lessons do.
const CRATES: &str = "crates";
/// Pictures and texts of lessons. Jupyter does not follow links out of the folder it serves.
const ASSETS: &str = "assets";
/// Where the copies are in a learner's home, unless the project is the learner's own.
const IN_HOME: &str = "attention-lessons";

/// The folder that Jupyter opens, with the copies in it and the lessons as published one click away.
pub struct LearnerFolder {
    folder: PathBuf,
}

/// The result of [`LearnerFolder::lay_out`].
#[derive(Debug, Default, PartialEq)]
pub struct LaidOut {
    /// The copies that were created or, if unchanged, updated.
    pub copied: Vec<PathBuf>,
    /// The copies that have a newer published version.
    pub outdated: Vec<PathBuf>,
    /// All notebooks that are unchanged since they were made, now or earlier.
    pub as_made: Vec<PathBuf>,
}

/// What was found in place of a copy, and what was done about it.
#[derive(PartialEq)]
enum Found {
    /// Nothing, or an older copy, which was updated.
    Renewed,
    AsMade,
    /// A copy that the learner has changed.
    Changed,
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

    /// In another folder.
    pub fn at(folder: &Path) -> Result<LearnerFolder> {
        let folder = std::path::absolute(folder)?;
        if folder.exists() && !folder.is_dir() {
            bail!("{} is not a folder; name another one", folder.display());
        }
        Ok(LearnerFolder { folder })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The copy of a notebook, given its name in the folder of the lessons.
    pub fn copy(&self, name: &Path) -> PathBuf {
        self.folder.join(COPIES).join(name)
    }

    /// Creates missing copies and updates unchanged ones. With `refresh`, newer versions of changed
    /// copies are put next to them. The notebooks are named as in `lessons`.
    pub fn lay_out(&self, lessons: &Path, names: &[PathBuf], refresh: bool) -> Result<LaidOut> {
        self.bring_project(project::root())?;
        let mut laid_out = LaidOut::default();
        for name in names {
            let published = self.lay_out_published(lessons, name)?;
            laid_out.as_made.push(published);
            self.lay_out_copy(lessons, name, refresh, &mut laid_out)?;
        }
        Ok(laid_out)
    }

    fn lay_out_copy(
        &self,
        lessons: &Path,
        name: &Path,
        refresh: bool,
        laid_out: &mut LaidOut,
    ) -> Result<()> {
        let to_read = Path::new(PUBLISHED).join(text::name_of_published(name));
        let published = text::copied(&lessons.join(name), &way_from(name, &to_read))?;
        let copy = self.copy(name);
        match self.renew(&copy, name, published.as_bytes())? {
            Found::Renewed => {
                laid_out.copied.push(copy.clone());
                laid_out.as_made.push(copy);
            }
            Found::AsMade => laid_out.as_made.push(copy),
            Found::Changed => {}
            Found::Outdated if refresh => {
                let text = text::linked_to(&format!("../{COPIES}"), &published)?;
                let beside = self.free_beside(name, text.as_bytes())?;
                write(&beside, text.as_bytes())?;
                write(&self.base(name), published.as_bytes())?;
                laid_out.as_made.push(beside.clone());
                laid_out.copied.push(beside);
            }
            Found::Outdated => laid_out.outdated.push(copy),
        }
        Ok(())
    }

    /// The one for reading is always exactly as published.
    fn lay_out_published(&self, lessons: &Path, name: &Path) -> Result<PathBuf> {
        let file = self
            .folder
            .join(PUBLISHED)
            .join(text::name_of_published(name));
        let copy = Path::new(COPIES).join(name);
        let text = text::published(&lessons.join(name), &way_from(name, &copy))?;
        let text = text::linked_to(&format!("../{COPIES}"), &text)?;
        if read(&file)?.as_deref() != Some(text.as_bytes()) {
            write(&file, text.as_bytes())?;
        }
        Ok(file)
    }

    /// Creates a copy with this content, or updates one that is unchanged.
    fn renew(&self, copy: &Path, name: &Path, published: &[u8]) -> Result<Found> {
        let base = self.base(name);
        let (there, made_from) = (read(copy)?, read(&base)?);
        let is_new = made_from.as_deref() != Some(published);
        let made = made_from.as_deref().unwrap_or(published);
        match there {
            Some(there) if there != made && is_new => Ok(Found::Outdated),
            Some(there) if there != made => Ok(Found::Changed),
            Some(_) if !is_new => Ok(Found::AsMade),
            _ => {
                write(copy, published)?;
                write(&base, published)?;
                Ok(Found::Renewed)
            }
        }
    }

    /// What a copy was made from.
    fn base(&self, name: &Path) -> PathBuf {
        self.folder.join(COPIES).join(BASES).join(name)
    }

    /// A place with no lesson of this name, or with an identical one. The file keeps its name, by
    /// which the kernel recognises the lesson.
    fn free_beside(&self, name: &Path, text: &[u8]) -> Result<PathBuf> {
        let numbers = 2..;
        for number in numbers {
            let folder = self.folder.join(format!("{COPIES}-{number}"));
            let file = folder.join(name);
            if read(&file)?.is_none_or(|there| there == text) {
                return Ok(file);
            }
        }
        bail!("there is no free number for {COPIES}")
    }

    /// Outside the project, provides what lessons refer to: copies of what Jupyter serves, and a
    /// link to the crates, which only cells read.
    fn bring_project(&self, root: &Path) -> Result<()> {
        let made = fs::create_dir_all(&self.folder);
        made.with_context(|| format!("cannot make {}", self.folder.display()))?;
        if self.folder == root {
            return Ok(());
        }
        self.link(&root.join(CRATES), CRATES)?;
        let assets = self.folder.join(ASSETS);
        if assets.is_symlink() {
            fs::remove_file(&assets)?; // a link made by an earlier version
        }
        let bases = self.base(Path::new(ASSETS));
        if assets.exists() && !bases.exists() {
            bail!(is_in_the_way(&assets));
        }
        fs::create_dir_all(&bases).with_context(|| format!("cannot make {}", bases.display()))?;
        for name in files_below(root, Path::new(ASSETS))? {
            let content = read(&root.join(&name))?.unwrap_or_default();
            self.renew(&self.folder.join(&name), &name, &content)?;
        }
        Ok(())
    }

    fn link(&self, from: &Path, name: &str) -> Result<()> {
        let link = self.folder.join(name);
        match fs::read_link(&link) {
            Ok(to) if to == from => return Ok(()),
            Ok(_) => fs::remove_file(&link)?, // the project's previous location
            Err(_) if link.exists() => bail!(is_in_the_way(&link)),
            Err(_) => {}
        }
        symlink(from, &link).with_context(|| format!("cannot write {}", link.display()))
    }
}

fn is_in_the_way(path: &Path) -> String {
    format!(
        "{} already exists, but lessons need this name; name another folder",
        path.display()
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

/// The files below a folder of `root`, relative to `root`.
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
    match fs::read(path) {
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
