//! Why a cell failed, for a learner.

use crate::evaluation::event::Variable;
use std::path::Path;

/// A failed cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind: `CompileError`, `Panic`, `Err`, `Interrupted`, `ProcessEnded` or
    /// `EvaluatorError`.
    pub kind: &'static str,
    /// What was wrong, in plain text.
    pub message: String,
    /// Below the message: where in the cell, and what to do; plain text.
    pub details: Vec<String>,
}

/// What a cell says for which another process had to be started.
pub const PROCESS_HAD_ENDED: &str =
    "The process that runs the cells had ended; all variables are lost.\n";

const BOLD_RED: &str = "\x1b[1;31m";
const NORMAL: &str = "\x1b[0m";

impl Failure {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// evcxr is there no more.
    pub(crate) fn no_evaluator() -> Failure {
        let message = "the evaluator has ended; start the kernel again (Kernel, Restart)";
        Failure::new("EvaluatorError", message)
    }

    /// There is no workspace, or no evaluator starts in it.
    pub(crate) fn no_workspace(reason: &str) -> Failure {
        let again = "; then start the kernel again (Kernel, Restart)";
        Failure::new("EvaluatorError", format!("{reason}{again}"))
    }

    /// The folder of the workspace is there no more.
    pub(crate) fn no_folder(folder: &Path) -> Failure {
        let message = format!(
            "the folder in which cells are compiled is gone: {}; start the kernel again \
             (Kernel, Restart)",
            folder.display()
        );
        Failure::new("EvaluatorError", message)
    }

    pub(crate) fn disk_is_full() -> Failure {
        let message = "the disk is full, so the cell could not be compiled; delete something and \
                       run the cell again";
        Failure::new("EvaluatorError", message)
    }

    /// A cell that did not stop was ended with the process in which it ran. `lost` are the
    /// variables that were in it.
    pub(crate) fn killed(lost: &[Variable]) -> Failure {
        let message = format!(
            "the cell did not stop by itself, so the process that runs the cells was ended. {}",
            lost_and_kept(lost)
        );
        Failure::new("Interrupted", message)
    }

    /// The end of the process that runs the cells. `how` is what evcxr says of it, `why` is the
    /// reason if it is known, `lost` are the variables that were in it.
    pub(crate) fn process_ended(how: &str, why: Option<&str>, lost: &[Variable]) -> Failure {
        let status = how
            .split_once("terminated with status: ")
            .map_or(how, |(_, status)| status);
        let lost = lost_and_kept(lost);
        let message = match why {
            Some(why) => format!("{why} The process that runs the cells has ended. {lost}"),
            None => format!("the process that runs the cells has ended ({status}). {lost}"),
        };
        Failure::new("ProcessEnded", message)
    }

    /// The same failure, of a cell that had moved these variables elsewhere before it failed.
    pub(crate) fn and_moved(mut self, moved: &[Variable]) -> Failure {
        if !moved.is_empty() {
            self.details.push(format!(
                "Lost with it, because this cell had moved it: {}. All other variables are as \
                 they were.",
                names(moved)
            ));
        }
        self
    }

    /// The lines that a notebook shows, with colours.
    pub fn traceback(&self) -> Vec<String> {
        let mut lines = match self.kind {
            // Its messages carry their own headings.
            "CompileError" => self.message.lines().map(coloured_heading).collect(),
            kind => vec![format!("{BOLD_RED}{kind}:{NORMAL} {}", self.message)],
        };
        lines.extend(self.details.iter().cloned());
        lines
    }

    /// The same in plain text.
    pub fn text(&self) -> String {
        let mut text = match self.kind {
            "CompileError" => self.message.clone(),
            kind => format!("{kind}: {}", self.message),
        };
        for line in &self.details {
            text += &format!("\n{line}");
        }
        text
    }
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

fn coloured_heading(line: &str) -> String {
    if line.starts_with("error") || line.trim_start().starts_with('^') {
        format!("{BOLD_RED}{line}{NORMAL}")
    } else {
        line.to_owned()
    }
}
