//! What the compiler says about a cell, in terms of the cell.

use crate::evaluation::failure::Failure;
use evcxr::{CompilationError, Error};
use unicode_width::UnicodeWidthStr;

/// The failure that an evaluator's error about a cell means. `added` is the number of
/// the line that was added to the cell.
pub fn failure(error: Error, cell: &str, added: Option<usize>) -> Failure {
    match error {
        Error::CompilationErrors(errors) => {
            let mut errors: Vec<String> = errors
                .iter()
                .map(|error| readable(error, cell, added))
                .collect();
            errors.dedup();
            Failure::new("CompileError", errors.join("\n"))
        }
        error => {
            let message = error.to_string();
            if message.contains("No space left on device") {
                return Failure::new(
                    "EvaluatorError",
                    "the disk is full, so the cell could not be compiled; delete something and \
                     run the cell again",
                );
            }
            Failure::new("CompileError", format!("error: {}", message.trim()))
        }
    }
}

/// The message, the lines of the cell that it is about with the place marked, and
/// the help.
fn readable(error: &CompilationError, cell: &str, added: Option<usize>) -> String {
    let code = error
        .code()
        .map(|code| format!("[{code}]"))
        .unwrap_or_default();
    let mut text = format!("{}{code}: {}", error.level(), error.message());
    let lines: Vec<&str> = cell.lines().collect();
    let mut last = 0;
    for spanned in error.spanned_messages() {
        let Some(span) = spanned.span else { continue };
        let number = match added {
            Some(added) if span.start_line > added => span.start_line - 1,
            _ => span.start_line,
        };
        let Some(line) = number.checked_sub(1).and_then(|index| lines.get(index)) else {
            continue;
        };
        let margin = format!("{number:4} | ");
        if number != last {
            text += &format!("\n{margin}{line}");
            last = number;
        }
        let before: String = line.chars().take(span.start_column - 1).collect();
        let marked: String = match span.start_line == span.end_line {
            true => line
                .chars()
                .skip(span.start_column - 1)
                .take(span.end_column - span.start_column)
                .collect(),
            false => line.chars().skip(span.start_column - 1).collect(),
        };
        let indent = " ".repeat(margin.width() + before.width());
        let marks = "^".repeat(marked.trim_end().width().max(1));
        text += format!("\n{indent}{marks} {}", spanned.label).trim_end();
    }
    for help in error.help() {
        text += &format!("\n  help: {}", help.replace("\n\n", "\n    "));
    }
    text
}
