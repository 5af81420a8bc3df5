//! From queries, keys and values to scores, weights and context vectors.

use crate::dot_product::context::context_of;
use crate::dot_product::mask::mask_scores;
use crate::dot_product::softmax::{softmax_backward, softmax_or_zero};
use crate::measure::step::Step;
use crate::numerics::attend_shapes::check_attend;
use crate::numerics::real::Real;
use crate::numerics::shape::same_shape;
use free_memory::assert_fits;
use ndarray::{Array2, ArrayRef2};

/// All results of one attention call, for a lesson to print or draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention<A> {
    /// (T, S): the score of each query for each key, before scaling and masking.
    pub scores: Array2<A>,
    /// (T, S): 0 where the mask hides a key. Each row sums to 1, or to 0 if there is nothing to
    /// attend to.
    pub weights: Array2<A>,
    /// (T, D'): weighted sums of the values.
    pub context: Array2<A>,
}

/// Scaled dot-product attention: scores, weights and context vectors.
///
/// `q` is (T, D), `k` is (S, D), `v` is (S, D'); the context is (T, D'). `mask`
/// is (T, S), `true` where a query may look at a key; `None` hides nothing. A
/// query with no visible key, or whose scores are all -inf, gets weights and a
/// context of 0, as in PyTorch.
///
/// If keys and values come from a different sequence than the queries, this is
/// cross-attention; T and S may differ.
///
/// A hidden key or value never influences a query, not even if it is NaN or infinite. (In
/// PyTorch a hidden NaN still has an effect, because NaN - inf and 0 · NaN are NaN.) A NaN in a
/// query makes its row NaN; a NaN in a key, every row that may look at it; a NaN in a value, its
/// column in every row that may look at it. An infinity in a key gives a score of +inf or NaN,
/// which makes the row NaN, or of -inf, which gives a weight of 0.
///
/// `context = softmax(mask(q kᵀ / sqrt(D))) v`
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask)`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
///
/// # Panics
///
/// If the widths of `q` and `k`, the lengths of `k` and `v`, or the shape of the
/// mask do not match; if there is no key or no channel; or if the scores do not fit into
/// memory.
///
/// ```
/// use attention::dot_product::{attend, causal_mask};
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 0.0], [0.0, 1.0]];
/// let first_sees_itself_only = attend(&x, &x, &x, Some(&causal_mask(2)));
/// assert_eq!(first_sees_itself_only.weights.row(0), array![1.0, 0.0]);
/// assert_eq!(first_sees_itself_only.context.row(0), array![1.0, 0.0]);
/// ```
#[track_caller]
#[inline(never)]
pub fn attend<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
) -> Attention<A> {
    let function = "attend";
    let mask_shape = mask.map(|mask| ("mask", mask.shape()));
    check_attend(function, q.shape(), k.shape(), v.shape(), mask_shape);
    check_memory(function, q.nrows(), k.nrows(), size_of::<A>());
    attention_of(q, k, v, mask, A::one_over_sqrt(q.ncols()))
}

/// [`attend`] with the given factor for the scores instead of `1 / sqrt(D)`;
/// a scale of 1 leaves them unchanged.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)`
///
/// # Panics
///
/// Same as [`attend`].
///
/// ```
/// use attention::dot_product::{attend_with_scale, context, scores, softmax};
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 0.0], [0.0, 1.0]];
/// let unscaled = attend_with_scale(&x, &x, &x, None, 1.0);
/// assert_eq!(unscaled.context, context(&softmax(&scores(&x, &x)), &x));
/// ```
#[track_caller]
#[inline(never)]
pub fn attend_with_scale<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
    scale: A,
) -> Attention<A> {
    let function = "attend_with_scale";
    let mask_shape = mask.map(|mask| ("mask", mask.shape()));
    check_attend(function, q.shape(), k.shape(), v.shape(), mask_shape);
    check_memory(function, q.nrows(), k.nrows(), size_of::<A>());
    attention_of(q, k, v, mask, scale)
}

/// [`attend_with_scale`] for shapes that the caller has already checked.
pub(crate) fn attention_of<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
    scale: A,
) -> Attention<A> {
    Step::Attend.called();
    let scores = q.dot(&k.t());
    let scaled = scores.mapv(|score| score * scale);
    let weights = match mask {
        Some(mask) => softmax_or_zero(&mask_scores(&scaled, mask)),
        None => softmax_or_zero(&scaled),
    };
    let context = context_of(&weights, v, mask);
    Attention {
        scores,
        weights,
        context,
    }
}

