//! Files that all users can read but only their owner can change.

use anyhow::{Context, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Whether to copy a file or folder.
pub enum Copied {
    Yes,
    No,
}

/// Copies a file, a link or a folder, leaving out whatever `choose` rejects: anything inside the
/// folder, or `from` itself. Existing files are replaced, one by one.
pub fn copy(from: &Path, to: &Path, choose: &dyn Fn(&Path) -> Copied) -> Result<()> {
    if matches!(choose(from), Copied::No) {
        return Ok(());
    }
    let failed = || format!("cannot copy {} to {}", from.display(), to.display());
    let kind = from.symlink_metadata().with_context(failed)?.file_type();
    if kind.is_dir() {
        fs::create_dir_all(to).with_context(failed)?;
        for entry in from.read_dir().with_context(failed)? {
            let entry = entry.with_context(failed)?;
            copy(&entry.path(), &to.join(entry.file_name()), choose)?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    remove(to)?;
    match kind.is_symlink() {
        true => symlink(fs::read_link(from).with_context(failed)?, to).with_context(failed),
        false => copy_file(from, to).with_context(failed),
    }
}

/// Makes a file or folder a copy of another one, and returns whether that changed anything. Files
/// with the same content are left alone, and the others get the current time, so that cargo knows
/// what to recompile even if `from` is a different, older checkout.
pub fn mirror(from: &Path, to: &Path, choose: &dyn Fn(&Path) -> Copied) -> Result<bool> {
    let failed = || format!("cannot copy {} to {}", from.display(), to.display());
    if !from.symlink_metadata().with_context(failed)?.is_dir() {
        if is_same(from, to).unwrap_or(false) {
            return Ok(false);
        }
        remove(to)?;
        copy(from, to, choose)?;
        if !to.is_symlink() {
            let file = File::options().append(true).open(to).with_context(failed)?;
            file.set_modified(SystemTime::now()).with_context(failed)?;
        }
        return Ok(true);
    }
    if !to.is_dir() || to.is_symlink() {
        remove(to)?;
        fs::create_dir_all(to).with_context(failed)?;
    }
    let mut has_changed = false;
    for entry in to.read_dir().with_context(failed)? {
        let there = entry.with_context(failed)?;
        if from.join(there.file_name()).symlink_metadata().is_err() {
            remove(&there.path())?;
            has_changed = true;
        }
    }
    for entry in from.read_dir().with_context(failed)? {
        let name = entry.with_context(failed)?.file_name();
        if let Copied::Yes = choose(&from.join(&name)) {
            has_changed |= mirror(&from.join(&name), &to.join(&name), choose)?;
        }
    }
    Ok(has_changed)
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    if one.is_symlink() || other.is_symlink() {
        return Ok(fs::read_link(one)? == fs::read_link(other)?);
    }
    let is_executable = |path: &Path| -> io::Result<bool> {
        Ok(path.metadata()?.permissions().mode() & 0o100 != 0)
    };
    Ok(is_executable(one)? == is_executable(other)? && fs::read(one)? == fs::read(other)?)
}

/// Copies a file with its modification time, which cargo relies on.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = from.metadata()?.modified()?;
    File::options()
        .append(true)
        .open(to)?
        .set_modified(modified)
}

/// Lets all users read a file or folder and everything in it, but only the owner write to them.
/// Times are truncated to whole seconds, because container images store no fractions, and compiled
/// files must keep their times there.
pub fn open_to_all(path: &Path) -> Result<()> {
    let failed = || format!("cannot change the rights of {}", path.display());
    let metadata = path.symlink_metadata().with_context(failed)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    let runs = metadata.permissions().mode() & 0o100 != 0;
    let mode = if runs { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode)).with_context(failed)?;
    if metadata.is_dir() {
        for entry in path.read_dir().with_context(failed)? {
            open_to_all(&entry.with_context(failed)?.path())?;
        }
        return Ok(());
    }
    let modified = metadata.modified().with_context(failed)?;
    let file = File::options()
        .append(true)
        .open(path)
        .with_context(failed)?;
    file.set_modified(whole_seconds(modified))
        .with_context(failed)
}

fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = since.unwrap_or_default().as_secs();
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Removes a file, a link or a folder, if it exists.
pub fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_changed_is_newer() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_234);
        let write = |path: &Path, text: &str| -> Result<()> {
            fs::create_dir_all(path.parent().context("a folder")?)?;
            fs::write(path, text)?;
            Ok(File::options().append(true).open(path)?.set_modified(old)?)
        };
        for (name, text) in [
            ("src/a", "a"),
            ("src/b", "b"),
            ("c", "c"),
            ("target/d", "d"),
        ] {
            write(&from.join(name), text)?;
        }
        symlink("c", from.join("link"))?;
        let all_but_target = |file: &Path| match file.ends_with("target") {
            true => Copied::No,
            false => Copied::Yes,
        };
        let run = || mirror(&from, &to, &all_but_target);
        assert!(run()? && !run()?);
        assert!(!to.join("target").exists());
        write(&to.join("src/a"), "a")?; // installed long ago
        write(&from.join("src/b"), "B")?; // from another checkout, older than what is installed
        fs::remove_file(from.join("c"))?;
        let before = SystemTime::now() - Duration::from_secs(60);
        assert!(run()? && !run()?);
        let modified = |name: &str| to.join(name).metadata().and_then(|one| one.modified());
        assert!(modified("src/a")? == old && modified("src/b")? > before);
        assert_eq!(fs::read_to_string(to.join("src/b"))?, "B");
        assert!(!to.join("c").exists() && to.join("link").is_symlink());
        Ok(())
    }

    #[test]
    fn everybody_reads_and_only_the_owner_writes() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (from, to) = (folder.path().join("from"), folder.path().join("to/copy"));
        fs::create_dir_all(from.join("target"))?;
        for (name, mode) in [("secret", 0o600), ("program", 0o777), ("target/x", 0o644)] {
            fs::write(from.join(name), name)?;
            fs::set_permissions(from.join(name), Permissions::from_mode(mode))?;
        }
        symlink("secret", from.join("link"))?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567);
        let file = File::options().append(true).open(from.join("secret"))?;
        file.set_modified(time)?;
        for _ in 0..2 {
            copy(&from, &to, &|file| match file.ends_with("target") {
                true => Copied::No,
                false => Copied::Yes,
            })?;
            open_to_all(&to)?;
        }
        let mode = |name: &str| -> Result<u32> {
            Ok(to.join(name).metadata()?.permissions().mode() & 0o777)
        };
        assert_eq!(
            [mode("")?, mode("secret")?, mode("program")?],
            [0o755, 0o644, 0o755]
        );
        assert_eq!(fs::read_link(to.join("link"))?, Path::new("secret"));
        assert!(!to.join("target").exists());
        let expected = SystemTime::UNIX_EPOCH + Duration::from_secs(1_234);
        assert_eq!(to.join("secret").metadata()?.modified()?, expected);
        assert_eq!(from.join("secret").metadata()?.modified()?, time);
        remove(&to)?;
        remove(&to)?;
        assert!(from.join("secret").exists());
        Ok(())
    }
}
