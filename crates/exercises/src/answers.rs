//! Answers for a teacher, who judges them in a process in which no code of the learner has run.
//!
//! Where a notebook is graded, its own process only keeps what the learner's functions returned. What
//! that process says about being right does not count: the notebook's code can change it.

use crate::attempt::Attempt;
use crate::judge::outcome::Outcome;
use crate::judge::{compared, is_given};
use crate::make_course::Course;
use crate::prediction::Prediction;
use crate::verdict::{AnswerState, Verdict};
use serde_json::{Map, Value};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The environment variable with the folder to keep answers in.
const ANSWERS: &str = "ATTENTION_NOTEBOOKS_ANSWERS";
/// The largest answer that is read: a notebook can write anything into the folder.
const LARGEST: u64 = 64 << 20;

/// Keeps the results of a learner's function: those of the first right answer or, without one, of the
/// first answer.
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
            // Only fails where memory does.
            let _ = outcome.write(&mut bytes);
        }
        let _ = fs::write(path, bytes); // the grader notices what is missing
    }
}

/// Keeps the first guess in a prediction.
pub(crate) fn keep_guess(name: &str, guess: &str) {
    if let Some(path) = file(name).filter(|path| !path.exists()) {
        let _ = fs::write(path, guess);
    }
}

/// Whether this notebook is graded.
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

/// What is kept under this name, if anything is.
fn read(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    let file = File::open(path).ok().filter(|_| is_file)?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

impl Course {
    /// Judges the answers that a notebook has left in a folder: the names of those that were
    /// attempted, each with `"right"` or `"wrong"`, in JSON.
    ///
    /// ```
    /// let nothing = std::env::temp_dir().join("no such folder");
    /// assert_eq!(exercises::COURSE.grades(&nothing), "{}");
    /// ```
    pub fn grades(&self, folder: &Path) -> String {
        let mut grades = Map::new();
        let mut grade = |name: &str, state: AnswerState| {
            let state = match state {
                AnswerState::NotAttempted => return,
                AnswerState::Wrong => "wrong",
                AnswerState::Right => "right",
            };
            grades.insert(name.to_owned(), state.into());
        };
        for exercise in self.exercises {
            if let Some(answer) = read(folder, exercise.name()) {
                grade(exercise.name(), exercise.grade(&answer));
            }
        }
        for prediction in self.predictions {
            if let Some(guess) = read(folder, prediction.name) {
                grade(prediction.name, of_guess(prediction, &guess));
            }
        }
        Value::from(grades).to_string()
    }
}

fn of_guess(prediction: &Prediction, guess: &[u8]) -> AnswerState {
    match prediction.right.is(&String::from_utf8_lossy(guess)) {
        Ok(true) => AnswerState::Right,
        Ok(false) => AnswerState::Wrong,
        Err(_) => AnswerState::NotAttempted,
    }
}

/// The state of an answer of which only the results are known.
pub(crate) fn grade(attempt: &dyn Attempt, answer: &[u8]) -> AnswerState {
    let probes = attempt.probes().len();
    let Ok((is_borrowed, outcomes)) = outcomes(answer, probes) else {
        return AnswerState::Wrong;
    };
    let judged = compared(attempt, outcomes);
    if is_given(attempt, &judged) {
        return AnswerState::NotAttempted;
    }
    match Verdict::new(attempt.texts(), judged, None).state() {
        AnswerState::Right if is_borrowed => AnswerState::Wrong,
        state => state,
    }
}

/// Whether a forbidden function did the work, and the outcomes of a number of probes.
pub(crate) fn outcomes(mut answer: &[u8], probes: usize) -> io::Result<(bool, Vec<Outcome>)> {
    let mut is_borrowed = [0];
    answer.read_exact(&mut is_borrowed)?;
    let outcomes: io::Result<Vec<Outcome>> =
        (0..probes).map(|_| Outcome::read(&mut answer)).collect();
    Ok((is_borrowed != [0], outcomes?))
}
