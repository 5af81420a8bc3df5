//! Arithmetic whose result does not fit its type: mostly a `usize` that would become negative.

use super::{Hint, Known};
use crate::diagnostic::Diagnostic;

pub fn hint(diagnostic: &Diagnostic, _: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("arithmetic_overflow") {
        return None;
    }
    let (_, computed) = diagnostic.all.split_once("attempt to compute `")?;
    let (computed, _) = computed.split_once('`')?;
    let (_, type_name) = computed.rsplit_once('_')?;
    let type_name = type_name.trim_end_matches(')');
    let computed = computed.replace(&format!("_{type_name}"), "");
    Some(Hint::new(
        match type_name.starts_with('u') && computed.contains(" - ") {
            true => format!(
                "`{computed}` is negative, and a `{type_name}` cannot be: subtract the smaller number \
                 from the larger, or make both `i64`"
            ),
            false => format!(
                "the result of `{computed}` does not fit into `{type_name}`: make the numbers a type \
                 that holds it, such as `i64` or `f64`"
            ),
        },
    ))
}

/// Explains the message of a panic about an overflow.
pub fn of_panic(message: &str) -> Option<&'static str> {
    match message {
        "attempt to subtract with overflow" => Some(
            "attempt to subtract with overflow: a `usize` would become negative, which is impossible; \
             compare the two numbers first, or write `a.saturating_sub(b)`, which stops at 0",
        ),
        "attempt to add with overflow" | "attempt to multiply with overflow" => Some(
            "the result overflows: it is too large for the type of its numbers; make them a larger \
             type, such as `u64` or `f64`",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;

    #[test]
    fn what_does_not_fit_is_computed() {
        for (computed, told) in [
            (
                "3_usize - 5_usize",
                "`3 - 5` is negative, and a `usize` cannot be: ",
            ),
            (
                "200_u8 + 100_u8",
                "the result of `200 + 100` does not fit into `u8`: ",
            ),
        ] {
            let message = "this arithmetic operation will overflow";
            let mut error = diagnostic("arithmetic_overflow", message, "a - b", "a - b");
            error.all += &format!("\nattempt to compute `{computed}`, which would overflow");
            let said = said(&error, "a - b");
            assert!(said.starts_with(told), "{said}");
        }
    }

    #[test]
    fn a_panic_says_that_a_length_cannot_be_negative() {
        let told = of_panic("attempt to subtract with overflow").expect("a sentence");
        assert!(told.contains("a `usize` would become negative"), "{told}");
        assert_eq!(of_panic("other"), None);
    }
}
