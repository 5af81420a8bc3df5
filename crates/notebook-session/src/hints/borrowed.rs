//! A missing `&`.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("E0308") {
        return None;
    }
    let borrowing = diagnostic.helps.iter();
    let borrowing = borrowing.filter(|help| help.message.contains("consider borrowing here"));
    let edits: Vec<Edit> = borrowing.flat_map(|help| help.edits.clone()).collect();
    let first = edits.first()?;
    let mutable = if first.text.contains("mut") {
        "&mut"
    } else {
        "&"
    };
    let marks = diagnostic.marks.iter();
    let about_arguments = |label: &str| label.contains("arguments to this");
    let function = marks
        .filter(|mark| about_arguments(&mark.label) || about_arguments(&diagnostic.message))
        .map(|mark| mark.place.of(known.cell))
        .find(|text| {
            text.chars()
                .all(|c| c.is_alphanumeric() || "_:.".contains(c))
        });
    let who = match function {
        Some(function) => format!("`{function}` borrows what it is given"),
        None => "this argument must be borrowed".to_owned(),
    };
    Some(Hint::with(
        format!("{who}: write `{mutable}` before it"),
        edits,
    ))
}
