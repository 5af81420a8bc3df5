//! Shapes of array literals such as `array![[1.0, 2.0]]`, which are known without evaluating
//! anything.

use crate::array_panics::{self, NO_FIT, OUTSIDE, SEPARATOR, Suspects};
use crate::cell_syntax::{self, Element};

const MACRO: &str = "array!";

/// Explains an error about an index or shapes, with numbers if array literals in the cell show
/// them; `None` for any other error.
pub fn about(message: &str, cell: &str, line: Option<usize>) -> Option<String> {
    let is_here = |number: usize| line.is_none_or(|line| line == number);
    if array_panics::is_about_index(message) {
        let mut accesses = cell_syntax::accesses(cell);
        accesses.retain(|access| is_here(access.line));
        let answers = accesses.iter().map(|access| {
            let shape = of_variable(cell, &access.variable)?;
            let indices = access.indices.iter().map(|index| index.parse().ok());
            let indices: Option<Vec<usize>> = indices.collect();
            let indices = indices.unwrap_or_default();
            Some(format!("{shape:?}{SEPARATOR}{indices:?}"))
        });
        let answers: Option<Vec<String>> = answers.collect();
        let suspects = Suspects::of_index(accesses);
        let told = answers.and_then(|answers| suspects.conclusion(&answers.join("\n")));
        return Some(told.unwrap_or_else(|| format!("{OUTSIDE} of its array")));
    }
    if !array_panics::is_about_shapes(message) {
        return None;
    }
    let lines = cell.lines().zip(1..);
    let lines: Vec<&str> = lines
        .filter(|(_, number)| is_here(*number))
        .map(|(text, _)| text)
        .collect();
    let shapes = all(&lines.join("\n"));
    let elsewhere = lines.iter().flat_map(|text| cell_syntax::names_in(text));
    let elsewhere = elsewhere.filter_map(|name| of_variable(cell, &name));
    let shapes = if shapes.is_empty() {
        elsewhere.collect()
    } else {
        shapes
    };
    Some(match &shapes[..] {
        [one, other] => format!("{NO_FIT}: {one:?} and {other:?}"),
        _ => NO_FIT.to_owned(),
    })
}

/// The shape of an expression that starts with an array literal.
fn of(expression: &str) -> Option<Vec<usize>> {
    let list = expression.trim_start_matches('&').strip_prefix(MACRO)?;
    let elements = cell_syntax::elements(&list[..list_length(list)?])?;
    let mut shape = vec![elements.len()];
    let mut inner: Option<&Vec<Element>> = elements.first().and_then(|one| one.inner.as_ref());
    while let Some(elements) = inner {
        shape.push(elements.len());
        inner = elements.first().and_then(|one| one.inner.as_ref());
    }
    Some(shape)
}

/// The shape of a variable initialised with an array literal.
fn of_variable(cell: &str, name: &str) -> Option<Vec<usize>> {
    of(&cell_syntax::initialiser(cell, name)?)
}

/// The shapes of all array literals in the text.
fn all(text: &str) -> Vec<Vec<usize>> {
    let places = text.match_indices(MACRO);
    places.filter_map(|(place, _)| of(&text[place..])).collect()
}

/// The length in bytes of the leading `[...]`.
fn list_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (place, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(place + 1),
            ']' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_what_is_written() {
        let cell = "let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; f(&array![x, 2.0] + &b)";
        assert_eq!(all(cell), [vec![2, 3], vec![2]]);
        assert_eq!(of_variable(cell, "a"), Some(vec![2, 3]));
        assert_eq!(of_variable(cell, "b"), None);
        assert_eq!(of("array![1.0"), None);
    }

    #[test]
    fn arrays_that_the_cell_writes_out_are_known() {
        let shapes = |cell: &str| {
            about(
                "ShapeError/IncompatibleShape: incompatible shapes",
                cell,
                None,
            )
            .expect("a sentence")
        };
        let both = "the shapes of two arrays do not fit together: [2] and [3]";
        assert_eq!(shapes("array![1.0, 2.0] + array![1.0, 2.0, 3.0]"), both);
        let lets = "let a = array![1.0, 2.0];\nlet b = array![1.0, 2.0, 3.0];\n&a + &b";
        assert_eq!(shapes(lets), both);
        assert_eq!(
            about("assertion failed: self.len() == rhs.len()", lets, Some(3)).as_deref(),
            Some(both)
        );
        assert_eq!(shapes("f(&a + &b)"), NO_FIT);
        let index =
            |cell: &str| about("ndarray: index out of bounds", cell, None).expect("a sentence");
        let told = "index 9 is out of bounds of `a`, whose shape is [2]: its indices are 0 to 1";
        assert_eq!(index("let a = array![1.0, 2.0]; a[9]"), told);
        assert_eq!(index("f()[9]"), "an index is out of bounds of its array");
        assert_eq!(about("other", lets, None), None);
    }
}
