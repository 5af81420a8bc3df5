//! NumPy's random numbers: the legacy generator, and the one recommended today.

mod bounded;
mod choice;
mod distributions;
mod generator;
mod order;
mod random_state;

pub use distributions::{Normal, Uniform};
pub use generator::{Generator, default_rng};
pub use random_state::RandomState;

/// Panics unless `low`, `high` and their difference are finite.
#[track_caller]
fn check_range(function: &str, low: f64, high: f64) {
    assert!(
        low.is_finite() && high.is_finite(),
        "{function}: low is {low} and high is {high}: both must be finite"
    );
    assert!(
        (high - low).is_finite(),
        "{function}: high - low, {high:?} - {low:?}, is infinite: choose a narrower range"
    );
}

#[track_caller]
fn check_normal(function: &str, loc: f64, scale: f64) {
    assert!(
        loc.is_finite(),
        "{function}: loc is {loc}: it must be finite"
    );
    check_scale(function, scale);
}

#[track_caller]
fn check_scale(function: &str, scale: f64) {
    assert!(
        scale >= 0.0 && scale.is_sign_positive() && scale.is_finite(),
        "{function}: scale is {scale}: it must be 0 or more, and finite"
    );
}
