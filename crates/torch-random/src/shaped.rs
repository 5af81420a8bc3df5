//! Arrays of random numbers, and the checks of shapes and arguments that all functions share.

use free_memory::assert_fits;
use ndarray::{Array, Dimension, IntoDimension};

/// An array of the numbers that `draw` returns when given their count.
#[track_caller]
pub(super) fn shaped<A, D: IntoDimension>(
    function: &str,
    shape: D,
    draw: impl FnOnce(usize) -> Vec<A>,
) -> Array<A, D::Dim> {
    let shape = shape.into_dimension();
    check_fits(function, shape.slice(), size_of::<A>());
    let numbers = draw(shape.size());
    Array::from_shape_vec(shape, numbers).expect("as many numbers as the shape has places")
}

/// The number of elements of an array with this shape, or `usize::MAX` if it overflows.
pub(super) fn size_of_shape<D: Dimension>(shape: &D) -> usize {
    let product = |size: usize, &length: &usize| size.saturating_mul(length);
    shape.slice().iter().fold(1, product)
}

/// Panics unless an array of these lengths fits into memory. Even if one length is 0, the
/// others must be possible lengths of an array.
#[track_caller]
pub(super) fn check_fits(function: &str, lengths: &[usize], bytes: usize) {
    if lengths.contains(&0) {
        let others: Vec<usize> = lengths.iter().copied().filter(|&n| n > 0).collect();
        assert_fits(function, &others, bytes);
    }
    assert_fits(function, lengths, bytes);
}

#[track_caller]
pub(super) fn check_probability(function: &str, p: f64) {
    assert!(
        (0.0..=1.0).contains(&p),
        "{function}: p is {p}, but a probability must be between 0 and 1"
    );
}

/// Panics unless there are integers from `low` (included) to `high` (excluded).
#[track_caller]
pub(super) fn check_integers(function: &str, low: i64, high: i64) {
    assert!(low < high, "{function}: low {low} is not below high {high}");
}
