//! `let mut sum = 0; sum += 0.5;`: an accumulator that must be initialised with a float.

use super::numbers::integer_and_other;
use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit};
use crate::expressions;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let (integer, other) = integer_and_other(diagnostic)?;
    let place = diagnostic.primary()?;
    let operation = expressions::operation(known.cell, place)?;
    let float = if other.contains("f64") { "f64" } else { "f32" };
    let starting = [operation.left, operation.right]
        .into_iter()
        .find_map(|side| {
            let variable = expressions::variable(known.cell, side.of(known.cell), place.line)?;
            let value = variable.value.of(known.cell);
            let is_literal = value.chars().all(|c| c.is_ascii_digit());
            is_literal.then_some((side.of(known.cell), variable.value, value))
        });
    if let Some((name, place, value)) = starting.filter(|_| integer == "{integer}") {
        let text = format!(
            "`{name}` starts as the integer `{value}`, but is combined with {float}: start with \
             `{value}.0`"
        );
        let edit = Edit {
            place,
            text: format!("{value}.0"),
        };
        return Some(Hint::with(text, vec![edit]));
    }
    let name = operation.left.of(known.cell);
    let is_assigned = operation.operator.len() == 2 && operation.operator.ends_with('=');
    let changes_integer = diagnostic.message.ends_with(&format!("to `{integer}`"))
        || diagnostic.message.ends_with(&format!("from `{integer}`"));
    (is_assigned && changes_integer).then(|| {
        Hint::new(format!(
            "`{name}` is an integer, {integer}, and cannot become {float}: define it with a point, \
             `let mut {name} = 0.0;`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    #[test]
    fn a_sum_starts_with_a_point() {
        for (cell, operator, message, told) in [
            (
                "let mut s = 0; s += y;",
                "+=",
                "cannot add-assign `f32` to `{integer}`",
                "`s` starts as the integer `0`, but is combined with f32: start with `0.0`|\
                 let mut s = 0.0; s += y;",
            ),
            (
                "let mut s = 0; s = s + y;",
                "+",
                "cannot add `f64` to `{integer}`",
                "`s` starts as the integer `0`, but is combined with f64: start with `0.0`|\
                 let mut s = 0.0; s = s + y;",
            ),
            (
                "n += y",
                "+=",
                "cannot add-assign `f32` to `i32`",
                "`n` is an integer, i32, and cannot become f32: define it with a point, \
                 `let mut n = 0.0;`|",
            ),
        ] {
            assert_eq!(
                said(&diagnostic("E0277", message, cell, operator), cell),
                told
            );
        }
    }
}
