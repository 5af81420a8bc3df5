//! Detects a learner's changes to a notebook.

use crate::lessons::text::{NEWER, NOTE};
use crate::notebook::joined;
use serde_json::Value;

/// Whether a learner's copy has the same text as what it was made from.
///
/// Only the text of the cells counts as a learner's work: running a lesson changes its outputs, and
/// merely opening it in JupyterLab changes its metadata.
pub fn is_unchanged(copy: &[u8], made: &[u8]) -> bool {
    if copy == made {
        return true;
    }
    let (Some(copy), Some(made)) = (Text::of(copy), Text::of(made)) else {
        return false;
    };
    let added = copy.note.strip_suffix(&made.note);
    let is_ours = |added: &str| added.is_empty() || added.starts_with(NEWER);
    copy.cells == made.cells && (copy.note.is_empty() || added.is_some_and(is_ours))
}

/// Whether a learner sees no difference between two versions of a lesson.
pub fn say_the_same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Text::of(one), Text::of(other));
    one.is_some_and(|one| other.is_some_and(|other| one.cells == other.cells))
}

/// The text of a notebook.
struct Text {
    /// Our note, which a learner may delete.
    note: String,
    /// The kinds and texts of the other cells, except empty ones: JupyterLab adds one at the end.
    cells: Vec<(String, String)>,
}

impl Text {
    /// `None` if it is not a notebook.
    fn of(notebook: &[u8]) -> Option<Text> {
        let notebook: Value = serde_json::from_slice(notebook).ok()?;
        let cells = notebook["cells"].as_array()?;
        let note = cells.iter().find(|cell| cell["id"] == NOTE);
        let others = cells.iter().filter(|cell| cell["id"] != NOTE);
        let others = others.map(|cell| (joined(&cell["cell_type"]), joined(&cell["source"])));
        Some(Text {
            note: note.map_or_else(String::new, |cell| joined(&cell["source"])),
            cells: others.filter(|(_, text)| !text.trim().is_empty()).collect(),
        })
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
                {"cell_type": "code", "id": "0", "execution_count": 7, "metadata": {"trusted": true},
                 "outputs": [{"output_type": "stream", "text": "1"}], "source": "let a = 1;\na"},
                {"cell_type": "code", "id": "z", "metadata": {}, "outputs": [], "source": "\n"},
            ],
            "metadata": {"language_info": {"name": "rust"}}, "nbformat": 4, "nbformat_minor": 5,
        });
        assert!(is_unchanged(used.to_string().as_bytes(), &made));
    }

    #[test]
    fn a_learner_may_write_even_into_the_note() {
        let with_note = |note: &str| {
            let cell = json!({"cell_type": "markdown", "id": NOTE, "source": note});
            json!({"cells": [cell], "nbformat": 4})
                .to_string()
                .into_bytes()
        };
        let made = with_note("*Yours.*");
        let newer = with_note(&format!("{NEWER}02.ipynb).** *Yours.*"));
        assert!(is_unchanged(&newer, &made) && is_unchanged(&notebook(&[]), &made));
        for mine in ["*Yours.* Mine!", "Mine! *Yours.*", "Mine"] {
            assert!(!is_unchanged(&with_note(mine), &made), "{mine}");
            assert!(
                say_the_same(&with_note(mine), &made),
                "another version's note"
            );
        }
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
