//! Functions and methods named but not called.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};

/// Part of rustc's message when a function is displayed: "`fn() -> u8 {dice::roll}` doesn't
/// implement `Debug`".
const CANNOT_BE_SHOWN: &str = "}` doesn't implement `";

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    match diagnostic.code.as_deref()? {
        "E0615" | "E0616" => {
            // E0616: a private field that has the name of a method.
            let mut helps = diagnostic.helps.iter();
            helps.find(|help| help.message.contains("parentheses"))?;
            let name = *diagnostic.quoted().first()?;
            let place = diagnostic.primary()?;
            let edit = Edit {
                place: LineSpan {
                    start: place.end,
                    ..place
                },
                text: "()".to_owned(),
            };
            let text = format!("`{name}` is a method, so it needs `()` after its name");
            Some(Hint::with(text, vec![edit]))
        }
        "E0277" => {
            let mark = diagnostic.marks.iter().find(|mark| mark.is_primary);
            shown(&diagnostic.message, mark.map(|mark| mark.place), known)
        }
        _ => None,
    }
}

/// A function displayed as if it were a value.
fn shown(message: &str, place: Option<LineSpan>, known: &Known<'_>) -> Option<Hint> {
    let (function, _) = message.strip_prefix("`fn(")?.split_once(CANNOT_BE_SHOWN)?;
    let (type_name, path) = function.rsplit_once(" {").unwrap_or((function, ""));
    let name = path.rsplit("::").next()?;
    if !type_name.starts_with(')') {
        return None; // functions with arguments are left to `undefined`
    }
    // The cell's final value is displayed by generated code, so the error has no position in the
    // cell.
    let place = place.or_else(|| last(known.cell));
    let there = place.filter(|place| place.of(known.cell) == name);
    let edits = there.map(|place| Edit {
        place: LineSpan {
            start: place.end,
            ..place
        },
        text: "()".to_owned(),
    });
    let text = format!("`{name}` is a function, so it needs `()` after its name");
    Some(match edits {
        Some(edit) => Hint::with(text, vec![edit]),
        None => Hint::new(format!("{text}: `{name}()`")),
    })
}

/// The last non-blank line of the cell, trimmed.
fn last(cell: &str) -> Option<LineSpan> {
    let number = cell.trim_end().lines().count();
    let text = line(cell, number);
    let start = text.chars().count() - text.trim_start().chars().count();
    (number > 0).then(|| LineSpan {
        line: number,
        start,
        end: start + text.trim().chars().count(),
    })
}

#[cfg(test)]
mod tests {
    use crate::hints::tests::{diagnostic, said};

    #[test]
    fn a_method_gets_its_brackets_also_where_a_private_field_has_its_name() {
        for (code, message, help) in [
            (
                "E0615",
                "attempted to take value of method `len` on type `Array1<f32>`",
                "use parentheses to call the method",
            ),
            (
                "E0616",
                "field `len` of struct `Vec` is private",
                "a method `len` also exists, call it with parentheses",
            ),
        ] {
            let cell = "let n = tokens.len + 1;";
            let mut error = diagnostic(code, message, cell, "len");
            let told =
                "`len` is a method, so it needs `()` after its name|let n = tokens.len() + 1;";
            assert_eq!(said(&error, cell), "|", "no method is there");
            error.helps[0].message = help.to_owned();
            assert_eq!(said(&error, cell), told);
        }
    }

    #[test]
    fn a_function_that_is_not_called_gets_its_brackets() {
        let message = "`fn() -> Overview {course::progress}` doesn't implement `Debug`";
        // The final value is displayed outside the cell, so rustc marks nothing inside it.
        for (cell, line) in [
            ("progress", "progress()"),
            ("let a = 1;\n  progress", "  progress()"),
        ] {
            let mut shown = diagnostic("E0277", message, cell, "progress");
            shown.marks.clear();
            let told = format!("`progress` is a function, so it needs `()` after its name|{line}");
            assert_eq!(said(&shown, cell), told);
        }
        // A mark in the cell may be the function's own definition.
        let cell = "fn progress() -> u8 { 1 }\nprogress";
        let mut shown = diagnostic("E0277", message, cell, "progress");
        shown.marks[0].is_primary = false;
        assert!(said(&shown, cell).ends_with("|progress()"));
        let takes = "`fn(usize) -> u8 {course::mask}` doesn't implement `Debug`";
        let told = said(&diagnostic("E0277", takes, "mask", "mask"), "mask");
        assert_eq!(
            told,
            "`mask` is the function `mask(...)` here; there is no variable `mask` yet: run the cell \
             that defines it (`let mask = ...;`) first|"
        );
    }
}
