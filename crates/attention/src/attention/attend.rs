//! Queries, keys and values to scores, weights and context vectors.

use crate::attention::mask::mask_scores;
use crate::attention::softmax::{softmax_backward, softmax_or_zero};
use crate::numerics::real::{Real, Rows};
use crate::numerics::shape::{one_weight_per_value, same_shape, same_width, shape_text};
use free_memory::assert_fits;
use ndarray::{Array, Array2, ArrayRef, ArrayRef2};

/// Attention scores: the dot product of every query with every key.
///
/// `q` is (D,), one query, or (T, D), one query per row; `k` is (S, D). The
/// result is (S,) or (T, S): element `[t, s]` says how well query `t` matches
/// key `s`. Scores are neither scaled nor normalised.
///
/// PyTorch: `q @ k.T`
///
/// Source: the `QKᵀ` of Vaswani et al. 2017, "Attention Is All You Need",
/// equation 1.
///
/// # Panics
///
/// If the queries and the keys differ in width, or the scores do not fit into memory.
///
/// ```
/// use attention::scores;
/// use ndarray::array;
///
/// let k = array![[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]];
/// assert_eq!(scores(&array![[2.0, 3.0]], &k), array![[2.0, 3.0, 5.0]]);
/// assert_eq!(scores(&array![2.0, 3.0], &k), array![2.0, 3.0, 5.0]); // one query
/// ```
#[track_caller]
#[inline(never)]
pub fn scores<A: Real, D: Rows>(q: &ArrayRef<A, D>, k: &ArrayRef2<A>) -> Array<A, D> {
    check_scores(q.shape(), k.shape(), size_of::<A>());
    D::times(q, &k.t())
}

#[track_caller]
fn check_scores(q: &[usize], k: &[usize], bytes: usize) {
    same_width("scores", ("q", q), ("k", k));
    let queries = if q.len() == 2 { q[0] } else { 1 };
    assert_fits("scores", &[queries, k[0]], bytes);
}

/// Context vectors: for every query the sum of the values, each times its
/// weight.
///
/// `weights` is (S,), the weights of one query, or (T, S); `v` is (S, D). The
/// result is (D,) or (T, D).
///
/// PyTorch: `weights @ v`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
///
/// # Panics
///
/// If there is not one weight for each value.
///
/// ```
/// use attention::context;
/// use ndarray::array;
///
/// let v = array![[2.0_f32, 0.0], [4.0, 8.0]];
/// assert_eq!(context(&array![[0.5, 0.5]], &v), array![[3.0, 4.0]]);
/// assert_eq!(context(&array![1.0, 0.0], &v), array![2.0, 0.0]); // one query
/// ```
#[track_caller]
#[inline(never)]
pub fn context<A: Real, D: Rows>(weights: &ArrayRef<A, D>, v: &ArrayRef2<A>) -> Array<A, D> {
    one_weight_per_value("context", weights.shape(), v.shape());
    D::times(weights, v)
}

/// What one attention computed: everything that a lesson prints or draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention<A> {
    /// (T, S): query times key, before scaling and masking.
    pub scores: Array2<A>,
    /// (T, S): every row sums to 1, and is 0 where the mask hides a key.
    pub weights: Array2<A>,
    /// (T, D): the values, mixed by the weights.
    pub context: Array2<A>,
}

/// Scaled dot-product attention: scores, weights and context vectors.
///
/// `q` is (T, D), `k` is (S, D), `v` is (S, D'); the context is (T, D'). `mask`
/// is (T, S), `true` where a query may look at a key; `None` hides nothing. A
/// query that may look at nothing, or whose scores are all -inf, gets weights and a
/// context of 0, as in PyTorch.
///
/// With keys and values of another sequence than the queries this is
/// cross-attention; T and S may differ.
///
/// What a query may not look at has no influence on it, whatever it is. (In PyTorch a
/// hidden NaN spoils the row, too, as 0 · NaN is NaN.) NaN in a query makes its row NaN;
/// NaN in a key, every row that may look at it; NaN in a value, its column of every row
/// that may look at it. An infinity in a key gives a score of inf, which makes the row NaN,
/// or of -inf, which is a weight of 0.
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
/// mask do not fit; if there is no key or no channel; or if the scores do not fit into
/// memory.
///
/// ```
/// use attention::{attend, causal_mask};
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
    let mask_shape = mask.map(|mask| mask.shape());
    check_attend(function, q.shape(), k.shape(), v.shape(), mask_shape);
    check_memory(function, q.nrows(), k.nrows(), size_of::<A>());
    attention_of(q, k, v, mask, A::one_over_sqrt(q.ncols()))
}

