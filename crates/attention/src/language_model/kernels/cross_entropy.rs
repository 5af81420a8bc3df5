//! The cross-entropy loss: how surprised a model is by the actual next tokens.

use crate::measure::step::Step;
use crate::numerics::shape::shape_text;
use crate::numerics::simd::{exp, simd, sum_pairs};
use ndarray::ArrayRef2;

/// The mean over all rows of `-log(softmax(logits)[target])`: how surprised a model
/// is by what actually follows. Measured in nats; pure guessing gives `log(V)`.
///
/// `logits` is (T, V), `targets` (T,).
///
/// PyTorch: `F.cross_entropy(logits, targets)`
///
/// # Panics
///
/// If there is not exactly one target per row, if there are no rows, or if a target is not
/// below V.
///
/// ```
/// use attention::language_model::cross_entropy;
/// use ndarray::array;
///
/// let undecided = cross_entropy(&array![[0.0, 0.0]], &[1]);
/// assert!((undecided - 2.0_f32.ln()).abs() < 1e-6);
/// ```
#[track_caller]
pub fn cross_entropy(logits: &ArrayRef2<f32>, targets: &[usize]) -> f32 {
    Step::CrossEntropy.called();
    let vocabulary = logits.ncols();
    assert!(
        logits.nrows() == targets.len() && !targets.is_empty(),
        "cross_entropy: logits is {} but there are {} targets: one for each row is needed",
        shape_text(logits.shape()),
        targets.len(),
    );
    for &target in targets {
        assert!(
            target < vocabulary,
            "cross_entropy: target {target} is not among the {vocabulary} of logits {}",
            shape_text(logits.shape()),
        );
    }
    let mut rows: Vec<f32> = logits.iter().copied().collect();
    log_softmax(&mut rows, vocabulary);
    let sum: f64 = losses(&rows, vocabulary, targets).map(f64::from).sum();
    (sum / targets.len() as f64) as f32
}

/// Turns logits into log probabilities, `logits - log(Σ exp(logits))`, row by row;
/// `logits` is (R, V).
pub(crate) fn log_softmax(logits: &mut [f32], vocabulary: usize) {
    simd(
        #[inline(always)]
        || {
            for row in logits.chunks_exact_mut(vocabulary) {
                let max = row
                    .iter()
                    .fold(f32::NEG_INFINITY, |max, &logit| max.max(logit));
                let sum = sum_pairs(row, row, |logit, _, sum| sum + exp(logit - max));
                let log_sum = sum.ln() + max;
                row.iter_mut().for_each(|logit| *logit -= log_sum);
            }
        },
    );
}

/// The loss of each target: minus its log probability, and 0 rather than -0 where it is certain.
pub(crate) fn losses(
    log_probabilities: &[f32],
    vocabulary: usize,
    targets: &[usize],
) -> impl Iterator<Item = f32> {
    let targets_per_row = targets.len() * vocabulary / log_probabilities.len();
    let rows = log_probabilities
        .chunks_exact(vocabulary)
        .zip(targets.chunks_exact(targets_per_row));
    rows.flat_map(|(row, targets)| targets.iter().map(|&target| 0.0 - row[target]))
}

/// The sum of the losses of all targets; overwrites the log probabilities with the
/// gradient of `factor` times that sum with respect to the logits.
///
/// `log_probabilities` is (R, V). Each row has the same number of `targets` to predict: one, or
/// T if all positions share a row.
pub(crate) fn cross_entropy_backward(
    log_probabilities: &mut [f32],
    vocabulary: usize,
    targets: &[usize],
    factor: f32,
) -> f64 {
    let targets_per_row = targets.len() * vocabulary / log_probabilities.len();
    let mut loss = 0.0;
    simd(
        #[inline(always)]
        || {
            let rows = log_probabilities.chunks_exact_mut(vocabulary);
            for (row, targets) in rows.zip(targets.chunks_exact(targets_per_row)) {
                loss -= targets
                    .iter()
                    .map(|&target| f64::from(row[target]))
                    .sum::<f64>();
                // forward: loss = Σ_targets -log p_target
                // so:      d_logits = (number of targets) p - (1 at each target)
                let total = factor * targets_per_row as f32;
                row.iter_mut()
                    .for_each(|logit| *logit = total * exp(*logit));
                targets.iter().for_each(|&target| row[target] -= factor);
            }
        },
    );
    loss
}
