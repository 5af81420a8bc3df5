//! Attention in tiles: the same result, without ever storing a whole matrix of weights.
//!
//! [`flash_attention`] is the forward pass, [`flash_attention_backward`] the backward pass.
//! [`online_softmax`] (the running maximum and sum of one row) and [`flash_tiles`] (which tiles are
//! visited) show how it works; [`flash_bytes`] and [`naive_bytes`] count the memory traffic.

mod aligned;
mod backward;
mod few_queries;
mod finish;
mod forward;
mod gradients;
mod inputs;
mod key_share;
mod query_band;
mod task;
mod trace;

use finish::LogSumExp;
use ndarray::{Array, ArrayRef, Dimension};
use task::{task, with_tiles};

pub(crate) use forward::forward;
pub use gradients::{
    FlashGradients, flash_attention_backward, flash_attention_backward_with_tiles,
};
pub(crate) use task::{Task, Tiles};
pub use trace::{FlashStep, flash_bytes, flash_tiles, naive_bytes, online_softmax};

/// The result of [`flash_attention`]: the context, and what its backward pass needs
/// instead of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashAttention<D: Dimension> {
    /// (.., T, D'): the values, mixed by weights that are never stored.
    pub context: Array<f32, D>,
    /// (.., T): for every query, the logarithm of the sum of the exponentials of its
    /// scaled scores. A weight is `exp(score - log_sum_exp)`. The scores and the logarithm are
    /// rounded to f32, so the weights of a row, computed this way, sum to 1 within 1e-5 as long as
    /// the scores stay below 64, and within 1e-3 below 4096.
    pub log_sum_exp: Array<f32, D::Smaller>,
    /// (.., T): the rounding error of `log_sum_exp`.
    rest: Array<f32, D::Smaller>,
}

/// The context vectors of [`attend`](crate::dot_product::attend()), in tiles: no (T, S) matrix is
/// ever stored, so memory grows with T rather than with T · S.
///
/// `q` is (T, D), `k` is (S, D), `v` is (S, D'), or each with the same leading
/// axes: (N, T, D), (B, H, T, D). The context is (.., T, D'). `causal` hides the
/// future, and requires T = S; tiles entirely in the future are skipped.
///
/// `context = softmax(mask(q kᵀ / sqrt(D))) v`, equal to that of `attend` up to rounding. Heads
/// and tiles of queries are distributed over rayon's threads; the result is the same
/// to the last bit for any number of threads.
///
/// A hidden key or value never influences a query. NaN, infinities and scores
/// that are all -inf have the same effect as in [`attend`](crate::dot_product::attend()).
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=causal)`
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithms 1 and 2;
/// with the loop order of Dao 2023, "FlashAttention-2", arXiv 2307.08691,
/// algorithm 1.
///
/// # Panics
///
/// If the widths of `q` and `k`, the lengths of `k` and `v`, or their leading axes
/// do not match; if there is no key or no channel; if `causal` and T is not S; or if the
/// context does not fit into memory.
///
/// ```
/// use attention::dot_product::{attend, causal_mask};
/// use attention::flash::flash_attention;
/// use attention::rng::torch::Generator;
///
/// let mut rng = Generator::manual_seed(1);
/// let (q, k, v) = (rng.randn((100, 8)), rng.randn((100, 8)), rng.randn((100, 8)));
/// let flash = flash_attention(&q, &k, &v, true);
/// let whole = attend(&q, &k, &v, Some(&causal_mask(100)));
/// assert!((flash.context - whole.context).iter().all(|d| d.abs() < 2e-6));
///
/// let heads = rng.randn((2, 4, 100, 8)); // (B, H, T, D)
/// let out = flash_attention(&heads, &heads, &heads, false);
/// assert_eq!(out.context.shape(), [2, 4, 100, 8]);
/// assert_eq!(out.log_sum_exp.shape(), [2, 4, 100]);
/// ```
#[track_caller]
pub fn flash_attention<D: Dimension>(
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    causal: bool,
) -> FlashAttention<D> {
    let task = task("flash_attention", [q.shape(), k.shape(), v.shape()], causal);
    run(q, k, v, task)
}

/// [`flash_attention`] with tiles of `tile.0` queries and `tile.1` keys, so that lessons
/// can show that the tile size affects only speed and rounding.
///
/// # Panics
///
/// Same as [`flash_attention`], and if a tile is empty.
///
/// ```
/// use attention::flash::{flash_attention, flash_attention_with_tiles};
/// use attention::rng::torch::Generator;
///
/// let x = Generator::manual_seed(1).randn((50, 4));
/// let one_score_at_a_time = flash_attention_with_tiles(&x, &x, &x, false, (1, 1));
/// let difference = flash_attention(&x, &x, &x, false).context - one_score_at_a_time.context;
/// assert!(difference.iter().all(|d| d.abs() < 1e-6));
/// ```
#[track_caller]
pub fn flash_attention_with_tiles<D: Dimension>(
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    causal: bool,
    tile: (usize, usize),
) -> FlashAttention<D> {
    let function = "flash_attention_with_tiles";
    let task = task(function, [q.shape(), k.shape(), v.shape()], causal);
    run(q, k, v, with_tiles(function, task, tile))
}

fn run<D: Dimension>(
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    task: Task,
) -> FlashAttention<D> {
    let [q_numbers, k, v] = [q, k, v].map(|array| array.as_standard_layout());
    let numbers = [&q_numbers, &k, &v].map(|array| array.as_slice().expect("standard layout"));
    let (context, log_sum_exp) = self::forward::forward(numbers[0], numbers[1], numbers[2], task);
    let mut shape = q.raw_dim();
    shape[q.ndim() - 1] = task.value_width;
    let mut rows = D::Smaller::zeros(q.ndim() - 1);
    rows.slice_mut().copy_from_slice(&q.shape()[..q.ndim() - 1]);
    let of_rows = |take: fn(&LogSumExp) -> f32| {
        let numbers = log_sum_exp.iter().map(take).collect();
        Array::from_shape_vec(rows.clone(), numbers).expect("one a query")
    };
    FlashAttention {
        context: Array::from_shape_vec(shape, context).expect("as many as asked for"),
        log_sum_exp: of_rows(|one| one.rounded),
        rest: of_rows(|one| one.rest),
    }
}
