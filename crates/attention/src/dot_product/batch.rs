//! Attention for batches of independent sequences.

use crate::dot_product::attend::{attention_of, check_memory};
use crate::flash::{Task, Tiles, forward};
use crate::numerics::attend_shapes::check_attend;
use crate::numerics::fresh::Fresh;
use crate::numerics::matmul::{matmul, matmul_lower, rows_mut};
use crate::numerics::parallel::for_each_with;
use crate::numerics::product::Store;
use crate::numerics::real::Real;
use crate::numerics::shape::{one_weight_per_value, same_shape};
use crate::numerics::simd::all_finite;
use free_memory::assert_fits;
use ndarray::{Array2, Array3, ArrayRef2, ArrayRef3, ArrayViewMut2, Axis};

/// [`context`](crate::dot_product::context()) for every sequence of a batch, with the same weights for all.
///
/// `weights` is (T, S), `v` is (B, S, D); the result is (B, T, D).
///
/// PyTorch: `weights @ v`
///
/// # Panics
///
/// If there is not exactly one weight per value, or the result does not fit into memory.
///
/// ```
/// use attention::dot_product::context_batch;
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
    assert_fits(
        "context_batch",
        &[shape.0, shape.1, shape.2],
        size_of::<f32>(),
    );
    fill_in_parallel(shape, |b, context| {
        matmul(
            weights.view(),
            v.index_axis(Axis(0), b),
            context,
            Store::Overwrite,
        );
    })
}

/// [`context_batch`] with causal weights: entries above the diagonal are ignored,
/// as if they were 0, which saves about half of the work.
///
/// `weights` is (T, T), `v` is (B, T, D); the result is (B, T, D). NaN or an infinity in a
/// value affects only the tokens that may look at it.
///
/// PyTorch: `torch.tril(weights) @ v`
///
/// # Panics
///
/// If there is not exactly one weight per value, or the weights are not square.
///
/// ```
/// use attention::dot_product::causal_context_batch;
/// use ndarray::array;
///
/// let weights = array![[1.0, f32::NAN], [0.5, 0.5]]; // the NaN is ignored
/// assert_eq!(causal_context_batch(&weights, &array![[[2.0], [4.0]]]), array![[[2.0], [3.0]]]);
/// ```
#[track_caller]
pub fn causal_context_batch(weights: &ArrayRef2<f32>, v: &ArrayRef3<f32>) -> Array3<f32> {
    let function = "causal_context_batch";
    one_weight_per_value(function, weights.shape(), &v.shape()[1..]);
    let time = weights.ncols();
    let square = ("a causal mask", &[time, time][..]);
    same_shape(function, ("weights", weights.shape()), square);
    let lower = Array2::from_shape_fn((time, time), |(query, key)| {
        if key <= query {
            weights[[query, key]]
        } else {
            0.0
        }
    });
    let shape = (v.len_of(Axis(0)), time, v.len_of(Axis(2)));
    let (lower, width) = (lower.into_raw_vec_and_offset().0, shape.2);
    let v = v.as_standard_layout();
    fill_in_parallel(shape, |b, mut context| {
        let v = v
            .index_axis(Axis(0), b)
            .to_slice()
            .expect("standard layout");
        let context = context.as_slice_mut().expect("a new array");
        // Neighbouring rows of weights are multiplied together, as if all were as long as the last,
        // except when a value is NaN or infinite: multiplied by a weight of 0, it would give NaN.
        let rows = if all_finite(v) { ROWS } else { 1 };
        matmul_lower(&lower, v, context, width, rows);
    })
}

/// How many rows of the triangle are multiplied as one rectangle.
const ROWS: usize = 48;

/// The context vectors of [`attend`](crate::dot_product::attend()) for every sequence of a batch.
///
/// `q` is (B, T, D), `k` is (B, S, D), `v` is (B, S, D'), `mask` is (T, S), the
/// same for all sequences; the result is (B, T, D'). Scores are divided by `sqrt(D)`.
/// Without a mask, or with a causal one, the result is computed in tiles and may differ from
/// [`attend`](crate::dot_product::attend()) in the last digits.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask)`
///
/// # Panics
///
/// If `q`, `k` and `v` have different numbers of sequences, if the result does not fit into
/// memory, or for the same reasons as [`attend`](crate::dot_product::attend()), except that the
/// scores need not fit into memory if they are computed in tiles.
///
/// ```
/// use attention::dot_product::{attend, attend_batch};
/// use attention::rng::torch::Generator;
/// use ndarray::Axis;
///
/// let x = Generator::manual_seed(1).randn((2, 5, 3));
/// let second = x.index_axis(Axis(0), 1);
/// let alone = attend(&second, &second, &second, None);
/// let together = attend_batch(&x, &x, &x, None);
/// let difference = &together.index_axis(Axis(0), 1) - &alone.context;
/// assert!(difference.iter().all(|d| d.abs() < 1e-6));
/// ```
#[track_caller]
pub fn attend_batch(
    q: &ArrayRef3<f32>,
    k: &ArrayRef3<f32>,
    v: &ArrayRef3<f32>,
    mask: Option<&Array2<bool>>,
) -> Array3<f32> {
    let scale = f32::one_over_sqrt(q.len_of(Axis(2)));
    attend_batch_of("attend_batch", [q, k, v], mask, scale)
}

