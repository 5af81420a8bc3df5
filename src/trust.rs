//! Signs notebooks so that JupyterLab trusts them: it shows controls only in notebooks whose
//! outputs it has produced itself, or that are signed.

use crate::{jupyter_folders, project, python};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

/// Which JupyterLab will open the notebooks.
#[derive(Clone, Copy, PartialEq)]
pub enum Reader {
    /// The project's own JupyterLab.
    Lab,
    /// The project's JupyterLab, or the one in the search path: both trust the notebooks.
    Any,
}

/// Signs notebooks whose outputs come from the project.
///
/// A failure to sign is not an error: without Jupyter there is nothing to sign for, and an unsigned
/// notebook says how to get its controls.
pub fn sign(notebooks: &[PathBuf], reader: Reader) {
    if project::installed().is_none() && python::interpreter().exists() {
        let mut signer = Command::new(python::interpreter());
        signer
            .args(["-m", "nbformat.sign"])
            .envs(jupyter_folders::inside_the_project());
        let folder = jupyter_folders::data();
        Trusted { folder }.sign(notebooks, signer);
    }
    if reader == Reader::Any {
        let mut signer = Command::new("jupyter");
        signer.arg("trust");
        run(signer, notebooks);
    }
}

/// Whether the signer has signed all of these notebooks.
fn run(mut signer: Command, notebooks: &[PathBuf]) -> bool {
    if notebooks.is_empty() {
        return true;
    }
    let quiet = signer.args(notebooks).stdin(Stdio::null());
    let ended = quiet.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.is_ok_and(|status| status.success())
}

/// A record of the notebooks that have been signed. When JupyterLab starts, only the others are:
/// signing all lessons takes three seconds.
struct Trusted {
    /// The folder of JupyterLab's signatures.
    folder: PathBuf,
}

impl Trusted {
    /// A file with a line for each notebook.
    const RECORD: &str = "trusted";
    /// JupyterLab's database.
    const SIGNATURES: &str = "nbsignatures.db";

    /// Signs the notebooks that have not been signed in their current state.
    fn sign(&self, notebooks: &[PathBuf], signer: Command) {
        let record = self.folder.join(Self::RECORD);
        let known = fs::read_to_string(&record).unwrap_or_default();
        let known: BTreeSet<&str> = known.lines().collect();
        let is_trusted = |file: &Path| self.line(file).is_ok_and(|line| known.contains(&*line));
        let unsigned = notebooks.iter().filter(|file| !is_trusted(file));
        let unsigned: Vec<PathBuf> = unsigned.cloned().collect();
        if unsigned.is_empty() || !run(signer, &unsigned) {
            return;
        }
        let earlier = known.iter().filter(|line| {
            let file = line.splitn(4, ' ').nth(3).map(Path::new);
            file.is_some_and(is_trusted)
        });
        let new = unsigned.iter().filter_map(|file| self.line(file).ok());
        let lines: BTreeSet<String> = earlier.map(ToString::to_string).chain(new).collect();
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        let _ = fs::write(record, text); // without it, they are signed again
    }

    /// The notebook's line in the record. It changes with the notebook, and with a new database.
    fn line(&self, notebook: &Path) -> io::Result<String> {
        let database = fs::metadata(self.folder.join(Self::SIGNATURES))?;
        let made = database.created().ok(); // the inode number alone may be reused
        let made = made.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let database = format!("{}-{}", database.ino(), made.unwrap_or_default().as_nanos());
        let of_file = fs::metadata(notebook)?;
        let time = of_file.mtime_nsec() + 1_000_000_000 * of_file.mtime();
        let (size, path) = (of_file.len(), notebook.display());
        Ok(format!("{database} {size} {time} {path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the notebooks passed to a signer, which creates the database as JupyterLab's
    /// does.
    fn signs(folder: &Path, notebooks: &[PathBuf]) -> Vec<String> {
        let told = folder.join("told");
        let _ = fs::remove_file(&told);
        let mut signer = Command::new("sh");
        let script = r#"touch "$1"/nbsignatures.db; shift; basename -a "$@" > "$0""#;
        signer.args(["-c", script]).arg(&told).arg(folder);
        let folder = folder.to_owned();
        Trusted { folder }.sign(notebooks, signer);
        let told = fs::read_to_string(told).unwrap_or_default();
        told.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_notebook_is_signed_again_once_it_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let [one, other] = ["one", "an other"].map(|name| folder.join(name));
        let both = [one.clone(), other.clone()];
        fs::write(&one, "1").expect("a file");
        fs::write(&other, "2").expect("a file");
        assert_eq!(signs(folder, &both), ["one", "an other"]);
        assert!(signs(folder, &both).is_empty());
        fs::write(&other, "2 and more").expect("a file");
        assert_eq!(signs(folder, &both), ["an other"]);
        assert!(signs(folder, &both).is_empty());
        fs::remove_file(folder.join(Trusted::SIGNATURES)).expect("the database");
        assert_eq!(signs(folder, &both), ["one", "an other"]);
    }

    #[test]
    fn a_signer_that_fails_is_asked_again() {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path().to_owned();
        let file = [folder.join("one")];
        fs::write(&file[0], "1").expect("a file");
        Trusted { folder }.sign(&file, Command::new("false"));
        assert_eq!(signs(made.path(), &file), ["one"]);
    }
}