/// The gradients of the loss with respect to the arguments and intermediate results of
/// [`attend`], each with the shape of its value.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionGradients<A> {
    /// (T, S): with respect to the weights.
    pub d_weights: Array2<A>,
    /// (T, S): with respect to the scores after scaling; 0 where a key is masked.
    pub d_scaled_scores: Array2<A>,
    /// (T, D): with respect to the queries.
    pub d_q: Array2<A>,
    /// (S, D): with respect to the keys.
    pub d_k: Array2<A>,
    /// (S, D'): with respect to the values.
    pub d_v: Array2<A>,
}

/// Gradients through [`attend`], from `d_context`, the gradient of the loss with
/// respect to the context.
///
/// `d_context` is (T, D'), `q` (T, D), `k` (S, D), `v` (S, D'), and `weights`
/// (T, S) are those that [`attend`] returned. The mask is not needed: hidden keys
/// have a weight of 0, and so get no gradient. A query without a visible key
/// gets a gradient of 0, and contributes nothing to the gradients of the keys and values.
///
/// Without the mask there is no telling which keys were hidden, so NaN or an infinity in a value
/// makes `d_q` NaN in every row, as in PyTorch.
///
/// PyTorch: `context.backward(d_context)`, then `q.grad`, `k.grad`, `v.grad`
///
/// # Panics
///
/// If the shapes do not match those of a call to [`attend`].
///
/// ```
/// use attention::dot_product::{attend, attend_backward};
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 0.0], [0.0, 1.0]];
/// let attention = attend(&x, &x, &x, None);
/// let d = attend_backward(&array![[1.0, 1.0], [1.0, 1.0]], &x, &x, &x, &attention.weights);
/// // Each value sums to 1, so it makes no difference which of them a query looks at.
/// assert!(d.d_q.iter().all(|gradient| gradient.abs() < 1e-6));
/// ```
#[track_caller]
#[inline(never)]
pub fn attend_backward<A: Real>(
    d_context: &ArrayRef2<A>,
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    weights: &ArrayRef2<A>,
) -> AttentionGradients<A> {
    let function = "attend_backward";
    check_attend(
        function,
        q.shape(),
        k.shape(),
        v.shape(),
        Some(("weights", weights.shape())),
    );
    same_shape(
        function,
        ("d_context", d_context.shape()),
        ("the context", &[q.nrows(), v.ncols()]),
    );
    let scale = A::one_over_sqrt(q.ncols());
    gradients_of(d_context, q, k, v, weights, scale)
}

/// [`attend_backward`] with any scale, for shapes that the caller has already checked.
pub(crate) fn gradients_of<A: Real>(
    d_context: &ArrayRef2<A>,
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    weights: &ArrayRef2<A>,
    scale: A,
) -> AttentionGradients<A> {
    // forward: context = weights v
    // so:      d_weights = d_context vᵀ, d_v = weightsᵀ d_context
    let d_weights = d_context.dot(&v.t());
    let d_v = weights.t().dot(d_context);
    // forward: weights = softmax(scale · q kᵀ)
    // so:      d_q = scale · d_scaled k, d_k = scale · d_scaledᵀ q
    let d_scaled_scores = softmax_backward(&d_weights, weights);
    let d_q = d_scaled_scores.dot(k) * scale;
    let d_k = d_scaled_scores.t().dot(q) * scale;
    AttentionGradients {
        d_weights,
        d_scaled_scores,
        d_q,
        d_k,
        d_v,
    }
}

/// Panics unless scores, scaled scores, masked scores and weights fit into memory.
#[track_caller]
pub(crate) fn check_memory(function: &str, queries: usize, keys: usize, bytes: usize) {
    assert_fits(function, &[queries, keys], 4 * bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "of memory, but")]
    fn four_matrices_must_fit_into_memory() {
        // One of them takes 40 % of the free memory, so two would fit.
        let free = free_memory::free().unwrap_or(1 << 34);
        check_memory("attend", 1, (free / 10) as usize, size_of::<f32>());
    }
}
