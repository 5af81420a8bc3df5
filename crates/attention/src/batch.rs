//! A batch is a loop over sequences.

use ndarray::{Array2, Array3, ArrayRef2, ArrayRef3, Axis};

/// Puts the results of `layer`, (T, width), for each sequence of `x` into a batch.
#[track_caller]
pub(crate) fn each_sequence(
    x: &ArrayRef3<f32>,
    width: usize,
    mut layer: impl FnMut(&ArrayRef2<f32>) -> Array2<f32>,
) -> Array3<f32> {
    let mut results = Array3::zeros((x.len_of(Axis(0)), x.len_of(Axis(1)), width));
    for (x, mut result) in x.outer_iter().zip(results.outer_iter_mut()) {
        result.assign(&layer(&x));
    }
    results
}
