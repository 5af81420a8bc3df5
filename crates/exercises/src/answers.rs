//! Answers stored for grading, which happens in a process in which no learner's code has run.
//!
//! The process that runs a graded notebook only stores what the learner's functions returned. Its
//! own verdicts do not count, because the notebook's code could change them.

use crate::judge::outcome::Outcome;
use crate::verdict::Verdict;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder to keep answers in.
const ANSWERS: &str = "ATTENTION_NOTEBOOKS_ANSWERS";
/// The maximum number of bytes read from a stored answer: a notebook can write anything into the
/// folder.
const LARGEST: u64 = 64 << 20;

/// Stores the results of a learner's function. The first answer is kept until a right one replaces
/// it; a right one is replaced only by another right one.
pub(crate) fn keep(verdict: &Verdict) {
    let Some(path) = file(verdict.name) else {
        return;
    };
    if !path.exists() || verdict.is_right() {
        let mut bytes = vec![verdict.is_borrowed().into()];
        for judged in verdict.judged() {
            let outcome = match &judged.outcome {
                outcome @ (Outcome::Returned(_) | Outcome::Panicked(_) | Outcome::NotWritten) => {
                    outcome
                }
                _ => &Outcome::Panicked("it returned nothing".to_owned()),
            };
            // Writing to memory cannot fail.
            let _ = outcome.write(&mut bytes);
        }
        let _ = fs::write(path, bytes); // a missing answer is noticed in grading
    }
}

/// Keeps the first guess for a prediction.
pub(crate) fn keep_guess(name: &str, guess: &str) {
    if let Some(path) = file(name).filter(|path| !path.exists()) {
        let _ = fs::write(path, guess);
    }
}

/// Whether this notebook is being graded.
#[cfg(unix)]
pub(crate) fn are_kept() -> bool {
    folder().is_some()
}

fn folder() -> Option<OsString> {
    env::var_os(ANSWERS).filter(|folder| !folder.is_empty())
}

fn file(name: &str) -> Option<PathBuf> {
    Some(Path::new(&folder()?).join(name))
}

/// The answer stored under this name, if there is one.
pub(crate) fn read(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    let file = File::open(path).ok().filter(|_| is_file)?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Parses an answer: whether a forbidden function did the work, and the outcome of each probe.
pub(crate) fn outcomes(mut answer: &[u8], probes: usize) -> io::Result<(bool, Vec<Outcome>)> {
    let mut is_borrowed = [0];
    answer.read_exact(&mut is_borrowed)?;
    let outcomes: io::Result<Vec<Outcome>> =
        (0..probes).map(|_| Outcome::read(&mut answer)).collect();
    Ok((is_borrowed != [0], outcomes?))
}
