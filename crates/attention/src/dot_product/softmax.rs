//! From scores to weights: each row becomes a probability distribution.

use crate::measure::step::Step;
use crate::numerics::real::{Real, Rows};
use crate::numerics::shape::same_shape;
use ndarray::{Array, Array2, ArrayRef, ArrayRef2, Zip};

/// Attention weights by the textbook formula, `exp(s_i) / Σ_j exp(s_j)`, for
/// every row of `scores`.
///
/// `scores` is (S,), the scores of one query, or (T, S), one row per query. The
/// result has the same shape.
///
/// For learning only: in f32, a score above 88.7 overflows `exp` and gets a weight of
/// inf / inf = NaN, and a row of very negative scores becomes 0 / 0 = NaN. [`softmax`] has neither
/// problem.
///
/// PyTorch: `torch.exp(s) / torch.exp(s).sum(dim=-1, keepdim=True)`
///
/// ```
/// use attention::dot_product::softmax_naive;
/// use ndarray::array;
///
/// assert_eq!(softmax_naive(&array![0.0_f32, 0.0]), array![0.5, 0.5]);
/// assert!(softmax_naive(&array![100.0_f32, 100.0])[0].is_nan()); // exp(100) is infinite in f32
/// ```
#[inline(never)]
pub fn softmax_naive<A: Real, D: Rows>(scores: &ArrayRef<A, D>) -> Array<A, D> {
    let mut weights = scores.mapv(A::exp);
    for mut row in weights.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    weights
}

/// Attention weights: the softmax of every row of `scores`.
///
/// `scores` is (S,), the scores of one query, or (T, S), one row per query. The
/// result has the same shape, and each of its rows sums to 1.
///
/// The maximum of the row is subtracted first. That leaves the result unchanged, because the
/// factor `exp(-max)` cancels, but keeps `exp` from overflowing. A row of only `-inf`
/// (nothing left to attend to) becomes NaN, as it does in PyTorch, and so does a
/// row with `NaN` or `inf`; an empty row stays empty. (For a row of only `-inf`,
/// [`attend`](crate::dot_product::attend()) returns 0, as PyTorch's attention does.)
///
/// PyTorch: `torch.softmax(scores, dim=-1)`
///
/// ```
/// use attention::dot_product::softmax;
/// use ndarray::array;
///
/// let scores = array![[2.0, f32::NEG_INFINITY], [500.0, 500.0]]; // row 0: a mask hid the future
/// assert_eq!(softmax(&scores), array![[1.0, 0.0], [0.5, 0.5]]);
/// ```
#[inline(never)]
pub fn softmax<A: Real, D: Rows>(scores: &ArrayRef<A, D>) -> Array<A, D> {
    Step::Softmax.called();
    let mut weights = exponentials(scores);
    for mut row in weights.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    weights
}

/// [`softmax`], but with 0 instead of NaN in a row of only -inf: with nothing left to attend
/// to, all weights are 0.
///
/// PyTorch: `torch._safe_softmax(scores, dim=-1)`
pub(crate) fn softmax_or_zero<A: Real>(scores: &ArrayRef2<A>) -> Array2<A> {
    let mut weights = softmax(scores);
    for (mut weights, scores) in weights.rows_mut().into_iter().zip(scores.rows()) {
        if scores.iter().all(|&score| score == A::neg_infinity()) {
            weights.fill(A::zero());
        }
    }
    weights
}

/// The softmax before the division: `exp(s_i - max)` for every row.
pub(crate) fn exponentials<A: Real, D: Rows>(scores: &ArrayRef<A, D>) -> Array<A, D> {
    let mut exponentials = scores.to_owned();
    for mut row in exponentials.rows_mut() {
        let max = row.fold(A::neg_infinity(), |max, &score| max.max(score));
        row.mapv_inplace(|score| (score - max).exp());
    }
    exponentials
}

/// The gradient of the loss with respect to the scores, from `d_weights`, the
/// gradient with respect to the `weights` that [`softmax`] returned.
///
/// All are (S,) or (T, S). Where a weight is close to 0 or 1, the gradient is
/// close to 0: a softmax that is already certain learns slowly.
///
/// PyTorch: `weights.backward(d_weights)`, then `scores.grad`
///
/// # Panics
///
/// If the two differ in shape.
///
/// ```
/// use attention::dot_product::softmax_backward;
/// use ndarray::array;
///
/// let weights = array![0.5_f32, 0.5];
/// assert_eq!(softmax_backward(&array![1.0, 0.0], &weights), array![0.25, -0.25]);
/// assert_eq!(softmax_backward(&array![1.0, 1.0], &weights), array![0.0, 0.0]);
/// ```
#[track_caller]
#[inline(never)]
pub fn softmax_backward<A: Real, D: Rows>(
    d_weights: &ArrayRef<A, D>,
    weights: &ArrayRef<A, D>,
) -> Array<A, D> {
    Step::SoftmaxBackward.called();
    same_shape(
        "softmax_backward",
        ("d_weights", d_weights.shape()),
        ("weights", weights.shape()),
    );
    // forward:  w_i = exp(s_i) / Σ_j exp(s_j)
    // so:      ds_i = w_i (dw_i - Σ_j w_j dw_j)
    let mut d_scores = d_weights.to_owned();
    for (mut d_row, weights) in d_scores.rows_mut().into_iter().zip(weights.rows()) {
        let mean = d_row.dot(&weights);
        Zip::from(&mut d_row)
            .and(&weights)
            .for_each(|d, &w| *d = w * (*d - mean));
    }
    d_scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn a_row_and_a_matrix_of_that_row_give_the_same_weights() {
        let row = array![1.0_f64, 3.0, -2.0];
        let matrix = row.clone().insert_axis(ndarray::Axis(0));
        assert_eq!(softmax(&matrix).row(0), softmax(&row));
        assert_eq!(softmax_naive(&matrix).row(0), softmax_naive(&row));
    }

    #[test]
    fn large_scores_break_the_naive_form_only() {
        let scores = array![[88.8_f32, 88.8], [-200.0, -200.0]];
        assert!(softmax_naive(&scores).iter().all(|weight| weight.is_nan()));
        assert_eq!(softmax(&scores), array![[0.5, 0.5], [0.5, 0.5]]);
    }

    #[test]
    fn a_row_with_nothing_to_attend_to_is_nan_as_in_pytorch() {
        let scores = array![[f32::NEG_INFINITY, f32::NEG_INFINITY], [0.0, 0.0]];
        let weights = softmax(&scores);
        assert!(weights.row(0).iter().all(|weight| weight.is_nan()));
        assert_eq!(weights.row(1), array![0.5, 0.5]);
    }

    #[test]
    fn nan_spoils_its_own_row_only() {
        let weights = softmax(&array![[f64::NAN, 1.0], [1.0, 1.0]]);
        assert!(weights.row(0).iter().all(|weight| weight.is_nan()));
        assert_eq!(weights.row(1), array![0.5, 0.5]);
    }

    #[test]
    fn empty_scores_give_empty_weights() {
        assert_eq!(softmax(&Array1::<f32>::zeros(0)).len(), 0);
        assert_eq!(softmax(&Array2::<f32>::zeros((0, 3))).dim(), (0, 3));
    }

    #[test]
    fn views_and_transposed_arrays_are_accepted() {
        let scores = array![[1.0_f32, 2.0], [3.0, 4.0]];
        assert_eq!(softmax(&scores.row(1)), softmax(&array![3.0_f32, 4.0]));
        assert_eq!(
            softmax(&scores.t()),
            softmax(&array![[1.0_f32, 3.0], [2.0, 4.0]])
        );
    }
}
