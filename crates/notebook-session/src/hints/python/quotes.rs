//! Strings in single quotes.

use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::hints::{Hint, Known};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    let is_not_read = message.starts_with("character literal may only contain")
        || message.starts_with("prefix `")
        || diagnostic.has_code("E0762");
    let place = diagnostic.primary()?;
    let pieces = pieces(known.cell);
    // Next to a string on the same line, even a single character is meant as a string.
    let is_meant = |piece: &&QuotedText| match is_not_read {
        true => pieces
            .iter()
            .any(|one| !one.is_character && one.place.line == piece.place.line),
        false => {
            piece.place.line == place.line && (place.start..place.end).contains(&piece.place.start)
        }
    };
    if !is_not_read && !is_character_for_text(diagnostic) {
        return None;
    }
    let meant = pieces.iter().filter(is_meant);
    let edits: Vec<Edit> = meant.flat_map(|piece| piece.edits(known.cell)).collect();
    if edits.is_empty() && message.starts_with("prefix `") {
        return None;
    }
    let text = "in Rust, text is written in double quotes; single quotes are for one character";
    Some(Hint::with(text, edits))
}

/// `'a'` where a string is expected.
fn is_character_for_text(diagnostic: &Diagnostic) -> bool {
    let message = diagnostic.message.as_str();
    diagnostic
        .helps
        .iter()
        .any(|help| help.message.contains("use double quotes"))
        || message.contains("`char: AsRef<str>`")
        || message == "can't compare `&str` with `char`"
}

/// A single-quoted literal, including its quotes.
struct QuotedText {
    place: LineSpan,
    is_character: bool,
    /// Whether it is a Python f-string.
    is_format: bool,
}

impl QuotedText {
    fn edits(&self, cell: &str) -> Vec<Edit> {
        let LineSpan { line, start, end } = self.place;
        let edit = |start, end, text: &str| Edit {
            place: LineSpan { line, start, end },
            text: text.to_owned(),
        };
        if self.place.of(cell).contains('"') {
            return Vec::new();
        }
        match self.is_format {
            true => vec![
                edit(start - 1, start + 1, "format!(\""),
                edit(end - 1, end, "\")"),
            ],
            false => vec![edit(start, start + 1, "\""), edit(end - 1, end, "\"")],
        }
    }
}

/// The single-quoted literals of a cell, outside strings and comments.
fn pieces(cell: &str) -> Vec<QuotedText> {
    let mut found = Vec::new();
    for (index, text) in cell.lines().enumerate() {
        let chars: Vec<char> = text.chars().collect();
        let closing = |start: usize| {
            let mut place = start + 1;
            while place < chars.len() && chars[place] != chars[start] {
                place += if chars[place] == '\\' { 2 } else { 1 };
            }
            (place < chars.len()).then_some(place)
        };
        let mut place = 0;
        while place < chars.len() {
            let end = match chars[place] {
                '/' if chars.get(place + 1) == Some(&'/') => break,
                '"' | '\'' => closing(place),
                _ => None,
            };
            let Some(end) = end else {
                place += 1;
                continue;
            };
            if chars[place] == '\'' {
                let length = end - place - 1;
                found.push(QuotedText {
                    place: LineSpan {
                        line: index + 1,
                        start: place,
                        end: end + 1,
                    },
                    is_character: length == 1 || chars[place + 1] == '\\',
                    is_format: text_before(&chars[..place]) == "f",
                });
            }
            place = end + 1;
        }
    }
    found
}

/// The letters of the word that ends here, last one first.
fn text_before(chars: &[char]) -> String {
    let word = chars.iter().rev().take_while(|c| c.is_alphanumeric());
    word.collect()
}
