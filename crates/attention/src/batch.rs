//! A batch is a loop over sequences, which share nothing.

use crate::shape::{one_weight_per_value, shape_text};
use crate::{attend_with_scale, context};
use ndarray::{Array2, Array3, ArrayRef2, ArrayRef3, Axis};

/// [`context`] of every sequence of a batch, all with the same weights.
///
/// `weights` is (T, S), `v` is (B, S, D); the result is (B, T, D).
///
/// PyTorch: `weights @ v`
///
/// # Panics
///
/// If there is not one weight for each value.
///
/// ```
/// use attention::context_batch;
/// use ndarray::array;
///
/// let v = array![[[2.0], [4.0]], [[10.0], [30.0]]];
/// assert_eq!(context_batch(&array![[0.5, 0.5]], &v), array![[[3.0]], [[20.0]]]);
/// ```
#[track_caller]
pub fn context_batch(weights: &ArrayRef2<f32>, v: &ArrayRef3<f32>) -> Array3<f32> {
    let one = &v.shape()[1..];
    one_weight_per_value("context_batch", weights.shape(), one);
    let shape = (v.len_of(Axis(0)), weights.nrows(), v.len_of(Axis(2)));
    fill_each(shape, |b| context(weights, &v.index_axis(Axis(0), b)))
}

/// The context vectors of [`attend_with_scale`] for every sequence of a batch.
///
/// `q` is (B, T, D), `k` is (B, S, D), `v` is (B, S, D'), `mask` is (T, S), the
/// same for all sequences; the result is (B, T, D').
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)`
///
/// # Panics
///
/// If `q`, `k` and `v` differ in the number of sequences, and as
/// [`attend_with_scale`].
///
/// ```
/// use attention::{attend_batch, attend_with_scale, rng::torch::Generator};
/// use ndarray::Axis;
///
/// let x = Generator::manual_seed(1).randn((2, 5, 3));
/// let second = x.index_axis(Axis(0), 1);
/// let alone = attend_with_scale(&second, &second, &second, None, 1.0);
/// let together = attend_batch(&x, &x, &x, None, 1.0);
/// assert_eq!(together.index_axis(Axis(0), 1), alone.context);
/// ```
#[track_caller]
pub fn attend_batch(
    q: &ArrayRef3<f32>,
    k: &ArrayRef3<f32>,
    v: &ArrayRef3<f32>,
    mask: Option<&Array2<bool>>,
    scale: f32,
) -> Array3<f32> {
    let sequences = q.len_of(Axis(0));
    assert!(
        sequences == k.len_of(Axis(0)) && sequences == v.len_of(Axis(0)),
        "attend_batch: q is {}, k is {} and v is {}: the first dimensions must agree",
        shape_text(q.shape()),
        shape_text(k.shape()),
        shape_text(v.shape()),
    );
    let shape = (sequences, q.len_of(Axis(1)), v.len_of(Axis(2)));
    fill_each(shape, |b| {
        let of = |batch: &ArrayRef3<f32>| batch.index_axis(Axis(0), b).to_owned();
        attend_with_scale(&of(q), &of(k), &of(v), mask, scale).context
    })
}

/// Puts the results of `layer`, (T, width), for each sequence of `x` into a batch.
#[track_caller]
pub(crate) fn each_sequence(
    x: &ArrayRef3<f32>,
    width: usize,
    mut layer: impl FnMut(&ArrayRef2<f32>) -> Array2<f32>,
) -> Array3<f32> {
    let shape = (x.len_of(Axis(0)), x.len_of(Axis(1)), width);
    fill_each(shape, |b| layer(&x.index_axis(Axis(0), b)))
}

/// A batch whose sequence number `b` is `sequence(b)`.
#[track_caller]
fn fill_each(
    shape: (usize, usize, usize),
    mut sequence: impl FnMut(usize) -> Array2<f32>,
) -> Array3<f32> {
    let mut batch = Array3::zeros(shape);
    for (b, mut result) in batch.outer_iter_mut().enumerate() {
        result.assign(&sequence(b));
    }
    batch
}
