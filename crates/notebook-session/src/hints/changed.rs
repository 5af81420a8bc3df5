//! Variables that are changed: without `mut`, through a reference, or to a value of another type.

use super::{Hint, Known, is_name, is_word};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};
use crate::expressions;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    match diagnostic.code.as_deref()? {
        "E0594" | "E0596" if message.contains("behind a `&` reference") => {
            let name = diagnostic.quoted().first()?.trim_start_matches('*');
            borrowed(name, diagnostic.primary()?.line, known)
        }
        "E0594" | "E0596" if message.contains("not declared as mutable") => {
            immutable(diagnostic, known)
        }
        "E0368" if message.contains(" type `&ArrayBase<") => {
            let mut marks = diagnostic.marks.iter();
            let place = marks.find(|mark| !mark.is_primary)?.place;
            borrowed(place.of(known.cell), place.line, known)
        }
        _ => None,
    }
}

/// Assigning through a reference, held by a variable or passed as an argument.
fn borrowed(name: &str, line: usize, known: &Known<'_>) -> Option<Hint> {
    if !is_name(name) {
        return None;
    }
    let variable = expressions::variable(known.cell, name, line);
    let Some(variable) = variable else {
        return Some(Hint::new(format!(
            "`{name}` is borrowed, and cannot be changed: change a copy, `let mut copy = \
             {name}.clone();`"
        )));
    };
    let value = variable.value.of(known.cell);
    if !is_name(value) {
        return None;
    }
    let at = |place: LineSpan, column: usize, text: &str| Edit {
        place: LineSpan {
            start: column,
            end: column,
            ..place
        },
        text: text.to_owned(),
    };
    let mut edits = vec![at(variable.value, variable.value.end, ".clone()")];
    if !variable.is_mutable {
        edits.push(at(variable.name, variable.name.start, "mut "));
    }
    let text = format!(
        "`{name}` is the same borrowed array as `{value}`, and cannot be changed: start with a copy"
    );
    Some(Hint::with(text, edits))
}

/// A missing `mut`.
fn immutable(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let name = *diagnostic.quoted().first()?;
    // If the compiler marks no place in the cell, any `let` counts.
    let line = diagnostic.primary().map_or(usize::MAX, |place| place.line);
    let Some(variable) = expressions::variable(known.cell, name, line) else {
        return is_name(name).then(|| of_another_cell(diagnostic, name));
    };
    let edit = Edit {
        place: LineSpan {
            end: variable.name.start,
            ..variable.name
        },
        text: "mut ".to_owned(),
    };
    let text = format!("`{name}` is changed here, which its `let` must allow: write `let mut`");
    (!variable.is_mutable).then(|| Hint::with(text, vec![edit]))
}

fn of_another_cell(diagnostic: &Diagnostic, name: &str) -> Hint {
    Hint::new(match diagnostic.code.as_deref() {
        Some("E0594") => format!(
            "`{name}` has a value already: `let {name} = ...;` makes a new variable of that name"
        ),
        _ => format!(
            "`{name}` is changed here, which its `let` in another cell must allow: write `let mut \
             {name}` there, or change a copy, `let mut copy = {name}.clone();`"
        ),
    })
}

/// `text = encode(&text)`: assigns a value of another type, because `let` is missing.
pub fn another_type(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let name = assigned(diagnostic, known)?;
    if diagnostic
        .helps
        .iter()
        .any(|help| help.replacement.is_some())
    {
        return None; // rustc suggests a conversion
    }
    let edit = Edit {
        place: LineSpan {
            end: name.start,
            ..name
        },
        text: "let ".to_owned(),
    };
    let name = name.of(known.cell);
    let text = format!(
        "`{name}` keeps the type of its first value, and this is another: `let` makes a new variable \
         of that name"
    );
    Some(Hint::with(text, vec![edit]))
}

