//! Presents compiler errors in terms of the cell: first the advice, then, after a blank line, the
//! compiler's own message.

use crate::array_types;
use crate::broken_tools;
use crate::diagnostic::{self, Diagnostic, Help};
use crate::hints::{self, Hint, Known};
use cell_evaluator::CellError;
use notebook::evaluator::Failure;
use unicode_width::UnicodeWidthStr;

/// Indents corrected lines and the compiler's help.
const INDENT: &str = "    ";

/// The failure to report for a cell that could not be compiled or run.
pub fn failure(failed: CellError, number: u64, known: &Known<'_>) -> Failure {
    let cell = known.cell;
    match failed {
        CellError::Compile(errors) => {
            let errors = errors.iter();
            let mut errors: Vec<Diagnostic> = errors
                .map(|error| Diagnostic::new(error, number, cell))
                .collect();
            let broken = errors
                .iter()
                .find_map(|one| broken_tools::failure(&one.all));
            if let Some(failure) = broken {
                return failure;
            }
            hints::forget_consequences(&mut errors, known);
            let hints: Vec<Option<Hint>> =
                errors.iter().map(|one| hints::hint(one, known)).collect();
            let mut texts: Vec<String> = errors
                .iter()
                .zip(&hints)
                .map(|(error, hint)| readable(error, cell, hint.as_ref()))
                .collect();
            texts.dedup();
            let mut advice = advice(hints.into_iter().flatten(), cell);
            if !advice.is_empty() {
                advice += "\n\n";
            }
            let text = advice + &texts.join("\n");
            Failure::new("CompileError", array_types::shortened(&text))
        }
        CellError::Unnameable(name) => {
            let hint = hints::without_a_name(&name, known);
            Failure::new("CompileError", advice([hint].into_iter(), cell))
        }
        CellError::Fault(message) => broken_tools::failure(&message)
            .unwrap_or_else(|| Failure::new("EvaluatorError", message)),
        other => Failure::new("EvaluatorError", format!("{other:?}")),
    }
}

/// Each distinct hint once, followed by the lines it corrects.
fn advice(hints: impl Iterator<Item = Hint>, cell: &str) -> String {
    let mut all: Vec<Hint> = Vec::new();
    for hint in hints {
        // Merge hints that differ only in place.
        match all.iter_mut().find(|one| one.text == hint.text) {
            Some(same) => same.edits.extend(hint.edits),
            None => all.push(hint),
        }
    }
    let texts = all.iter().map(|hint| {
        let lines = diagnostic::corrected(cell, &hint.edits);
        let lines = lines
            .iter()
            .map(|line| format!("\n{INDENT}{}", line.trim()));
        let colon = if hint.edits.is_empty() { "" } else { ":" };
        hint.text.clone() + colon + &lines.collect::<String>()
    });
    texts.collect::<Vec<String>>().join("\n")
}

/// The message, the affected lines with the position marked, and the help. If there is a hint,
/// rustc's own suggestion is omitted: it usually says the same, and sometimes changes the meaning.
fn readable(error: &Diagnostic, cell: &str, hint: Option<&Hint>) -> String {
    let code = error.code.as_ref().map(|code| format!("[{code}]"));
    let code = code.unwrap_or_default();
    let mut text = format!("{}{code}: {}", error.level, error.message);
    let mut last = 0;
    for mark in &error.marks {
        let line = diagnostic::line(cell, mark.place.line);
        let margin = format!("{:4} | ", mark.place.line);
        if mark.place.line != last {
            text += &format!("\n{margin}{line}");
            last = mark.place.line;
        }
        let before: String = line.chars().take(mark.place.start).collect();
        let indent = " ".repeat(margin.width() + before.width());
        let marks = "^".repeat(mark.place.of(cell).trim_end().width().max(1));
        text += format!("\n{indent}{marks} {}", mark.label).trim_end();
    }
    for help in &error.helps {
        if hint.is_none() || help.replacement.is_none() {
            text += &help_text(help, cell);
        }
    }
    without_internals(&text)
}

fn help_text(help: &Help, cell: &str) -> String {
    // A list of types from other crates does not help, and a label already names a missing trait.
    let is_list = help
        .message
        .starts_with("the following other types implement");
    let is_label = help.message.starts_with("the trait `") && help.message.contains("is not");
    if is_list || is_label {
        return String::new();
    }
    let mut text = format!("\n  help: {}", help.message);
    if help.edits.is_empty() {
        let replacement = help.replacement.iter().flat_map(|text| text.lines());
        text.extend(replacement.map(|line| format!("\n{INDENT}{line}")));
    } else {
        let lines = diagnostic::corrected(cell, &help.edits);
        text.extend(
            lines
                .iter()
                .map(|line| format!("\n{INDENT}{}", line.trim())),
        );
    }
    text
}

/// Removes lines about the code generated around each cell.
fn without_internals(text: &str) -> String {
    let text = text.replace("<end of input>", "the end of the cell");
    let is_internal = |line: &&str| {
        let internal = ["evcxr_", "cell_runtime", "__store", "__ended"];
        internal.iter().any(|name| line.contains(name))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_internal(line)).collect();
    lines.join("\n")
}
