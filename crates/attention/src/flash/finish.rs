//! The end of the running softmax of a query.

use std::f32::consts::LN_2;

/// Turns `context`, the sum of the values, each times the exponential of its score, into the mean,
/// and returns the log-sum-exp. `max` is the largest score times log2(e), `sum` that of the
/// exponentials.
#[inline(always)]
pub(super) fn finish(context: &mut [f32], max: f32, sum: f32) -> f32 {
    // All scores were -inf: there was nothing to attend to, and the context is 0.
    let one_over_sum = if sum == 0.0 { 0.0 } else { 1.0 / sum };
    context
        .iter_mut()
        .for_each(|context| *context *= one_over_sum);
    max.mul_add(LN_2, sum.ln())
}
