//! An index that the compiler knows to be out of bounds.

use super::{Hint, Known};
use crate::diagnostic::Diagnostic;

/// Parts of rustc's message: "index out of bounds: the length is 2 but the index is 9".
const LENGTH: &str = "the length is ";
const INDEX: &str = " but the index is ";

pub fn hint(diagnostic: &Diagnostic, _: &Known<'_>) -> Option<Hint> {
    let (_, numbers) = diagnostic.all.split_once(LENGTH)?;
    let (length, index) = numbers.lines().next()?.split_once(INDEX)?;
    let length: usize = length.parse().ok()?;
    Some(Hint::new(match length.checked_sub(1) {
        None => format!("index {index} is out of bounds: the list is empty"),
        Some(last) => format!(
            "index {index} is out of bounds: the length is {length}, and the indices are 0 to {last}"
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    #[test]
    fn the_indices_that_there_are_are_told() {
        let mut error = diagnostic(
            "",
            "this operation will panic at runtime",
            "words[9]",
            "words",
        );
        error.all += "\nindex out of bounds: the length is 2 but the index is 9";
        let told = "index 9 is out of bounds: the length is 2, and the indices are 0 to 1|";
        assert_eq!(said(&error, "words[9]"), told);
    }
}
