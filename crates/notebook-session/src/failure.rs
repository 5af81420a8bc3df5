//! Failures of cells, worded for learners.

use crate::variable::Variable;
pub use notebook::evaluator::Failure;
use std::path::Path;

/// Shown by the first cell after the cells' process has ended between cells.
pub const PROCESS_HAD_ENDED: &str =
    "The process that runs the cells had ended; all variables are lost.\n";

/// The kernel has no working folder, or the cells' process does not start.
pub fn no_evaluator(reason: &str) -> Failure {
    let again = "; then start the kernel again (Kernel, Restart)";
    Failure::new("EvaluatorError", format!("{reason}{again}"))
}

/// The folder in which cells are compiled no longer exists.
pub fn no_folder(folder: &Path) -> Failure {
    let message = format!(
        "the folder in which cells are compiled is gone: {}; start the kernel again (Kernel, \
         Restart)",
        folder.display()
    );
    Failure::new("EvaluatorError", message)
}

pub fn disk_is_full() -> Failure {
    let message = "the disk is full, so the cell could not be compiled; delete something and run \
                   the cell again";
    Failure::new("EvaluatorError", message)
}

/// The cell was interrupted and stopped by itself, or had not started yet.
pub fn stopped() -> Failure {
    Failure::new("Interrupted", "stopped; all variables are kept")
}

/// The cell did not stop, so its process was killed. `lost` are the variables it held.
pub fn killed(lost: &[Variable]) -> Failure {
    let message = format!(
        "the cell did not stop by itself, so the process that runs the cells was ended. {}",
        lost_and_kept(lost)
    );
    Failure::new("Interrupted", message)
}

/// The cells' process has died. `how` is the exit status as text, `why` is the reason if known,
/// `lost` are the variables it held.
pub fn process_ended(how: &str, why: Option<&str>, lost: &[Variable]) -> Failure {
    let lost = lost_and_kept(lost);
    let message = match why {
        Some(why) => format!("{why} The process that runs the cells has ended. {lost}"),
        None => format!("the process that runs the cells has ended ({how}). {lost}"),
    };
    Failure::new("ProcessEnded", message)
}

/// Adds that the cell had moved these variables before it failed.
pub fn and_moved(mut failure: Failure, moved: &[Variable]) -> Failure {
    if !moved.is_empty() {
        failure.details.push(format!(
            "Lost with it, because this cell had moved it: {}. All other variables are as they \
             were.",
            names(moved)
        ));
    }
    failure
}

fn lost_and_kept(lost: &[Variable]) -> String {
    let lost = match lost {
        [] => "There were no variables to lose.".to_owned(),
        _ => format!("Its variables are lost: {}.", names(lost)),
    };
    format!(
        "{lost} Functions, types and crates are still there; run the cells that define the \
         variables again."
    )
}

fn names(variables: &[Variable]) -> String {
    let names: Vec<&str> = variables.iter().map(|one| one.name.as_str()).collect();
    names.join(", ")
}
