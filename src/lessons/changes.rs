//! What a learner has changed in a notebook.

use crate::lessons::text::NOTE;
use serde_json::Value;

/// Whether a learner's copy has nothing that is not in what it was made from.
///
/// Running a lesson changes its outputs, and merely opening it in JupyterLab its metadata; neither is
/// a learner's work. That is in the text of the cells.
pub fn is_unchanged(copy: &[u8], made: &[u8]) -> bool {
    copy == made || cells(copy).is_some_and(|cells_now| Some(cells_now) == cells(made))
}

/// The kinds and texts of a notebook's cells, without our note and empty cells, of which JupyterLab
/// adds one after the last. `None` if it is not a notebook.
fn cells(notebook: &[u8]) -> Option<Vec<(String, String)>> {
    let notebook: Value = serde_json::from_slice(notebook).ok()?;
    let cells = notebook["cells"].as_array()?.iter();
    let cells = cells.filter(|cell| cell["id"] != NOTE);
    let cells = cells.map(|cell| (text(&cell["cell_type"]), text(&cell["source"])));
    Some(cells.filter(|(_, text)| !text.trim().is_empty()).collect())
}

/// A text, which notebooks may store line by line.
fn text(stored: &Value) -> String {
    match stored {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        stored => stored.as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn notebook(cells: &[Value]) -> Vec<u8> {
        let cells: Vec<Value> = cells.iter().enumerate().map(|(n, source)| {
            json!({"cell_type": "code", "id": n.to_string(), "metadata": {}, "outputs": [], "source": source})
        }).collect();
        json!({"cells": cells, "metadata": {}, "nbformat": 4})
            .to_string()
            .into_bytes()
    }

    #[test]
    fn running_and_opening_a_lesson_do_not_change_it() {
        let made = notebook(&[json!(["let a = 1;\n", "a"])]);
        let used = json!({
            "cells": [
                {"cell_type": "markdown", "id": NOTE, "source": "There is a newer version."},
                {"cell_type": "code", "id": "0", "execution_count": 7, "metadata": {"trusted": true},
                 "outputs": [{"output_type": "stream", "text": "1"}], "source": "let a = 1;\na"},
                {"cell_type": "code", "id": "z", "metadata": {}, "outputs": [], "source": "\n"},
            ],
            "metadata": {"language_info": {"name": "rust"}}, "nbformat": 4, "nbformat_minor": 5,
        });
        assert!(is_unchanged(used.to_string().as_bytes(), &made));
    }

    #[test]
    fn what_a_learner_writes_adds_or_deletes_is_a_change() {
        let made = notebook(&[json!("a"), json!("b")]);
        for changed in [
            &[json!("a"), json!("c")][..],
            &[json!("a"), json!("b"), json!("mine")],
            &[json!("a")],
            &[json!("b"), json!("a")],
        ] {
            assert!(!is_unchanged(&notebook(changed), &made), "{changed:?}");
        }
        let as_text = String::from_utf8(made.clone())
            .expect("UTF-8")
            .replace("code", "markdown");
        assert!(
            !is_unchanged(as_text.as_bytes(), &made),
            "another kind of cell"
        );
        assert!(!is_unchanged(b"mine", &made) && is_unchanged(b"mine", b"mine"));
    }
}
