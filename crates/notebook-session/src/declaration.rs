//! Finds the declaration of a function that a cell calls incorrectly.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Marks the notes in which rustc points to a declaration.
const DEFINED_HERE: &str = " defined here";

/// The declaration that a rustc message (in JSON) points to: on one line, without `pub` or a
/// `where` clause.
pub fn pointed_at(message: &Value) -> Option<String> {
    declaration(&source(message)?)
}

/// The function type expected by the function that a rustc message (in JSON) points to: the type of
/// one of its parameters, or the type after its name in a macro that generates functions.
pub fn wanted(message: &Value) -> Option<String> {
    let source = source(message)?;
    let begin = source.find("fn(")?;
    let mut open = 0;
    let end = source[begin..].char_indices().find(|(_, c)| {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            _ => {}
        }
        open < 0 || (open == 0 && ",;={".contains(*c))
    });
    let whole = &source[begin..begin + end?.0];
    let words: Vec<&str> = whole.split_whitespace().collect();
    Some(words.join(" ").replace("( ", "(").replace(", )", ")"))
}

/// The declaration of function `name` in this source.
pub fn in_source(source: &str, name: &str) -> Option<String> {
    let begin = source.find(&format!("fn {name}("))?;
    declaration(&source[begin..])
}

/// The source text from the location that a rustc message (in JSON) points to.
fn source(message: &Value) -> Option<String> {
    let mut notes = message["children"].as_array()?.iter();
    let note = notes.find(|note| {
        let text = note["message"].as_str();
        text.is_some_and(|text| text.ends_with(DEFINED_HERE))
    })?;
    let mut spans = note["spans"].as_array()?.iter();
    let span = spans.find(|span| span["is_primary"] == true)?;
    let first = usize::try_from(span["line_start"].as_u64()?).ok()?;
    let file = Path::new(span["file_name"].as_str()?);
    if !file.is_absolute() {
        // The cell's own source, of which only one line is available.
        return Some(span["text"][0]["text"].as_str()?.to_owned());
    }
    let source = fs::read_to_string(file).ok()?;
    let lines: Vec<&str> = source.lines().skip(first - 1).collect();
    Some(lines.join("\n"))
}

/// The function declaration at the start of the source.
fn declaration(source: &str) -> Option<String> {
    let begin = source.find("fn ")?;
    let mut open = 0;
    let mut end = source.len();
    for (place, c) in source.char_indices().skip(begin) {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            '{' | ';' if open == 0 => {
                end = place;
                break;
            }
            _ => {}
        }
    }
    let whole = source.get(begin..end)?;
    let words: Vec<&str> = whole.split_whitespace().collect();
    let words = words.split(|word| *word == "where").next()?;
    let line = words.join(" ").replace("( ", "(").replace(", )", ")");
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Result;
    use serde_json::json;

    #[test]
    fn a_declaration_is_one_line() {
        let whole = |source: &str| declaration(source).expect("a declaration");
        assert_eq!(
            whole("pub fn f(a: [u8; 2]) -> u8 { 1 }"),
            "fn f(a: [u8; 2]) -> u8"
        );
        let long = "    pub fn scores<S>(\n        q: &S,\n        k: &S,\n    ) -> S\n    where\n        S: Real,\n    {";
        assert_eq!(whole(long), "fn scores<S>(q: &S, k: &S) -> S");
        assert_eq!(whole("fn cell(a: u8)"), "fn cell(a: u8)");
        assert_eq!(declaration("struct Pair(u8, u8);"), None);
    }

    #[test]
    fn a_function_that_is_wanted_is_found_behind_the_name() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("lib.rs");
        let list = "functions! {\n    twice: fn(\n        &[f32],\n        (f32, f32),\n    ) -> [f32; 2] = a::b;\n";
        fs::write(
            &file,
            format!("{list}}}\npub fn call(with: fn(u8) -> u8, n: u8) {{\n"),
        )?;
        let at = |line: usize| {
            let span = json!({
                "file_name": file.to_str(), "line_start": line, "is_primary": true, "text": [],
            });
            json!({ "children": [{ "message": "function defined here", "spans": [span] }] })
        };
        assert_eq!(
            wanted(&at(2)).as_deref(),
            Some("fn(&[f32], (f32, f32)) -> [f32; 2]")
        );
        assert_eq!(wanted(&at(7)).as_deref(), Some("fn(u8) -> u8"));
        Ok(())
    }

    #[test]
    fn it_is_read_where_rustc_points_at() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("lib.rs");
        fs::write(
            &file,
            "//! A crate.\npub fn half(\n    bar: u8,\n) -> u8 {\n",
        )?;
        let message = |file: &str| {
            let text = json!([{ "text": "pub fn half(" }]);
            let span = json!({
                "file_name": file, "line_start": 2, "is_primary": true, "text": text,
            });
            json!({ "children": [
                { "message": "provide the argument", "spans": [] },
                { "message": "function defined here", "spans": [span] },
            ] })
        };
        let path = file.to_str().unwrap_or_default();
        assert_eq!(
            pointed_at(&message(path)).as_deref(),
            Some("fn half(bar: u8) -> u8")
        );
        assert_eq!(
            pointed_at(&message("src/lib.rs")).as_deref(),
            Some("fn half(")
        );
        assert_eq!(pointed_at(&json!({})), None);
        Ok(())
    }
}
