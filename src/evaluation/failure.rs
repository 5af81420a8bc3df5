//! Why a cell failed, for a learner.

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

const BOLD_RED: &str = "\x1b[1;31m";
const NORMAL: &str = "\x1b[0m";

impl Failure {
    pub fn new(kind: &'static str, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            details: Vec::new(),
        }
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

fn coloured_heading(line: &str) -> String {
    if line.starts_with("error") || line.trim_start().starts_with('^') {
        format!("{BOLD_RED}{line}{NORMAL}")
    } else {
        line.to_owned()
    }
}
