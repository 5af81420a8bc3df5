//! References to numbers, as loops over arrays yield them.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::expressions;

const NUMBERS: [&str; 4] = ["`&f32`", "`&f64`", "`&usize`", "`&bool`"];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let mark = diagnostic.marks.iter().find(|mark| mark.is_primary)?;
    if diagnostic.has_code("E0277") {
        return largest(diagnostic, mark.place.of(known.cell));
    }
    if !diagnostic.has_code("E0308") || !NUMBERS.iter().any(|name| mark.label.contains(name)) {
        return None;
    }
    let is_it = |message: &str| message.contains("dereferencing the borrow");
    let help = diagnostic.helps.iter().find(|help| is_it(&help.message))?;
    let star = help.edits.first()?.place;
    let name = word_at(star, known.cell);
    let of_loop = expressions::loop_variable(known.cell, &name, star.line);
    if let Some(of_loop) = of_loop.filter(|found| !found.is_dereferenced) {
        let text = format!(
            "a loop over an array gives references to its values: write `&{name}` in its head, \
             and `{name}` is the value"
        );
        let edit = Edit {
            place: LineSpan {
                end: of_loop.name.start,
                ..of_loop.name
            },
            text: "&".to_owned(),
        };
        return Some(Hint::with(text, vec![edit]));
    }
    let text = match name.is_empty() {
        true => "this is a reference to a number: `*` gives the number".to_owned(),
        false => format!("`{name}` is a reference to a number: `*{name}` is the number"),
    };
    Some(Hint::with(text, help.edits.clone()))
}

/// The identifier that starts here.
fn word_at(place: LineSpan, cell: &str) -> String {
    let rest = LineSpan {
        end: usize::MAX,
        ..place
    };
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    rest.of(cell).chars().take_while(is_word).collect()
}

/// `x.iter().max()` on floats.
fn largest(diagnostic: &Diagnostic, method: &str) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    let float = ["f32", "f64"]
        .into_iter()
        .find(|float| message == format!("the trait bound `{float}: Ord` is not satisfied"))?;
    let (start, method) = match method {
        "max" => ("NEG_INFINITY", "max"),
        "min" => ("INFINITY", "min"),
        _ => return None,
    };
    Some(Hint::new(format!(
        "`{method}()` is for integers, because {float} can be NaN; write\n    \
         x.iter().copied().fold({float}::{start}, {float}::{method})"
    )))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use crate::diagnostic::{Edit, Help, LineSpan};

    fn told(cell: &str, part: &str, name: &str) -> String {
        let mut error = diagnostic("E0308", "mismatched types", cell, part);
        error.marks[0].label = "expected `&f32`, found `f32`".to_owned();
        let start = cell.find(name).expect("the name") + name.len() - 1;
        let place = LineSpan {
            line: 1,
            start,
            end: start,
        };
        error.helps = vec![Help {
            message: "consider dereferencing the borrow".to_owned(),
            edits: vec![Edit {
                place,
                text: "*".to_owned(),
            }],
            replacement: Some("*".to_owned()),
        }];
        said(&error, cell)
    }

    #[test]
    fn the_head_of_a_loop_takes_the_reference_away() {
        let told = told("for s in scores { if s > m { m = s; } }", "m {", "if s");
        let expected = "a loop over an array gives references to its values: write `&s` in its \
            head, and `s` is the value|for &s in scores { if s > m { m = s; } }";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_loop_that_writes_the_star_elsewhere_gets_another() {
        let told = told("for s in scores { if s > m { m = *s; } }", "m {", "if s");
        let expected = "`s` is a reference to a number: `*s` is the number|\
            for s in scores { if *s > m { m = *s; } }";
        assert_eq!(told, expected);
    }

    #[test]
    fn the_largest_number_with_a_point_is_found_by_a_fold() {
        let cell = "scores.iter().max()";
        let error = diagnostic(
            "E0277",
            "the trait bound `f32: Ord` is not satisfied",
            cell,
            "max",
        );
        let told = said(&error, cell);
        assert!(told.contains("fold(f32::NEG_INFINITY, f32::max)"), "{told}");
    }
}
