//! Attention in tiles: the same result, and never a whole matrix of weights.

mod backward;
mod forward;
mod product;
mod room;
mod trace;

use crate::shape::{same_shape, same_width, shape_text};
use ndarray::{Array, ArrayRef, Dimension};

pub(crate) use forward::forward;
pub use trace::{FlashStep, flash_bytes, flash_tiles, naive_bytes, online_softmax};

/// What [`flash_attention`] computed: the context, and what its backward pass needs
/// in place of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashAttention<D: Dimension> {
    /// (.., T, D'): the values, mixed by weights that nobody stored.
    pub context: Array<f32, D>,
    /// (.., T): for every query the logarithm of the sum of the exponentials of its
    /// scaled scores. A weight is `exp(score - log_sum_exp)`.
    pub log_sum_exp: Array<f32, D::Smaller>,
}

/// The gradients of the loss with respect to what [`flash_attention`] was given, each
/// of the shape of what it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashGradients<D: Dimension> {
    /// (.., T, D)
    pub d_q: Array<f32, D>,
    /// (.., S, D)
    pub d_k: Array<f32, D>,
    /// (.., S, D')
    pub d_v: Array<f32, D>,
}

/// How many queries and how many keys are looked at together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    pub queries: usize,
    pub keys: usize,
}

impl Tiles {
    /// 64 x 64 scores are 16 KB: with the queries, and with the context, they fit
    /// into the first cache of a core.
    pub(crate) const BEST: Tiles = Tiles {
        queries: 64,
        keys: 64,
    };
}

/// Shapes of one call, and how it is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// Heads, over all sequences.
    pub heads: usize,
    /// T
    pub queries: usize,
    /// S
    pub keys: usize,
    /// D
    pub width: usize,
    /// D'
    pub value_width: usize,
    /// What scores are multiplied by.
    pub scale: f32,
    pub causal: bool,
    pub tiles: Tiles,
}

impl Task {
    /// How many keys the queries before `end` look at.
    fn visible(&self, end: usize) -> usize {
        if self.causal { end } else { self.keys }
    }
}

/// The context vectors of [`attend`](crate::attend), in tiles: no (T, S) matrix is
/// ever stored, so memory grows with T and not with T · S.
///
/// `q` is (T, D), `k` is (S, D), `v` is (S, D'), or each of them with the same axes
/// before: (N, T, D), (B, H, T, D). The context is (.., T, D'). `causal` hides the
/// future, and needs T = S; tiles that lie in the future are not visited.
///
/// `context = softmax(mask(q kᵀ / sqrt(D))) v`, up to rounding that of `attend`. Heads
/// and tiles of queries are shared among the threads of rayon; their number does not
/// change a bit of the result.
///
/// NaN in a query makes its row NaN; NaN or an infinity in a key, every row that may
/// look at it; NaN in a value, its column of every row that may look at it. (`attend`
/// lets a NaN in a value spoil the rows before it, too.)
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=causal)`
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithms 1 and 2;
/// the order of the loops is that of Dao 2023, "FlashAttention-2", arXiv 2307.08691,
/// algorithm 1.
///
/// # Panics
///
/// If the widths of `q` and `k`, the lengths of `k` and `v`, or the axes before them
/// do not fit; if there is no key or no channel; or if `causal` and T is not S.
///
/// ```
/// use attention::{attend, causal_mask, flash_attention, rng::torch::Generator};
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

/// [`flash_attention`] with tiles of `tile.0` queries and `tile.1` keys, for a lesson
/// that shows that their size changes nothing but the time.
///
/// # Panics
///
/// As [`flash_attention`], and if a tile is empty.
///
/// ```
/// use attention::{flash_attention, flash_attention_with_tiles, rng::torch::Generator};
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
    FlashAttention {
        context: Array::from_shape_vec(shape, context).expect("as many as asked for"),
        log_sum_exp: Array::from_shape_vec(rows, log_sum_exp).expect("one a query"),
    }
}

/// Gradients through [`flash_attention`], from `d_context`, the gradient of the loss
/// with respect to the context.
///
/// `d_context` has the shape of the context; `forward` is what `flash_attention`
/// returned for the same `q`, `k`, `v` and `causal`. The weights are computed again
/// from the scores and the saved `log_sum_exp`, tile by tile. The number of threads
/// does not change a bit of the result.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v,
/// is_causal=causal).backward(d_context)`, then `q.grad`, `k.grad`, `v.grad`
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithm 4; with the
/// sum of `d_context · context` in each row for the sum of `weights · d_weights`, as
/// its appendix B.2 derives, and loops as in Dao 2023, arXiv 2307.08691, algorithm 2.
///
/// # Panics
///
/// If the shapes do not fit those of a call of [`flash_attention`].
///
/// ```
/// use attention::{attend, attend_backward, rng::torch::Generator};
/// use attention::{flash_attention, flash_attention_backward};
///
/// let x = Generator::manual_seed(1).randn((100, 8));
/// let forward = flash_attention(&x, &x, &x, false);
/// let d = flash_attention_backward(&x, &x, &x, &x, &forward, false);
/// let whole = attend_backward(&x, &x, &x, &x, &attend(&x, &x, &x, None).weights);
/// assert!((d.d_q - whole.d_q).iter().all(|d| d.abs() < 1e-5));
/// ```
#[track_caller]
pub fn flash_attention_backward<D: Dimension>(
    d_context: &ArrayRef<f32, D>,
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    forward: &FlashAttention<D>,
    causal: bool,
) -> FlashGradients<D> {
    let function = "flash_attention_backward";
    let task = task(function, [q.shape(), k.shape(), v.shape()], causal);
    run_backward(function, d_context, q, k, v, forward, task)
}

