//! Folders: copied, deleted.

use anyhow::{Context, Result};
use std::env;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::Path;

/// A file in each workspace that is locked as long as its kernel lives.
pub const OWNER: &str = "owner.lock";

/// Who may use a copy.
#[derive(Clone, Copy)]
pub enum Rights {
    /// Its user alone.
    User,
    /// Whoever may use the original.
    AsBefore,
}

impl Rights {
    /// What is left of the rights of a file or folder.
    fn of(self, mode: u32) -> u32 {
        match self {
            Rights::User => mode & 0o700,
            Rights::AsBefore => mode,
        }
    }
}

/// How a copy has the files that are most of what there is to copy.
#[derive(Clone, Copy)]
pub enum Sharing {
    /// As second names of what rustc writes elsewhere and then puts in place as a whole: never is
    /// one of them changed. Linkers do write into what is there, so theirs are copied. Where the
    /// system allows no second names, as on another file system, all are copied.
    Names,
    /// As links to an original that others have and nobody changes. It may be another user's, of
    /// whose files the system allows no second names.
    Links,
}

/// Whether a file is a program by which cargo has built a crate. Cargo takes it away, too, before it
/// makes it anew.
fn is_build_script(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.replace('_', "-").starts_with("build-script-build"))
}

impl Sharing {
    /// Which files are not copied.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Sharing::Names => &["rlib", "rmeta"],
            // Cargo takes a library away before it has it linked anew.
            Sharing::Links => &["rlib", "rmeta", env::consts::DLL_EXTENSION],
        }
    }

    /// Whether the file is there now without having been copied. Its rights are those of the
    /// original; nobody else gets through the folder above.
    fn share(self, from: &Path, to: &Path) -> bool {
        let kind = from.extension().and_then(|kind| kind.to_str());
        let is_shared = match kind {
            Some(kind) => self.kinds().contains(&kind),
            None => matches!(self, Sharing::Links) && is_build_script(from),
        };
        is_shared
            && match self {
                Sharing::Names => fs::hard_link(from, to).is_ok(),
                Sharing::Links => symlink(from, to).is_ok(),
            }
    }
}

/// Copies a folder, except for its owner's lock.
pub fn copy_folder(from: &Path, to: &Path, rights: Rights, sharing: Sharing) -> Result<()> {
    copy_tree(from, to, rights, sharing)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies with the times of the files, by which cargo tells what is up to date. What is there
/// already is taken away first: it may be another name of what is copied, and copying would empty
/// both.
fn copy_tree(from: &Path, to: &Path, rights: Rights, sharing: Sharing) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    folder.recursive(true).mode(rights.of(0o777)).create(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target, rights, sharing)?;
            continue;
        }
        if entry.file_name() == OWNER {
            continue;
        }
        let _ = fs::remove_file(&target); // mostly it is not there
        if !sharing.share(&entry.path(), &target) {
            fs::copy(entry.path(), &target)?;
            let original = entry.metadata()?;
            let copy = File::options().append(true).open(&target)?;
            copy.set_modified(original.modified()?)?;
            let mode = rights.of(original.permissions().mode());
            copy.set_permissions(Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// Deletes a folder that may not be there.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// A path as it stands in a manifest.
pub fn utf8(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_has_the_times_of_the_files_and_no_lock() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::create_dir(from.path().join("inner"))?;
        let file = from.path().join("inner/lib.rs");
        fs::write(&file, "text")?;
        fs::write(from.path().join(OWNER), "")?;
        let a_day_ago = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        File::options()
            .append(true)
            .open(&file)?
            .set_modified(a_day_ago)?;
        copy_folder(from.path(), to.path(), Rights::AsBefore, Sharing::Names)?;
        let copy = to.path().join("inner/lib.rs");
        assert_eq!(fs::read_to_string(&copy)?, "text");
        assert_eq!(copy.metadata()?.modified()?, file.metadata()?.modified()?);
        assert!(!to.path().join(OWNER).exists());
        Ok(())
    }

    #[test]
    fn what_is_never_changed_is_shared() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        for name in ["a.rlib", "a.rmeta", "a.so", "a.d"] {
            fs::write(from.path().join(name), name)?;
        }
        copy_folder(from.path(), to.path(), Rights::User, Sharing::Names)?;
        let names = |name: &str| -> Result<u64> { Ok(to.path().join(name).metadata()?.nlink()) };
        let names = [
            names("a.rlib")?,
            names("a.rmeta")?,
            names("a.so")?,
            names("a.d")?,
        ];
        assert_eq!(names, [2, 2, 1, 1]);
        Ok(())
    }

    #[test]
    fn a_copy_of_an_installation_is_of_links() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let library = format!("a{}", env::consts::DLL_SUFFIX);
        for name in ["a.rlib", "a.rmeta", &library, "a.d", "build_script_build-1"] {
            fs::write(from.path().join(name), name)?;
        }
        // A second time, too: what is replaced is the link, not what it leads to.
        for _ in 0..2 {
            copy_folder(from.path(), to.path(), Rights::User, Sharing::Links)?;
        }
        for (name, is_link) in [
            ("a.rlib", true),
            (&library, true),
            ("a.d", false),
            ("build_script_build-1", true),
        ] {
            let copy = to.path().join(name);
            assert_eq!(copy.is_symlink(), is_link, "{name}");
            assert_eq!(fs::read_to_string(copy)?, name);
            assert_eq!(fs::read_to_string(from.path().join(name))?, name);
        }
        Ok(())
    }

    #[test]
    fn a_second_copy_to_the_same_place_leaves_the_original_as_it_is() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        for name in ["a.rlib", "a.so"] {
            fs::write(from.path().join(name), name)?;
        }
        for _ in 0..2 {
            copy_folder(from.path(), to.path(), Rights::User, Sharing::Names)?;
            for name in ["a.rlib", "a.so"] {
                assert_eq!(fs::read_to_string(from.path().join(name))?, name);
                assert_eq!(fs::read_to_string(to.path().join(name))?, name);
            }
        }
        Ok(())
    }

    #[test]
    fn a_copy_can_be_for_its_user_alone() -> Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let inner = from.path().join("inner");
        fs::create_dir(&inner)?;
        fs::set_permissions(&inner, Permissions::from_mode(0o755))?;
        for (name, mode) in [("lib.rs", 0o644), ("build", 0o755)] {
            fs::write(inner.join(name), "")?;
            fs::set_permissions(inner.join(name), Permissions::from_mode(mode))?;
        }
        let modes = |copy: &str, rights| -> Result<[u32; 3]> {
            let copy = to.path().join(copy);
            copy_folder(from.path(), &copy, rights, Sharing::Names)?;
            let mode = |name: &str| -> Result<u32> {
                Ok(copy.join(name).metadata()?.permissions().mode() & 0o777)
            };
            Ok([mode("inner")?, mode("inner/lib.rs")?, mode("inner/build")?])
        };
        assert_eq!(modes("alone", Rights::User)?, [0o700, 0o600, 0o700]);
        assert_eq!(modes("same", Rights::AsBefore)?[1..], [0o644, 0o755]);
        Ok(())
    }
}
