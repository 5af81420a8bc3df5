//! Keeps this learner's progress.

#[cfg(unix)]
use crate::answers;
use course_progress::{Error, ExerciseState, Progress};
use std::error::Error as _;
use std::sync::{Mutex, PoisonError};

/// The environment variable with the folder that set-up creates. The lessons' kernel sets it;
/// without it, progress lasts only as long as the process.
#[cfg(unix)]
const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

/// The project's folder in a user's data folder.
#[cfg(unix)]
const APPLICATION: &str = "attention-notebooks";

/// The progress, if there is no folder to keep it in.
static IN_MEMORY: Mutex<Option<Progress>> = Mutex::new(None);

/// The folder that has a file for each user.
#[cfg(unix)]
fn folder() -> Option<std::path::PathBuf> {
    if answers::are_kept() {
        return None; // in grading, a notebook's own verdicts do not count
    }
    let generated = std::env::var_os(GENERATED).filter(|folder| !folder.is_empty())?;
    Some(course_progress::folder(generated.as_ref(), APPLICATION))
}

/// Changes the progress, and returns what `change` returns.
pub(crate) fn change<T>(change: impl FnOnce(&mut Progress) -> T) -> Result<T, Error> {
    // If a waiting cell is interrupted, it ends normally, and its variables are kept.
    #[cfg(unix)]
    if let Some(folder) = folder() {
        return course_progress::update_unless(&notebook::interrupted, &folder, change);
    }
    let mut progress = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(change(progress.get_or_insert_default()))
}

/// The current progress.
pub(crate) fn now() -> Result<Progress, Error> {
    #[cfg(unix)]
    if let Some(folder) = folder() {
        return course_progress::read(&folder);
    }
    let progress = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(progress.clone().unwrap_or_default())
}

/// An error as a notebook shows it, with its cause.
pub(crate) fn with_cause(error: &Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn not_saved(error: &Error) -> String {
    format!("It could not be saved: {}", with_cause(error))
}

/// Counts an attempt and returns the new progress, or a message if that fails.
pub(crate) fn record(name: &str, is_right: bool) -> Result<Progress, String> {
    let state = if is_right {
        ExerciseState::Right
    } else {
        ExerciseState::Wrong
    };
    let recorded = change(|progress| {
        progress.record(name, state);
        progress.clone()
    });
    recorded.map_err(|error| not_saved(&error))
}

/// Records an answer to a prediction; returns a message if it could not be saved, or if it does not
/// count because the first answer had another result.
pub(crate) fn record_first(name: &str, is_right: bool) -> Option<String> {
    let state = if is_right {
        ExerciseState::Right
    } else {
        ExerciseState::Wrong
    };
    match change(|progress| progress.record_first(name, state)) {
        Ok(counts) if counts == state => None,
        Ok(ExerciseState::Right) => Some("Your first answer was right, and counts.".to_owned()),
        Ok(_) => Some("Your first answer counts; this one is noted as corrected.".to_owned()),
        Err(error) => Some(not_saved(&error)),
    }
}
