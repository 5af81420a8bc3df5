//! Compares outcomes, allowing for rounding.

use crate::judge::outcome::Outcome;
use crate::output::{Output, Part};

/// How far apart two numbers may be: an absolute term and a share of the expected number. Adding
/// the same f32 numbers in another order stays far below this; known mistakes are far above.
const ABSOLUTE: f64 = 1e-5;
const RELATIVE: f64 = 1e-4;

/// Whether two numbers are the same. NaN equals NaN.
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

/// Whether two lists of numbers are the same.
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
