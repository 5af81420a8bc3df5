//! Explains that a variable that borrows cannot be kept. rustc reports this in several messages
//! about the code around the cell.

use crate::compile_error::CompileError;
use crate::mentions::mentions;
use crate::parsed_cell::ParsedCell;
use crate::rustc::{RustcMessage, Span};
use crate::source_text::{CellPlace, Origin, SourceText};

/// The borrow checker's errors about the end of a cell.
const CODES: [&str; 4] = ["E0505", "E0515", "E0597", "E0716"];

/// An error about the first variable that borrows, if all errors are about borrows that would
/// outlive the cell.
pub fn error(
    errors: &[RustcMessage],
    source: &SourceText,
    cell: &ParsedCell,
    text: &str,
) -> Option<CompileError> {
    let mut found = errors.iter().map(|error| {
        let code = error.code.as_ref()?.code.as_str();
        let is_end = |span: &Span| {
            let origin = source.origin(span.byte_start);
            matches!(
                origin,
                Origin::Around | Origin::Open | Origin::Keep(_) | Origin::GiveBack(_)
            )
        };
        let is_about_the_end = CODES.contains(&code) && error.spans.iter().any(is_end);
        let place = is_about_the_end.then(|| borrowed(error, source))??;
        Some((code, place.clone(), name(&place, cell, text)?))
    });
    let (code, place, name) = found.next()??;
    if found.any(|one| one.is_none()) {
        return None;
    }
    let message = format!(
        "the variable `{name}` contains a reference, and only what owns its values can be kept for \
         later cells"
    );
    Some(CompileError {
        code: Some(code.to_owned()),
        ..CompileError::of_cell(message, place, "borrowed here")
    })
}

/// The place where the cell borrows, according to an error.
fn borrowed(error: &RustcMessage, source: &SourceText) -> Option<CellPlace> {
    let mut spans: Vec<&Span> = error.spans.iter().collect();
    // "`q` is borrowed here", "temporary value created here"; failing that, the primary place.
    let tells = |span: &Span| {
        let label = span.label.as_deref().unwrap_or_default();
        ["borrowed", "borrow occurs", "created"]
            .iter()
            .any(|word| label.contains(word))
    };
    spans.sort_by_key(|span| (!tells(span), !span.is_primary));
    let mut places = spans
        .iter()
        .filter_map(|span| source.in_cell(span.byte_start..span.byte_end));
    places.next()
}

/// The variable that the statement at a place declares, or else one that it mentions.
fn name(place: &CellPlace, cell: &ParsedCell, text: &str) -> Option<String> {
    let holds = |range: &std::ops::Range<usize>| range.contains(&place.range.start);
    let declared = cell.variables.iter().find(|one| holds(&one.statement));
    let named = || {
        let statement = cell.statements.iter().find(|range| holds(range))?;
        let names = mentions(&text[statement.clone()]);
        cell.variables.iter().find(|one| names.contains(&one.name))
    };
    declared.or_else(named).map(|one| one.name.clone())
}
