//! A compiler message translated to positions in the cell.

use crate::declaration;
use cell_evaluator::CompileError;
use serde_json::Value;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub struct Diagnostic {
    pub level: String,
    pub code: Option<String>,
    pub message: String,
    pub marks: Vec<Mark>,
    pub helps: Vec<Help>,
    /// The declaration of a function called with the wrong arguments.
    pub declaration: Option<String>,
    /// The expected type of a function that is passed as an argument.
    pub wanted: Option<String>,
    /// The compiler's complete output for this error, for finding types.
    pub all: String,
}

/// A labelled place in the cell.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    pub place: LineSpan,
    pub label: String,
    pub is_primary: bool,
}

/// Part of the error for a variable that cannot be kept.
pub const CONTAINS_REFERENCE: &str = "contains a reference";

/// Part of a line of the cell: line numbers start at 1, columns (in characters) at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineSpan {
    pub line: usize,
    pub start: usize,
    /// After the last character; the end of the line if the span continues on the next.
    pub end: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Help {
    pub message: String,
    /// Suggested changes, where their positions in the cell are known.
    pub edits: Vec<Edit>,
    /// The suggested text, even if its position in the cell is not known.
    pub replacement: Option<String>,
}

/// A replacement for the text at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub place: LineSpan,
    pub text: String,
}

impl LineSpan {
    /// Converts a byte range to a place, cut off at the end of its first line.
    fn at(cell: &str, range: Range<usize>) -> LineSpan {
        let before = &cell[..range.start.min(cell.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let start = before[line_start..].chars().count();
        let text = cell.get(range).unwrap_or_default();
        let number = before.matches('\n').count() + 1;
        let length = match text.split_once('\n') {
            Some((first, _)) => first.chars().count(),
            None => text.chars().count(),
        };
        LineSpan {
            line: number,
            start,
            end: start + length,
        }
    }

    /// The text at this place.
    pub fn of<'a>(&self, cell: &'a str) -> &'a str {
        let line = line(cell, self.line);
        let byte = |count| {
            line.char_indices()
                .nth(count)
                .map_or(line.len(), |(byte, _)| byte)
        };
        &line[byte(self.start)..byte(self.end.max(self.start))]
    }
}

/// Line `number` of the cell, counting from 1; empty if there is none.
pub fn line(cell: &str, number: usize) -> &str {
    let index = number.checked_sub(1);
    index
        .and_then(|index| cell.lines().nth(index))
        .unwrap_or("")
}

/// The lines changed by these edits, after the change.
pub fn corrected(cell: &str, edits: &[Edit]) -> Vec<String> {
    let mut edits = edits.to_vec();
    edits.sort();
    edits.dedup();
    let mut numbers: Vec<usize> = edits.iter().map(|edit| edit.place.line).collect();
    numbers.dedup();
    let corrected = numbers.into_iter().map(|number| {
        let mut text: Vec<char> = line(cell, number).chars().collect();
        for edit in edits.iter().rev().filter(|edit| edit.place.line == number) {
            let end = edit.place.end.min(text.len());
            text.splice(edit.place.start.min(end)..end, edit.text.chars());
        }
        text.into_iter().collect()
    });
    corrected.collect()
}

impl Diagnostic {
    /// Translates a compiler message about cell `number`.
    pub fn new(error: &CompileError, number: u64, cell: &str) -> Diagnostic {
        let place = |place: &cell_evaluator::CellPlace| {
            (place.number == number).then(|| LineSpan::at(cell, place.range.clone()))
        };
        let marks = error.places.iter().filter_map(|mark| {
            Some(Mark {
                place: place(&mark.place)?,
                label: mark.label.clone(),
                is_primary: mark.is_primary,
            })
        });
        let helps = error.suggestions.iter().map(|help| {
            let edits = help.edits.iter().map(|(changed, text)| {
                let is_in_line = !text.contains('\n');
                Some(Edit {
                    place: place(changed).filter(|_| is_in_line)?,
                    text: text.clone(),
                })
            });
            let edits: Option<Vec<Edit>> = edits.collect();
            Help {
                message: help.message.clone(),
                edits: edits.unwrap_or_default(), // all or nothing
                replacement: help.replacement.clone(),
            }
        });
        Diagnostic {
            level: error.level.clone(),
            code: error.code.clone(),
            message: error.message.clone(),
            marks: marks.collect(),
            helps: helps.collect(),
            declaration: declaration::pointed_at(&error.json),
            wanted: declaration::wanted(&error.json),
            all: said(&error.json),
        }
    }

    /// The place the message is about.
    pub fn primary(&self) -> Option<LineSpan> {
        let primary = self.marks.iter().find(|mark| mark.is_primary);
        primary.or(self.marks.first()).map(|mark| mark.place)
    }

    pub fn has_code(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// All parts of the message in backquotes.
    pub fn quoted(&self) -> Vec<&str> {
        self.message.split('`').skip(1).step_by(2).collect()
    }
}

/// The text of all messages and labels.
fn said(json: &Value) -> String {
    let mut text = json["message"].as_str().unwrap_or_default().to_owned();
    for span in json["spans"].as_array().into_iter().flatten() {
        text.push('\n');
        text += span["label"].as_str().unwrap_or_default();
    }
    for child in json["children"].as_array().into_iter().flatten() {
        text.push('\n');
        text += &said(child);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_a_line_are_made_together() {
        let edit = |start, end, text: &str| Edit {
            place: LineSpan {
                line: 2,
                start,
                end,
            },
            text: text.to_owned(),
        };
        let cell = "let あ = 1;\nf(あ, b)";
        let edits = [edit(2, 2, "&"), edit(5, 6, "c"), edit(2, 2, "&")];
        assert_eq!(corrected(cell, &edits), ["f(&あ, c)"]);
        assert_eq!(edits[1].place.of(cell), "b");
    }
}