/// The variable to which a statement of the cell assigns a value of another type.
fn assigned(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<LineSpan> {
    let value = diagnostic.primary()?;
    let is_it = diagnostic.has_code("E0308") && diagnostic.message == "mismatched types";
    expressions::assigned(known.cell, value).filter(|_| is_it)
}

/// Removes errors on later lines about a variable to which a value of another type was assigned.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>, known: &Known<'_>) {
    let assigned = errors.iter().filter_map(|one| assigned(one, known));
    let assigned: Vec<LineSpan> = assigned.collect();
    errors.retain(|one| {
        let follows = |name: &LineSpan| {
            one.primary().is_some_and(|place| {
                let text = line(known.cell, place.line);
                let mut words = text.split(|c| !is_word(c));
                place.line > name.line && words.any(|word| word == name.of(known.cell))
            })
        };
        !assigned.iter().any(follows)
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;
    use crate::diagnostic::Mark;
    use crate::earlier_cells::EarlierCells;

    #[test]
    fn a_value_of_another_type_needs_a_let() {
        let cell = "text = encode(&text);\ntext[0]\nother[0]";
        let wrong = diagnostic("E0308", "mismatched types", cell, "encode(&text)");
        let told = "`text` keeps the type of its first value, and this is another: `let` makes a new \
            variable of that name|let text = encode(&text);";
        assert_eq!(said(&wrong, cell), told);
        let later = |line| {
            let message = "the type `str` cannot be indexed by `{integer}`";
            let mut error = diagnostic("E0277", message, cell, "0");
            error.marks[0].place.line = line;
            error
        };
        let known = Known {
            cell,
            variables: &[],
            earlier_cells: &EarlierCells::default(),
        };
        let mut errors = vec![wrong, later(2), later(3)];
        forget_consequences(&mut errors, &known);
        let mut convertible = errors[0].clone();
        convertible.helps[0].replacement = Some(".to_string()".to_owned());
        assert_eq!(said(&convertible, cell), "|");
        let lines = errors.iter().map(|one| one.marks[0].place.line);
        assert_eq!(lines.collect::<Vec<_>>(), [1, 3]);
        // In a block, `let` would make a variable that exists only inside the block.
        let cell = "for i in 0..3 { text = encode(i); }";
        let in_block = diagnostic("E0308", "mismatched types", cell, "encode(i)");
        assert_eq!(said(&in_block, cell), "|");
    }

    #[test]
    fn what_is_borrowed_is_copied_before_it_is_changed() {
        let behind = |name: &str| {
            format!("cannot borrow `*{name}` as mutable, as it is behind a `&` reference")
        };
        let cell = "let mut s = scores; s[[0, 1]] = 0.0;";
        let told = said(&diagnostic("E0596", &behind("s"), cell, "s[["), cell);
        let expected = "`s` is the same borrowed array as `scores`, and cannot be changed: start \
            with a copy|let mut s = scores.clone(); s[[0, 1]] = 0.0;";
        assert_eq!(told, expected);
        let cell = "scores.fill(0.0);";
        let told = said(
            &diagnostic("E0596", &behind("scores"), cell, "scores"),
            cell,
        );
        assert!(told.contains("`let mut copy = scores.clone();`"), "{told}");
        let cell = "let s = scores; s += 1.0;";
        let message = "binary assignment operation `+=` cannot be applied to type \
            `&ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>`";
        let mut error = diagnostic("E0368", message, cell, "s += 1.0");
        error.marks.push(Mark {
            place: LineSpan {
                line: 1,
                start: 16,
                end: 17,
            },
            ..Mark::default()
        });
        let told = said(&error, cell);
        assert!(
            told.ends_with("|let mut s = scores.clone(); s += 1.0;"),
            "{told}"
        );
    }

    #[test]
    fn a_let_without_mut_gets_it() {
        let cell = "let s = q.clone(); s.fill(0.0);";
        let message = "cannot borrow `s` as mutable, as it is not declared as mutable";
        let told = said(&diagnostic("E0596", message, cell, "s.fill"), cell);
        assert!(
            told.ends_with("|let mut s = q.clone(); s.fill(0.0);"),
            "{told}"
        );
    }

    #[test]
    fn a_variable_of_another_cell_is_made_again_or_copied() {
        let cell = "house = 2;";
        let message = "cannot assign to `house`, as it is not declared as mutable";
        let told = said(&diagnostic("E0594", message, cell, "house"), cell);
        assert!(told.contains("`let house = ...;` makes a new"), "{told}");
        let cell = "s.fill(0.0);";
        let message = "cannot borrow `s` as mutable, as it is not declared as mutable";
        let told = said(&diagnostic("E0596", message, cell, "s"), cell);
        assert!(told.contains("`let mut copy = s.clone();`"), "{told}");
    }
}
