//! A message of the compiler, in terms of the cell.

use crate::signature;
use serde_json::Value;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub struct Diagnostic {
    pub level: String,
    pub code: Option<String>,
    pub message: String,
    pub marks: Vec<Mark>,
    pub helps: Vec<Help>,
    /// How the function is declared that is called in another way.
    pub declaration: Option<String>,
    /// The type of the function that it wants to be given.
    pub wanted: Option<String>,
    /// Everything that the compiler said about it, where types are searched for.
    pub all: String,
}

/// A place in the cell, and what is said about it.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    pub place: Place,
    pub label: String,
    pub is_primary: bool,
}

/// What is wrong with a variable that cannot be kept.
pub const CONTAINS_REFERENCE: &str = "contains a reference";

/// A part of a line of the cell: the number of the line from 1, characters from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub start: usize,
    /// Behind the last character; the end of the line for a part that goes on.
    pub end: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Help {
    pub message: String,
    /// How to change the cell, as far as that could be found in it.
    pub edits: Vec<Edit>,
    /// What the compiler would write, where it could not.
    pub replacement: Option<String>,
}

/// Another text for a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub place: Place,
    pub text: String,
}

impl Place {
    /// The place of a range of bytes, as far as it is in one line.
    fn at(cell: &str, range: Range<usize>) -> Place {
        let before = &cell[..range.start.min(cell.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let start = before[line_start..].chars().count();
        let text = cell.get(range).unwrap_or_default();
        let number = before.matches('\n').count() + 1;
        let length = match text.split_once('\n') {
            Some((first, _)) => first.chars().count(),
            None => text.chars().count(),
        };
        Place {
            line: number,
            start,
            end: start + length,
        }
    }

    /// Its text.
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

/// A line of the cell by its number.
pub fn line(cell: &str, number: usize) -> &str {
    let index = number.checked_sub(1);
    index
        .and_then(|index| cell.lines().nth(index))
        .unwrap_or("")
}

/// The lines of the cell that these edits change, as they are afterwards.
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
    /// What the compiler said, with its places in the cell `number`.
    pub fn new(error: &cell_evaluator::Diagnostic, number: u64, cell: &str) -> Diagnostic {
        let place = |place: &cell_evaluator::CellPlace| {
            (place.number == number).then(|| Place::at(cell, place.range.clone()))
        };
        let marks = error.marks.iter().filter_map(|mark| {
            Some(Mark {
                place: place(&mark.place)?,
                label: mark.label.clone(),
                is_primary: mark.is_primary,
            })
        });
        let helps = error.helps.iter().map(|help| {
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
                edits: edits.unwrap_or_default(), // half of a change is none
                replacement: help.replacement.clone(),
            }
        });
        Diagnostic {
            level: error.level.clone(),
            code: error.code.clone(),
            message: error.message.clone(),
            marks: marks.collect(),
            helps: helps.collect(),
            declaration: signature::pointed_at(&error.json),
            wanted: signature::wanted(&error.json),
            all: said(&error.json),
        }
    }

    /// The place that it is about.
    pub fn primary(&self) -> Option<Place> {
        let primary = self.marks.iter().find(|mark| mark.is_primary);
        primary.or(self.marks.first()).map(|mark| mark.place)
    }

    pub fn has_code(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// The part of the message between the first two of these quotes, and the next two.
    pub fn quoted(&self) -> Vec<&str> {
        self.message.split('`').skip(1).step_by(2).collect()
    }
}

/// All messages and labels of the compiler.
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
            place: Place {
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