/// [`attend`] with a factor of the caller's for the scores, in place of
/// `1 / sqrt(D)`; a scale of 1 leaves them as they are.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)`
///
/// # Panics
///
/// As [`attend`].
///
/// ```
/// use attention::{attend_with_scale, context, scores, softmax};
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
    let mask_shape = mask.map(|mask| mask.shape());
    check_attend(function, q.shape(), k.shape(), v.shape(), mask_shape);
    check_memory(function, q.nrows(), k.nrows(), size_of::<A>());
    attention_of(q, k, v, mask, scale)
}

/// The formula, on shapes that were checked.
pub(crate) fn attention_of<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
    scale: A,
) -> Attention<A> {
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

/// The values, mixed by the weights. What the mask hides is left out, and not just
/// multiplied by 0: 0 · NaN would be NaN.
pub(crate) fn context_of<A: Real>(
    weights: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
) -> Array2<A> {
    let Some(mask) = mask.filter(|_| v.iter().any(|value| !value.is_finite())) else {
        return weights.dot(v);
    };
    let mut context = Array2::zeros((weights.nrows(), v.ncols()));
    for ((query, key), &visible) in mask.indexed_iter() {
        if visible {
            let weight = weights[[query, key]];
            context.row_mut(query).scaled_add(weight, &v.row(key));
        }
    }
    context
}

/// The gradients of the loss with respect to everything on the way of
/// [`attend`], each of the shape of what it belongs to.
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
/// (T, S) are those that [`attend`] returned. The mask is not needed again: what
/// it hid has a weight of 0, and so no gradient. A query that could look at nothing
/// changes no gradient but its own, which is 0.
///
/// Without the mask nobody knows here what was hidden: NaN or an infinity in a value makes
/// `d_q` NaN in every row, as in PyTorch.
///
/// PyTorch: `context.backward(d_context)`, then `q.grad`, `k.grad`, `v.grad`
///
/// # Panics
///
/// If the shapes do not fit those of a call of [`attend`].
///
/// ```
/// use attention::{attend, attend_backward};
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 0.0], [0.0, 1.0]];
/// let attention = attend(&x, &x, &x, None);
/// let d = attend_backward(&array![[1.0, 1.0], [1.0, 1.0]], &x, &x, &x, &attention.weights);
/// // Every row of weights sums to 1, so nothing is gained by looking elsewhere.
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
        Some(weights.shape()),
    );
    same_shape(
        function,
        ("d_context", d_context.shape()),
        ("the context", &[q.nrows(), v.ncols()]),
    );
    let scale = A::one_over_sqrt(q.ncols());
    gradients_of(d_context, q, k, v, weights, scale)
}

/// The gradients of [`attention_of`].
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

/// Panics unless the shapes of one call fit: (.., T, D), (.., S, D), (.., S, D') and,
/// if there is a mask or weights, (T, S).
#[track_caller]
pub(crate) fn check_attend(
    function: &str,
    q: &[usize],
    k: &[usize],
    v: &[usize],
    mask: Option<&[usize]>,
) {
    let all = || {
        let [q, k, v] = [q, k, v].map(shape_text);
        format!("{function}: q is {q}, k is {k} and v is {v}")
    };
    let axes = q.len();
    assert!(
        axes >= 2 && k.len() == axes && v.len() == axes,
        "{}: each must be (T, D), or all (.., T, D) with the same axes before",
        all(),
    );
    assert!(
        q[..axes - 2] == k[..axes - 2] && q[..axes - 2] == v[..axes - 2],
        "{}: the dimensions before the last two must agree",
        all(),
    );
    same_width(function, ("q", q), ("k", k));
    let (queries, keys) = (q[axes - 2], k[axes - 2]);
    assert!(
        keys == v[axes - 2],
        "{function}: k is {} but v is {}: each key needs one value",
        shape_text(k),
        shape_text(v),
    );
    assert!(
        keys > 0,
        "{function}: k is {}: the sequence is empty, there is nothing to attend to",
        shape_text(k),
    );
    assert!(
        q[axes - 1] > 0,
        "{function}: q is {} and k is {}: without a channel there is nothing to compare",
        shape_text(q),
        shape_text(k),
    );
    if let Some(mask) = mask {
        assert!(
            mask == [queries, keys],
            "{function}: {} is {} but there are {queries} queries and {keys} keys: it must be {}",
            if function == "attend_backward" {
                "weights"
            } else {
                "mask"
            },
            shape_text(mask),
            shape_text(&[queries, keys]),
        );
    }
}

/// Panics unless scores, scaled scores, masked scores and weights fit into memory.
#[track_caller]
pub(crate) fn check_memory(function: &str, queries: usize, keys: usize, bytes: usize) {
    assert_fits(function, &[queries, keys], 4 * bytes);
}
