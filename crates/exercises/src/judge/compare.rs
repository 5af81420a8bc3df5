//! Whether two outcomes are the same, but for rounding.

use crate::judge::outcome::Outcome;
use crate::output::{Output, Part};

/// How far two numbers may be apart: a little, and a share of what is expected. Other orders of
/// the same additions in f32 stay far within it, known mistakes far outside.
const ABSOLUTE: f64 = 1e-5;
const RELATIVE: f64 = 1e-4;

/// Whether two numbers are the same. Not a number is the same as itself.
pub(crate) fn close(expected: f64, yours: f64) -> bool {
    expected == yours
        || (expected.is_nan() && yours.is_nan())
        || (expected - yours).abs() <= ABSOLUTE + RELATIVE * expected.abs()
            && expected.is_finite()
            && yours.is_finite()
}

/// Whether two arrays are the same.
pub(crate) fn same_part(expected: &Part, yours: &Part) -> bool {
    expected.shape == yours.shape && same_values(&expected.values, &yours.values)
}

/// Whether two rows of numbers are the same.
pub(crate) fn same_values(expected: &[f64], yours: &[f64]) -> bool {
    let mut pairs = expected.iter().zip(yours);
    expected.len() == yours.len() && pairs.all(|(expected, yours)| close(*expected, *yours))
}

/// Whether two results are the same.
pub(crate) fn same_output(expected: &Output, yours: &Output) -> bool {
    let mut pairs = expected.0.iter().zip(&yours.0);
    expected.0.len() == yours.0.len() && pairs.all(|(expected, yours)| same_part(expected, yours))
}

/// Whether two calls ended in the same way.
pub(crate) fn same_outcome(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Returned(one), Outcome::Returned(other)) => same_output(one, other),
        _ => one == other,
    }
}
