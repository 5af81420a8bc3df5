//! Converts the language server's answers for display in a notebook.

use super::document::Document;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Possible completions of the name at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The candidates, likeliest first.
    pub texts: Vec<Candidate>,
    /// Start of the byte range in the cell that a candidate replaces.
    pub start: usize,
    /// End of that range.
    pub end: usize,
}

/// A completion and its kind: "function", "variable" and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The text to insert.
    pub text: String,
    /// The kind, which front ends show next to it.
    pub kind: &'static str,
}

/// The completions in an answer that start with the letters typed before `place`. Methods are
/// sorted by how often they are called.
pub fn completions(
    answer: &Value,
    document: &Document,
    cell: &str,
    place: usize,
    calls: &BTreeMap<String, u32>,
) -> Candidates {
    let items = answer.as_array().or_else(|| answer["items"].as_array());
    let mut items: Vec<&Value> = items.into_iter().flatten().collect();
    items.sort_by_key(|item| (item["sortText"].as_str(), item["label"].as_str()));
    let mut found = word(cell, place);
    let range = items.iter().find_map(|item| {
        let range = &item["textEdit"]["range"];
        Some((
            document.place(&range["start"])?,
            document.place(&range["end"])?,
        ))
    });
    if let Some((start, end)) = range.filter(|(start, end)| *start <= place && place <= *end) {
        (found.start, found.end) = (start, end);
    }
    let typed = &cell[found.start..place];
    let mut seen = BTreeSet::new();
    for item in items {
        let Some((text, kind)) = usable(item) else {
            continue;
        };
        // A completion may match by another name: `iter().sum()` by `sum`.
        let known_as = item["filterText"].as_str().unwrap_or_default();
        if (begins(&text, typed) || begins(known_as, typed)) && seen.insert(text.clone()) {
            found.texts.push(Candidate { text, kind });
        }
    }
    if cell[..found.start].trim_end().ends_with('.') {
        found.texts.sort_by_key(|one| {
            let is_other = one.kind != "function";
            (is_other, Reverse(times(calls, &one.text))) // a stable sort keeps the order of the rest
        });
    } else if typed.is_empty() {
        found.texts.sort_by_key(|one| one.kind != "variable");
    }
    found
}

/// How often the crates call the method that a completion inserts; 0 if it inserts several calls.
pub fn times(calls: &BTreeMap<String, u32>, text: &str) -> u32 {
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    if rest.contains('(') {
        return 0;
    }
    calls.get(name).copied().unwrap_or_default()
}

/// The byte range of the name at a place, with no completions.
pub fn word(cell: &str, place: usize) -> Candidates {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let start = cell[..place].trim_end_matches(is_part).len();
    let after = &cell[place..];
    let end = place + after.find(|one| !is_part(one)).unwrap_or(after.len());
    Candidates {
        texts: Vec::new(),
        start,
        end,
    }
}

/// Whether `text` starts with what was typed; a lower-case letter also matches its upper-case form.
pub fn begins(text: &str, typed: &str) -> bool {
    let mut letters = text.chars();
    typed.chars().all(|one| {
        letters
            .next()
            .is_some_and(|letter| letter == one || letter.to_lowercase().eq([one]))
    })
}

/// The text that a completion inserts, and its kind; `None` if it is useless in a cell.
fn usable(item: &Value) -> Option<(String, &'static str)> {
    let label = item["label"].as_str()?;
    let kind = match item["kind"].as_u64()? {
        2..=4 => "function",
        5 | 10 => "field",
        6 => "variable",
        7 | 8 | 13 | 22 | 25 => "type",
        9 => "module",
        12 | 20 | 21 => "constant",
        14 => "keyword",
        15 => return None, // an editor's snippet
        _ => "text",
    };
    let edit = item["textEdit"]["newText"].as_str();
    let text = edit
        .or_else(|| item["insertText"].as_str())
        .unwrap_or(label);
    let text = match item["insertTextFormat"].as_u64() {
        Some(2) if kind == "keyword" => label.to_owned(),
        Some(2) => without_placeholders(text),
        _ => text.to_owned(),
    };
    let is_path_of_files = ["self::", "crate::", "super::"].contains(&text.as_str());
    let is_internal = text.starts_with("__") || text.starts_with("evcxr_");
    (!is_internal && !is_path_of_files).then_some((text, kind))
}

/// Turns `title(${1:text})$0` into `title(text)`.
fn without_placeholders(snippet: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut letters = snippet.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next()),
            '$' if letters.peek() == Some(&'{') => {
                letters.next();
                while letters.next_if(char::is_ascii_digit).is_some() {}
                letters.next_if_eq(&':');
                depth += 1;
            }
            '$' => while letters.next_if(char::is_ascii_digit).is_some() {},
            '}' if depth > 0 => depth -= 1,
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::document::NotebookCode;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_snippet_becomes_what_can_be_read() {
        for (snippet, text) in [
            ("title(${1:title})$0", "title(title)"),
            ("axis(${1:a}, ${2:b})$0", "axis(a, b)"),
            ("len()$0", "len()"),
            ("array![$0]", "array![]"),
            ("cost_\\$", "cost_$"),
            ("thread_local! {$0}", "thread_local! {}"),
        ] {
            assert_eq!(without_placeholders(snippet), text);
        }
    }

    #[test]
    fn completions_are_what_can_be_written() {
        let cell = "let ä = toy.s";
        let document = Document::new(&NotebookCode::default(), cell, 0);
        let range = json!({ "start": document.position(13), "end": document.position(14) });
        let item = |text: &str, kind: u8, order: &str| {
            json!({
                "label": text, "kind": kind, "sortText": order, "insertTextFormat": 2,
                "textEdit": { "range": range, "newText": format!("{text}$0") },
            })
        };
        let items = json!([
            item("scores", 5, "a"),
            item("sum()", 2, "c"),
            item("size()", 2, "b"),
            item("size()", 2, "d"),
            item("Seven", 2, "e"),
            item("len()", 2, "a"),
            item("__secret", 2, "a"),
            item("some", 15, "a"),
        ]);
        let none = BTreeMap::new();
        let found = completions(&items, &document, cell, cell.len(), &none);
        let calls = BTreeMap::from([("sum".to_owned(), 3)]);
        let often = completions(&items, &document, cell, cell.len(), &calls);
        assert_eq!(often.texts[0].text, "sum()");
        let texts: Vec<&str> = found.texts.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["size()", "sum()", "Seven", "scores"]);
        assert_eq!((found.start, found.end), (13, 14));
        for nothing in [
            json!(null),
            json!({}),
            json!({ "items": 3 }),
            json!([{}, 1]),
        ] {
            let found = completions(&nothing, &document, cell, cell.len(), &none);
            assert_eq!((found.texts.len(), found.start, found.end), (0, 13, 14));
        }
    }
}
