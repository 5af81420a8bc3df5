//! Arrays of the wrong type: with too many or too few axes, or the wrong elements.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit};
use crate::expressions;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    match diagnostic.code.as_deref()? {
        "E0308" => {
            let (wanted, found) = wanted_and_found(&diagnostic.all)?;
            let given = given(diagnostic, known);
            other_axes(wanted, found, &given).or_else(|| other_elements(wanted, found, &given))
        }
        "E0277" if diagnostic.message.ends_with("f32 or f64, not in `bool`") => Some(Hint::new(
            "numbers are expected here, but this is a mask, of `true` and `false`: \
             `mask.mapv(|yes| if yes { 1.0_f32 } else { 0.0 })` makes some",
        )),
        "E0369" | "E0277" => times_mask(diagnostic, known).or_else(|| larger_first(diagnostic)),
        _ => None,
    }
}

/// The expected and the actual type in rustc's message.
pub(super) fn wanted_and_found(said: &str) -> Option<(&str, &str)> {
    let mut lines = said.lines();
    while let Some(line) = lines.next() {
        let wanted = line.strip_prefix("expected ").filter(|text| is_array(text));
        let found = lines.clone().next().map(str::trim_start);
        let found = found.and_then(|line| line.strip_prefix("found "));
        if let (Some(wanted), Some(found)) = (wanted, found.filter(|text| is_array(text))) {
            return Some((wanted, found));
        }
    }
    None
}

fn is_array(text: &str) -> bool {
    text.contains("`") && (text.contains("ArrayBase<") || text.contains("ArrayRef<"))
}

/// The name of the variable passed, or `x`.
fn given(diagnostic: &Diagnostic, known: &Known<'_>) -> String {
    let place = diagnostic.primary();
    let text = place
        .map_or("", |place| place.of(known.cell))
        .trim_start_matches('&');
    match known.has_variable(text) {
        true => text.to_owned(),
        false => "x".to_owned(),
    }
}

fn axes(array: &str) -> Option<usize> {
    let number = array.split("Dim<[usize; ").nth(1)?.split(']').next()?;
    number.parse().ok()
}

fn other_axes(wanted: &str, found: &str, given: &str) -> Option<Hint> {
    let (wanted, found) = (axes(wanted)?, axes(found)?);
    let name = |axes: usize| match axes {
        1 => "1 axis".to_owned(),
        more => format!("{more} axes"),
    };
    let remedy = match wanted.checked_sub(found) {
        Some(0) => return None,
        Some(_) => format!("`{given}.clone().insert_axis(Axis(0))` has one more, of length 1"),
        None => format!("`{given}.index_axis(Axis(0), 0)` is a part with one less, the first"),
    };
    Some(Hint::new(format!(
        "an array with {} is expected here, but this one has {found}: {remedy}",
        name(wanted)
    )))
}

/// The element type, if rustc names it.
pub(super) fn element(array: &str) -> Option<&str> {
    let after = ["OwnedRepr<", "ViewRepr<&", "ArrayRef<"];
    let found = after.iter().find_map(|begin| array.split(begin).nth(1))?;
    let end = found.find([',', '>'])?;
    Some(found[..end].trim_start_matches("mut ")).filter(|name| *name != "_")
}

fn other_elements(wanted: &str, found: &str, given: &str) -> Option<Hint> {
    let text = match (element(wanted)?, element(found)?) {
        ("bool", number) if number != "bool" => format!(
            "a mask, an array of `true` and `false`, is expected here, but this one is of {number}: \
             `{given}.mapv(|value| value > 0.0)` makes one"
        ),
        (number, "bool") if number != "bool" => format!(
            "an array of {number} is expected here, but this one is a mask, of `true` and `false`: \
             `{given}.mapv(|yes| if yes {{ 1.0 }} else {{ 0.0 }})` makes one"
        ),
        _ => return None,
    };
    Some(Hint::new(text))
}