/// [`attend_batch`] with the given factor for the scores instead of `1 / sqrt(D)`;
/// a scale of 1 leaves them unchanged.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)`
///
/// # Panics
///
/// Same as [`attend_batch`].
///
/// ```
/// use attention::dot_product::{attend_batch, attend_batch_with_scale};
/// use attention::rng::torch::Generator;
///
/// let x = Generator::manual_seed(1).randn((2, 5, 4));
/// // With 4 channels, sqrt(D) is 2.
/// assert_eq!(attend_batch_with_scale(&x, &x, &x, None, 0.5), attend_batch(&x, &x, &x, None));
/// ```
#[track_caller]
pub fn attend_batch_with_scale(
    q: &ArrayRef3<f32>,
    k: &ArrayRef3<f32>,
    v: &ArrayRef3<f32>,
    mask: Option<&Array2<bool>>,
    scale: f32,
) -> Array3<f32> {
    attend_batch_of("attend_batch_with_scale", [q, k, v], mask, scale)
}

#[track_caller]
fn attend_batch_of(
    function: &str,
    [q, k, v]: [&ArrayRef3<f32>; 3],
    mask: Option<&Array2<bool>>,
    scale: f32,
) -> Array3<f32> {
    let mask_shape = mask.map(|mask| ("mask", mask.shape()));
    check_attend(function, q.shape(), k.shape(), v.shape(), mask_shape);
    let shape = (q.len_of(Axis(0)), q.len_of(Axis(1)), v.len_of(Axis(2)));
    assert_fits(function, &[shape.0, shape.1, shape.2], size_of::<f32>());
    if let Some(task) = in_tiles(q, v, mask, scale) {
        let [q, k, v] = [q, k, v].map(|batch| batch.as_standard_layout());
        let [q, k, v] = [&q, &k, &v].map(|batch| batch.as_slice().expect("standard layout"));
        let (context, _) = forward(q, k, v, task);
        return Array3::from_shape_vec(shape, context).expect("a context for each query");
    }
    check_memory(function, shape.1, k.len_of(Axis(1)), size_of::<f32>());
    let mut contexts = Array3::zeros(shape);
    let sequences = q.outer_iter().zip(k.outer_iter()).zip(v.outer_iter());
    for (((q, k), v), mut context) in sequences.zip(contexts.outer_iter_mut()) {
        context.assign(&attention_of(&q, &k, &v, mask, scale).context);
    }
    contexts
}

/// The task that computes [`attend_batch`] in tiles, without matrices of weights; `None` if the
/// mask is not causal, or the result is empty.
fn in_tiles(
    q: &ArrayRef3<f32>,
    v: &ArrayRef3<f32>,
    mask: Option<&Array2<bool>>,
    scale: f32,
) -> Option<Task> {
    let ((heads, queries, width), (_, keys, value_width)) = (q.dim(), v.dim());
    let is_causal = |mask: &Array2<bool>| {
        let mut all = mask.indexed_iter();
        queries == keys && all.all(|((query, key), &visible)| visible == (key <= query))
    };
    (queries > 0 && value_width > 0 && mask.is_none_or(is_causal)).then_some(Task {
        heads,
        queries,
        keys,
        width,
        value_width,
        scale,
        causal: mask.is_some(),
        tiles: Tiles::BEST,
    })
}

/// Zeros for one result, (T, width), per sequence of `x`: (B, T, width).
pub(crate) fn result_for(x: &ArrayRef3<f32>, width: usize) -> Array3<f32> {
    Array3::zeros((x.len_of(Axis(0)), x.len_of(Axis(1)), width))
}

/// Returns a batch filled in parallel: `sequence(b, ..)` writes sequence number `b`, which starts
/// out as zeros.
pub(crate) fn fill_in_parallel(
    (sequences, rows, columns): (usize, usize, usize),
    sequence: impl Fn(usize, ArrayViewMut2<f32>) + Sync,
) -> Array3<f32> {
    let mut batch = Fresh::new(sequences * rows * columns);
    let size = (rows * columns).max(1);
    for_each_with(
        batch.whole().chunks(size).enumerate().collect(),
        || (),
        |(), (b, numbers)| sequence(b, rows_mut(numbers.zeros(), columns)),
    );
    Array3::from_shape_vec((sequences, rows, columns), batch.into_vec()).expect("all sequences")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dot_product::mask::causal_mask;

    fn task(queries: usize, keys: usize, mask: Option<&Array2<bool>>) -> Option<Task> {
        let q = Array3::zeros((1, queries, 2));
        in_tiles(&q, &Array3::zeros((1, keys, 2)), mask, 1.0)
    }

    #[test]
    fn only_a_causal_mask_is_computed_in_tiles() {
        assert!(task(3, 3, None).is_some_and(|task| !task.causal));
        assert!(task(2, 3, None).is_some());
        assert!(task(3, 3, Some(&causal_mask(3))).is_some_and(|task| task.causal));
        let future = Array2::from_shape_fn((3, 3), |(query, key)| key > query);
        assert!(task(3, 3, Some(&future)).is_none());
        let mut one_more = causal_mask(3);
        one_more[[0, 2]] = true;
        assert!(task(3, 3, Some(&one_more)).is_none());
        let lower = Array2::from_shape_fn((2, 3), |(query, key)| key <= query);
        assert!(task(2, 3, Some(&lower)).is_none());
    }

    #[test]
    fn an_empty_result_is_not_computed_in_tiles() {
        assert!(task(0, 3, None).is_none());
        let (q, v) = (Array3::zeros((1, 3, 2)), Array3::zeros((1, 3, 0)));
        assert!(in_tiles(&q, &v, None, 1.0).is_none());
    }
}
