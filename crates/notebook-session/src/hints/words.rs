//! Several words of text without quotes.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};

/// Keywords that may come before a word in valid Rust.
const OF_RUST: [&str; 12] = [
    "as", "async", "dyn", "fn", "for", "impl", "let", "match", "move", "mut", "ref", "return",
];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let words = words(diagnostic, known)?;
    let edit = Edit {
        place: words,
        text: format!("\"{}\"", words.of(known.cell).trim()),
    };
    Some(Hint::with(
        "text of several words must be in quotes",
        vec![edit],
    ))
}

/// Removes errors that only occur because the compiler takes the words for names.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>, known: &Known<'_>) {
    let Some(words) = errors.iter().find_map(|one| words(one, known)) else {
        return;
    };
    let is_in_words = |place: LineSpan| {
        place.line == words.line && place.start >= words.start && place.end <= words.end
    };
    errors
        .retain(|one| one.code.is_none() || !one.marks.iter().any(|mark| is_in_words(mark.place)));
}

/// The place of the words that a syntax error is about.
fn words(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<LineSpan> {
    let message = diagnostic.message.as_str();
    let is_about_syntax =
        message.starts_with("expected") || message.ends_with("is not a logical operator");
    let place = diagnostic.primary()?;
    if diagnostic.code.is_some() || !is_about_syntax {
        return None;
    }
    let inner = in_brackets(line(known.cell, place.line), place)?;
    let text = inner.of(known.cell);
    let words: Vec<&str> = text.split_whitespace().collect();
    // Variables with missing commas between them are not text.
    let is_word = |word: &&str| {
        let is_plain = |c: char| c.is_alphanumeric() || "_-.'".contains(c);
        word.chars().all(is_plain) && !OF_RUST.contains(word) && !known.has_variable(word)
    };
    let has_letters = text.chars().any(char::is_alphabetic);
    let are_text = words.len() > 1 && has_letters && words.iter().all(is_word);
    are_text.then_some(inner)
}

/// The text between the parentheses of the call `f(...)` around this place.
fn in_brackets(whole: &str, place: LineSpan) -> Option<LineSpan> {
    let chars: Vec<char> = whole.chars().collect();
    let before = chars.get(..place.start)?;
    let open = before.iter().rposition(|c| "()[]{}".contains(*c))?;
    let is_call = open > 0 && (chars[open - 1].is_alphanumeric() || chars[open - 1] == '_');
    let after = &chars[open + 1..];
    let end = after.iter().position(|c| "()[]{}".contains(*c))?;
    let is_closed = chars[open] == '(' && after[end] == ')';
    (is_call && is_closed).then_some(LineSpan {
        line: place.line,
        start: open + 1,
        end: open + 1 + end,
    })
}