/// [`flash_attention_backward`] with tiles of `tile.0` queries and `tile.1` keys.
///
/// # Panics
///
/// As [`flash_attention_backward`], and if a tile is empty.
#[track_caller]
pub fn flash_attention_backward_with_tiles<D: Dimension>(
    d_context: &ArrayRef<f32, D>,
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    forward: &FlashAttention<D>,
    causal: bool,
    tile: (usize, usize),
) -> FlashGradients<D> {
    let function = "flash_attention_backward_with_tiles";
    let task = task(function, [q.shape(), k.shape(), v.shape()], causal);
    let task = with_tiles(function, task, tile);
    run_backward(function, d_context, q, k, v, forward, task)
}

#[track_caller]
fn run_backward<D: Dimension>(
    function: &str,
    d_context: &ArrayRef<f32, D>,
    q: &ArrayRef<f32, D>,
    k: &ArrayRef<f32, D>,
    v: &ArrayRef<f32, D>,
    forward: &FlashAttention<D>,
    task: Task,
) -> FlashGradients<D> {
    let mut expected = q.shape().to_vec();
    same_shape(
        function,
        ("forward.log_sum_exp", forward.log_sum_exp.shape()),
        ("q without its last axis", &expected[..q.ndim() - 1]),
    );
    expected[q.ndim() - 1] = task.value_width;
    for (name, shape) in [
        ("d_context", d_context.shape()),
        ("forward.context", forward.context.shape()),
    ] {
        same_shape(function, (name, shape), ("the context", &expected));
    }
    let arrays = [d_context, q, k, v, &forward.context].map(|array| array.as_standard_layout());
    let log_sum_exp = forward.log_sum_exp.as_standard_layout();
    let [d_context, q_numbers, k_numbers, v_numbers, context] =
        std::array::from_fn(|i| arrays[i].as_slice().expect("standard layout"));
    let gradients = backward::backward(
        backward::Inputs {
            d_context,
            q: q_numbers,
            k: k_numbers,
            v: v_numbers,
            context,
            log_sum_exp: log_sum_exp.as_slice().expect("standard layout"),
        },
        task,
    );
    let shaped = |like: &ArrayRef<f32, D>, numbers| {
        Array::from_shape_vec(like.raw_dim(), numbers).expect("as many as asked for")
    };
    FlashGradients {
        d_q: shaped(q, gradients.d_q),
        d_k: shaped(k, gradients.d_k),
        d_v: shaped(v, gradients.d_v),
    }
}

/// Panics unless the shapes fit, naming them.
#[track_caller]
fn task(function: &str, [q, k, v]: [&[usize]; 3], causal: bool) -> Task {
    let axes = q.len();
    let all = format!(
        "q is {}, k is {} and v is {}",
        shape_text(q),
        shape_text(k),
        shape_text(v)
    );
    assert!(
        axes >= 2,
        "{function}: {all}: (T, D) is needed, or (.., T, D)"
    );
    let (batch, keys) = (&q[..axes - 2], k[axes - 2]);
    assert!(
        *batch == k[..axes - 2] && *batch == v[..axes - 2],
        "{function}: {all}: all dimensions before the last two must agree",
    );
    same_width(function, ("q", q), ("k", k));
    assert!(
        keys == v[axes - 2],
        "{function}: k is {} but v is {}: the lengths must agree",
        shape_text(k),
        shape_text(v),
    );
    assert!(
        keys > 0,
        "{function}: k is {}: the sequence is empty, there is nothing to attend to",
        shape_text(k),
    );
    assert!(
        q[axes - 1] > 0 && v[axes - 1] > 0,
        "{function}: {all}: there is no channel"
    );
    assert!(
        !causal || q[axes - 2] == keys,
        "{function}: q is {} but k is {}: a causal mask needs as many queries as keys",
        shape_text(q),
        shape_text(k),
    );
    Task {
        heads: batch.iter().product(),
        queries: q[axes - 2],
        keys,
        width: q[axes - 1],
        value_width: v[axes - 1],
        scale: 1.0 / (q[axes - 1] as f32).sqrt(),
        causal,
        tiles: Tiles::BEST,
    }
}

#[track_caller]
fn with_tiles(function: &str, task: Task, (queries, keys): (usize, usize)) -> Task {
    assert!(
        queries > 0 && keys > 0,
        "{function}: a tile of {queries} queries and {keys} keys is empty"
    );
    Task {
        tiles: Tiles { queries, keys },
        ..task
    }
}
