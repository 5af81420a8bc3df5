//! Explains panic messages in the words of the lessons.

/// The subject of a panic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Index,
    Other,
}

/// Beginnings or parts of messages, and what they mean in the words of the lessons.
const MEANINGS: &[(&str, About, &str)] = &[
    (
        "not compatible for matrix multiplication",
        About::Other,
        "A product does not fit: the left side must have as many columns as the right side has \
         rows. Which of the two should be transposed, or stand on the other side?",
    ),
    (
        "IncompatibleShape",
        About::Other,
        "Two arrays of different shapes meet in one line. Which shape should each of them have? A \
         number for each row must become a column, by `insert_axis(Axis(1))`.",
    ),
    (
        "IncompatibleLayout",
        About::Other,
        "The axes were exchanged, but the numbers still lie in memory as before, and another shape \
         cannot be laid over them. What makes a copy in the new order?",
    ),
    (
        "index out of bounds",
        About::Index,
        "An index is too large: it was taken from another axis, or the loop goes one too far.",
    ),
    (
        "could not broadcast",
        About::Other,
        "An array was put into one of another shape. Which shape should both have?",
    ),
    (
        "index < dim",
        About::Index,
        "An index is too large: there is no such row or column. Which axis does the loop run over?",
    ),
    (
        "out of bounds",
        About::Index,
        "An index is too large: it was taken from another axis, or the loop goes one too far.",
    ),
    (
        "out of range for slice",
        About::Other,
        "A range goes past the last element. Which is the last one that it may name?",
    ),
    (
        "subtract with overflow",
        About::Other,
        "A `usize` would become negative. What should be checked before the subtraction?",
    ),
    (
        "divide by zero",
        About::Other,
        "Something was divided by a length of 0.",
    ),
];

fn known(message: &str) -> Option<(About, &'static str)> {
    let found = MEANINGS.iter().find(|(part, ..)| message.contains(part));
    found.map(|(_, about, meaning)| (*about, *meaning))
}

/// The common meaning of these messages, if there is one.
pub(super) fn meaning(messages: &[&str]) -> Option<&'static str> {
    let of = |message: &str| known(message).map(|(_, meaning)| meaning);
    let first = of(messages.first()?)?;
    messages
        .iter()
        .all(|message| of(message) == Some(first))
        .then_some(first)
}

/// Whether all messages are about an index.
pub(super) fn is_index(messages: &[&str]) -> bool {
    let mut known = messages.iter().map(|message| known(message));
    known.all(|known| known.is_some_and(|(about, _)| about == About::Index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention::ndarray::Array2;
    use std::panic;

    #[test]
    fn the_messages_of_ndarray_are_known() {
        let matrix = Array2::<f32>::zeros((2, 3));
        let product = panic::catch_unwind(|| matrix.dot(&Array2::<f32>::zeros((2, 3))));
        let sum = panic::catch_unwind(|| &matrix + &Array2::<f32>::zeros((2, 2)));
        let row = panic::catch_unwind(|| matrix.row(2).sum());
        let panics = [product.map(drop), sum.map(drop), row.map(drop)];
        for panic in panics {
            let panic = panic.expect_err("it panics");
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            let message = message.expect("a text");
            assert!(meaning(&[message]).is_some(), "{message}");
        }
    }
}
