//! The last step of a query's running softmax.

/// The logarithm of the sum of the exponentials of a query's scores. It takes two numbers, because
/// if the largest score is large, f32 has no digits left for what the other scores add to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogSumExp {
    pub rounded: f32,
    /// The rounding error: add it to `rounded` for the exact value.
    pub rest: f32,
}

/// Divides `context`, the sum of the values weighted by the exponentials of their scores, by `sum`,
/// the sum of those exponentials, and returns the log-sum-exp. `max` is the largest score.
#[inline(always)]
pub(super) fn finish(context: &mut [f32], max: f32, sum: f32) -> LogSumExp {
    // The sum is 0 if all scores were -inf: there was nothing to attend to, so the context is 0.
    let one_over_sum = if sum == 0.0 { 0.0 } else { 1.0 / sum };
    context
        .iter_mut()
        .for_each(|context| *context *= one_over_sum);
    if sum == 0.0 {
        let (rounded, rest) = (f32::NEG_INFINITY, 0.0);
        return LogSumExp { rounded, rest };
    }
    let log_sum = f64::from(sum).ln();
    let rounded = (f64::from(max) + log_sum) as f32;
    let rest = (log_sum - (f64::from(rounded) - f64::from(max))) as f32;
    LogSumExp { rounded, rest }
}