/// `weights * mask`, where `true` and `false` must become numbers.
fn times_mask(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let quoted = diagnostic.quoted();
    let [left, right] = quoted[..] else {
        return None;
    };
    let verbs = ["multiply", "add", "subtract", "divide"];
    let done = ["multiplied", "added", "subtracted", "divided"];
    let verb = diagnostic
        .message
        .strip_prefix("cannot ")?
        .split(' ')
        .next();
    let done = done[verbs.iter().position(|one| Some(*one) == verb)?];
    let operation = expressions::operation(known.cell, diagnostic.primary()?)?;
    // For addition and subtraction, rustc names the operands in reverse order.
    let (left, right) = match done {
        "added" | "subtracted" => (right, left),
        _ => (left, right),
    };
    let is_number = |of: &str| of == "{integer}" || of == "{float}" || of == "f32";
    let kind = |of| element(of).or_else(|| is_number(of).then_some("f32"));
    let (number, mask) = match (kind(left)?, kind(right)?) {
        (number, "bool") => (number, operation.right),
        ("bool", number) => (number, operation.left),
        _ => return None,
    };
    let given = mask.of(known.cell);
    let name = given.trim_start_matches('&').trim_end_matches(".clone()");
    let edit = Edit {
        place: mask,
        text: format!("{name}.mapv(|yes| if yes {{ 1.0_{number} }} else {{ 0.0 }})"),
    };
    let text = format!(
        "`{name}` is a mask, of `true` and `false`, but only numbers can be {done}: turn it into 1s and 0s"
    );
    ["f32", "f64"]
        .contains(&number)
        .then(|| Hint::with(text, vec![edit]))
}

/// `row + matrix`: ndarray needs the larger array first.
fn larger_first(diagnostic: &Diagnostic) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    let types = diagnostic.quoted();
    let (left, right) = match (types.as_slice(), message.split(' ').nth(1)?) {
        ([right, left], "add") => (left, right),
        ([left, right], "multiply") => (left, right),
        _ => return None,
    };
    let (left, right) = (axes(left)?, axes(right)?);
    (message.starts_with("cannot ") && left < right).then(|| {
        Hint::new(format!(
            "an array with {left} and one with {right} axes: write the one with more axes first, \
             and borrow both, as in `&matrix + &row`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;

    #[test]
    fn a_mask_that_is_multiplied_becomes_numbers() {
        let cell = "softmax(scores) * mask";
        let message = "cannot multiply `ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>` by \
            `&ArrayBase<OwnedRepr<bool>, Dim<[usize; 2]>, bool>`";
        let told = said(&diagnostic("E0277", message, cell, "*"), cell);
        let expected = "`mask` is a mask, of `true` and `false`, but only numbers can be multiplied: \
            turn it into 1s and 0s|softmax(scores) * mask.mapv(|yes| if yes { 1.0_f32 } else { 0.0 })";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_mask_that_is_added_or_subtracted_becomes_numbers() {
        let mask = "ArrayBase<OwnedRepr<bool>, Dim<[usize; 2]>, bool>";
        let array = "ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>";
        for (cell, message, changed) in [
            (
                "scores - mask",
                format!("cannot subtract `{mask}` from `{array}`"),
                "scores - mask.",
            ),
            (
                "1 - mask",
                format!("cannot subtract `{mask}` from `{{integer}}`"),
                "1 - mask.",
            ),
            (
                "mask + scores",
                format!("cannot add `{array}` to `{mask}`"),
                "mask.",
            ),
        ] {
            let operator = if cell.contains('+') { "+" } else { "-" };
            let told = said(&diagnostic("E0277", &message, cell, operator), cell);
            let (_, corrected) = told.split_once('|').expect(&told);
            assert!(
                corrected.starts_with(&format!("{changed}mapv(|yes| ")),
                "{told}"
            );
        }
    }

    #[test]
    fn types_are_read_from_what_rustc_compares() {
        let said = "mismatched types\nexpected reference `&ArrayRef<bool, Dim<[usize; 3]>>`\n   \
                    found reference `&ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>`";
        let (wanted, found) = wanted_and_found(said).expect("types");
        assert_eq!((axes(wanted), axes(found)), (Some(3), Some(2)));
        assert_eq!(
            (element(wanted), element(found)),
            (Some("bool"), Some("f32"))
        );
        assert_eq!(element("&ArrayBase<_, Dim<[usize; 2]>, _>"), None);
        assert_eq!(wanted_and_found("expected `f32`, found `f64`"), None);
    }
}
