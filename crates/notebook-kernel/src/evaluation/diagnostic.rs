//! A message of the compiler, in terms of the cell.

use crate::evaluation::signature;
use evcxr::CompilationError;
use serde_json::Value;

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

/// What is wrong with a variable that evcxr cannot keep.
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
    /// The message in terms of the cell. `added` is the number of the line that was added to it.
    pub fn new(error: &CompilationError, cell: &str, added: Option<usize>) -> Diagnostic {
        let place = |(start_line, start): (usize, usize), (end_line, end): (usize, usize)| {
            let number = match added {
                Some(added) if start_line > added => start_line - 1,
                _ => start_line,
            };
            let length = line(cell, number).chars().count();
            (number > 0 && number <= cell.lines().count()).then(|| Place {
                line: number,
                start: start.saturating_sub(1).min(length),
                end: match start_line == end_line {
                    true => end.saturating_sub(1).min(length),
                    false => length,
                },
            })
        };
        let marks: Vec<Mark> = (error.spanned_messages().iter())
            .filter_map(|message| {
                let span = message.span?;
                let (start, end) = (span.start_column, span.end_column);
                Some(Mark {
                    place: place((span.start_line, start), (span.end_line, end))?,
                    label: message.label.clone(),
                    is_primary: message.is_primary,
                })
            })
            .collect();
        let anchors = anchors(error, &marks);
        let children = error.json["children"].as_array();
        let helps = (children.into_iter().flatten())
            .filter(|child| child["level"] == "help")
            .map(|child| help(child, cell, &anchors))
            .collect();
        Diagnostic {
            level: error.level().to_owned(),
            code: error.code().map(str::to_owned),
            message: match error.message().contains("non-static lifetime") {
                // in evcxr's words, which are of no use here
                true => cannot_be_kept(&error.message()),
                false => error.message(),
            },
            marks,
            helps,
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

/// The message about a variable that contains a reference.
fn cannot_be_kept(message: &str) -> String {
    let name = message.split('`').nth(1).unwrap_or_default();
    format!("`{name}` {CONTAINS_REFERENCE}, so it cannot be kept for later cells")
}

/// A place that is known in the compiled source and in the cell: line and column in both.
struct Anchor {
    compiled: (i64, i64),
    cell: (i64, i64),
}

/// evcxr moves the places of the message itself into the cell, and not all of its children's.
fn anchors(error: &CompilationError, marks: &[Mark]) -> Vec<Anchor> {
    let spans = error.json["spans"].as_array();
    let spans = spans.into_iter().flatten().filter(|span| {
        let file = span["file_name"].as_str();
        file.is_some_and(|file| file.ends_with("lib.rs"))
    });
    let mut anchors = Vec::new();
    for span in spans {
        let length =
            |span: &Value| Some(span["column_end"].as_i64()? - span["column_start"].as_i64()?);
        let label = span["label"].as_str().unwrap_or_default();
        let is_it = |mark: &&Mark| {
            let is_as_long = length(span) == Some(mark.place.end as i64 - mark.place.start as i64);
            let says_it = mark.label == label || label.is_empty();
            is_as_long && says_it && Some(mark.is_primary) == span["is_primary"].as_bool()
        };
        let mut matching = marks.iter().filter(is_it);
        if let (Some(mark), None) = (matching.next(), matching.next())
            && let (Some(line), Some(column)) =
                (span["line_start"].as_i64(), span["column_start"].as_i64())
        {
            anchors.push(Anchor {
                compiled: (line, column),
                cell: (mark.place.line as i64, mark.place.start as i64),
            });
        }
    }
    anchors
}

fn help(child: &Value, cell: &str, anchors: &[Anchor]) -> Help {
    let spans = child["spans"].as_array();
    let suggestions: Vec<&Value> = (spans.into_iter().flatten())
        .filter(|span| span["suggested_replacement"].is_string())
        .collect();
    let edits: Vec<Edit> = suggestions
        .iter()
        .filter_map(|span| edit(span, cell, anchors))
        .collect();
    let replacement = suggestions.first();
    let replacement = replacement.and_then(|span| span["suggested_replacement"].as_str());
    Help {
        message: child["message"].as_str().unwrap_or_default().to_owned(),
        // Half of a change is none.
        edits: match edits.len() == suggestions.len() && edits.iter().all(is_in_line) {
            true => edits,
            false => Vec::new(),
        },
        replacement: replacement.map(|text| text.trim_end().to_owned()),
    }
}

fn is_in_line(edit: &Edit) -> bool {
    !edit.text.contains('\n')
}

fn edit(span: &Value, cell: &str, anchors: &[Anchor]) -> Option<Edit> {
    let number = |key: &str| span[key].as_i64();
    let (first, last) = (number("line_start")?, number("line_end")?);
    let (start, end) = (number("column_start")?, number("column_end")?);
    if first != last {
        return None;
    }
    // evcxr ends the line of an expression whose value is shown before it closes its brackets.
    let is_at_end = |anchor: &&Anchor| anchor.compiled.0 + 1 == first && (start, end) == (1, 1);
    if let Some(anchor) = anchors.iter().find(is_at_end)
        && span["text"][0]["text"].as_str()?.starts_with(')')
    {
        let number = usize::try_from(anchor.cell.0).ok()?;
        let end = line(cell, number).trim_end().chars().count();
        return Some(Edit {
            place: Place {
                line: number,
                start: end,
                end,
            },
            text: span["suggested_replacement"].as_str()?.to_owned(),
        });
    }
    let anchor = anchors.iter().find(|anchor| anchor.compiled.0 == first)?;
    let moved = anchor.cell.1 - anchor.compiled.1;
    let place = Place {
        line: usize::try_from(anchor.cell.0).ok()?,
        start: usize::try_from(start + moved).ok()?,
        end: usize::try_from(end + moved).ok()?,
    };
    // What stands there must be what the compiler has seen there.
    let seen: Vec<char> = span["text"][0]["text"].as_str()?.chars().collect();
    let there: Vec<char> = line(cell, place.line).chars().collect();
    let seen = seen.get(usize::try_from(start - 1).ok()?..usize::try_from(end - 1).ok()?)?;
    (there.get(place.start..place.end)? == seen).then(|| Edit {
        place,
        text: span["suggested_replacement"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    })
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
