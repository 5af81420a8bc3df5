//! Compares outcomes, allowing for rounding.

use crate::judge::outcome::Outcome;
use crate::output::{Output, Part};

/// How far apart two numbers may be: an absolute term and a share of the expected number. Adding
/// the same f32 numbers in another order stays far below this; known mistakes are far above.
const ABSOLUTE: f64 = 1e-5;
const RELATIVE: f64 = 1e-4;

/// Whether two numbers are equal up to rounding. NaN equals NaN.
pub(crate) fn close(expected: f64, yours: f64) -> bool {
    expected == yours
        || (expected.is_nan() && yours.is_nan())
        || (expected - yours).abs() <= ABSOLUTE + RELATIVE * expected.abs()
            && expected.is_finite()
            && yours.is_finite()
}

/// Whether two arrays have the same shape and close numbers.
pub(crate) fn same_part(expected: &Part, yours: &Part) -> bool {
    expected.shape == yours.shape && same_values(&expected.values, &yours.values)
}

/// Whether two lists have the same length and close numbers.
pub(crate) fn same_values(expected: &[f64], yours: &[f64]) -> bool {
    let mut pairs = expected.iter().zip(yours);
    expected.len() == yours.len() && pairs.all(|(expected, yours)| close(*expected, *yours))
}

/// Whether two results have the same number of arrays, which are the same pair by pair.
pub(crate) fn same_output(expected: &Output, yours: &Output) -> bool {
    let mut pairs = expected.0.iter().zip(&yours.0);
    expected.0.len() == yours.0.len() && pairs.all(|(expected, yours)| same_part(expected, yours))
}

/// Whether two calls ended in the same way, with close results if they returned.
pub(crate) fn same_outcome(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Returned(one), Outcome::Returned(other)) => same_output(one, other),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ReturnValue;

    #[test]
    fn numbers_may_differ_by_their_rounding() {
        let (infinite, none) = (f64::INFINITY, f64::NAN);
        // An absolute part, and a share of the expected number.
        for (expected, yours) in [
            (0.0, 1e-5),
            (2.0, 2.0002),
            (2.0, 1.9998),
            (-2.0, -2.0002),
            (1e6, 1e6 + 99.0),
            (infinite, infinite),
            (none, none),
        ] {
            assert!(close(expected, yours), "{expected} and {yours}");
        }
        for (expected, yours) in [
            (0.0, 1.1e-5),
            (1e-3, 1.02e-3),
            (2.0, 2.00022),
            (2.0, -2.0),
            (1e6, 1e6 + 101.0),
            (1.0, 1.5),
            (infinite, -infinite),
            (infinite, 1.0),
            (1.0, infinite),
            (none, 1.0),
            (1.0, none),
        ] {
            assert!(!close(expected, yours), "{expected} and {yours}");
        }
    }

    #[test]
    fn what_has_another_shape_or_another_end_differs() {
        let output = |values: &[f64]| values.to_vec().output();
        assert!(same_values(&[1.0, 2.0], &[1.0, 2.0]));
        assert!(!same_values(&[1.0, 2.0], &[1.0, 3.0]));
        assert!(!same_values(&[1.0], &[1.0, 2.0]));
        let (row, mut column) = (output(&[1.0, 2.0]), output(&[1.0, 2.0]));
        column.0[0].shape = vec![2, 1];
        assert!(same_output(&row, &output(&[1.0, 2.0])));
        assert!(!same_output(&row, &column));
        assert!(!same_output(&row, &(1.0, 2.0).output()));
        assert!(!same_output(&Output(Vec::new()), &row));
        let panicked = |message: &str| Outcome::Panicked(message.to_owned());
        let returned = |value: f64| Outcome::Returned(value.output());
        assert!(same_outcome(&returned(1.0), &returned(1.000_001)));
        assert!(!same_outcome(&returned(1.0), &returned(2.0)));
        assert!(same_outcome(&panicked("a"), &panicked("a")));
        assert!(!same_outcome(&panicked("a"), &panicked("b")));
    }
}
