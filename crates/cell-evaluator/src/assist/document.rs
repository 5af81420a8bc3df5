//! The one file that the language server sees: the code before the cell, and the cell.

use serde_json::{Value, json};

/// The context that gives a cell's names the meaning they have in the notebook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotebookCode {
    /// The `use` declarations in force.
    pub imports: String,
    /// The source of the definitions in force.
    pub definitions: String,
    /// The variables: each name with its type, written so that it is valid after the imports and
    /// definitions.
    pub variables: Vec<(String, String)>,
}

/// The file's text, and the start and length of the cell in it.
pub struct Document {
    pub text: String,
    cell: usize,
    length: usize,
}

impl Document {
    /// The document for a query about a place in a cell.
    pub fn new(around: &NotebookCode, cell: &str, place: usize) -> Document {
        let mut text = format!("{}\n{}\n", around.imports, around.definitions);
        // rust-analyzer does not apply an `impl` inside a function to a type outside it.
        let is_in_function = !is_in_impl(cell, place);
        if is_in_function {
            text += "async fn __cell() {\n";
            for (name, type_code) in &around.variables {
                text += &format!("let {name}: {type_code} = loop {{}};\n");
            }
        }
        let start = text.len();
        text += cell;
        text += if is_in_function { "\n}\n" } else { "\n" };
        Document {
            text,
            cell: start,
            length: cell.len(),
        }
    }

    /// Converts a place in the cell to an LSP position.
    pub fn position(&self, place: usize) -> Value {
        let before = &self.text[..self.cell + place];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        json!({ "line": line, "character": before.len() - line_start })
    }

    /// Converts an LSP position to a place in the cell; `None` if it is outside the cell.
    pub fn place(&self, position: &Value) -> Option<usize> {
        let number = |name| position[name].as_u64().map(|number| number as usize);
        let (line, character) = (number("line")?, number("character")?);
        let starts = self.text.match_indices('\n').map(|(end, _)| end + 1);
        let start = [0].into_iter().chain(starts).nth(line)?;
        let place = (start + character).checked_sub(self.cell)?;
        (place <= self.length).then_some(place)
    }
}

/// Whether a place is inside the braces of an `impl`, with only `impl` blocks before it.
fn is_in_impl(cell: &str, place: usize) -> bool {
    let is_impl = |code: &str| {
        let rest = code.trim_start().strip_prefix("impl");
        rest.is_some_and(|rest| rest.starts_with([' ', '<', '\n']))
    };
    let mut depth = 0_usize;
    for (brace, letter) in cell[..place].match_indices(['{', '}']) {
        depth = match letter {
            "{" => depth + 1,
            _ => depth.saturating_sub(1),
        };
        if depth == 0 && !is_impl(&cell[brace + 1..]) {
            return false;
        }
    }
    depth > 0 && is_impl(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_cell_are_found_again() {
        let around = NotebookCode {
            imports: "use a::b;".to_owned(),
            definitions: "struct P;".to_owned(),
            variables: vec![("größe".to_owned(), "u8".to_owned())],
        };
        let cell = "let ä = 1;\nä.";
        let document = Document::new(&around, cell, 0);
        assert_eq!(document.position(0), json!({ "line": 4, "character": 0 }));
        for place in [0, 3, cell.len()] {
            assert_eq!(document.place(&document.position(place)), Some(place));
        }
        for (line, character) in [(0, 1), (3, 0), (7, 0), (99, 0)] {
            let outside = json!({ "line": line, "character": character });
            assert_eq!(document.place(&outside), None);
        }
    }

    #[test]
    fn an_impl_stands_among_the_definitions() {
        let text = |code: &str| {
            let (before, after) = code.split_once('|').expect("a place");
            let cell = format!("{before}{after}");
            Document::new(&NotebookCode::default(), &cell, before.len()).text
        };
        for inside in [
            "impl P { fn f() { self.| } }",
            "impl P {}\nimpl<T> Q { fn| }",
        ] {
            assert!(!text(inside).contains("__cell"), "{inside}");
        }
        for outside in [
            "impl P { }\np.|",
            "fn f() { a.| }",
            "implement {|}",
            "impl P {}\nif a { b.| }",
        ] {
            assert!(text(outside).contains("__cell"), "{outside}");
        }
    }
}
