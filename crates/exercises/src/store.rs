//! Where the progress of this learner is kept.

use course_progress::{Error, ExerciseState, Progress, read, update_unless};
use notebook::interrupted;
use std::env;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The variable that names the folder of what set-up has made. The kernel of the lessons sets it;
/// where it is not set, progress lasts as long as the process.
const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

/// The folder of this project among those of a user's programs.
const APPLICATION: &str = "attention-notebooks";

/// Without a folder.
static IN_MEMORY: Mutex<Option<Progress>> = Mutex::new(None);

/// The folder with a file for each user.
fn folder() -> Option<PathBuf> {
    let generated = env::var_os(GENERATED).filter(|folder| !folder.is_empty())?;
    Some(course_progress::folder(
        &PathBuf::from(generated),
        APPLICATION,
    ))
}

/// Changes the progress, and returns what `change` returns.
pub(crate) fn change<T>(change: impl FnOnce(&mut Progress) -> T) -> Result<T, Error> {
    match folder() {
        // A cell that waits and is stopped ends in order, and keeps its variables.
        Some(folder) => update_unless(&interrupted, &folder, change),
        None => {
            let mut progress = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(change(progress.get_or_insert_default()))
        }
    }
}

/// The progress as it is.
pub(crate) fn now() -> Result<Progress, Error> {
    match folder() {
        Some(folder) => read(&folder),
        None => {
            let progress = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(progress.clone().unwrap_or_default())
        }
    }
}

/// Counts an attempt, and returns the progress with it; or what there is to say if that fails.
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
    recorded.map_err(|error| format!("It could not be saved: {error}"))
}

/// Counts an answer of which only the first decides; what there is to say of that.
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
        Err(error) => Some(format!("It could not be saved: {error}")),
    }
}
