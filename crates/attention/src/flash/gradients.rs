//! Gradients through attention in tiles.

use super::FlashAttention;
use super::backward::backward;
use super::inputs::Inputs;
use super::task::{Task, task, with_tiles};
use crate::numerics::shape::same_shape;
use ndarray::{Array, ArrayRef, Dimension};

/// The gradients of the loss with respect to the arguments of
/// [`flash_attention`](crate::flash::flash_attention), each with the shape of its
/// argument.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashGradients<D: Dimension> {
    /// (.., T, D)
    pub d_q: Array<f32, D>,
    /// (.., S, D)
    pub d_k: Array<f32, D>,
    /// (.., S, D')
    pub d_v: Array<f32, D>,
}

/// Gradients through [`flash_attention`](crate::flash::flash_attention), from `d_context`, the
/// gradient of the loss with respect to the context.
///
/// `d_context` has the shape of the context; `forward` is what `flash_attention`
/// returned for the same `q`, `k`, `v` and `causal`. The weights are recomputed
/// tile by tile from the scores and the saved `log_sum_exp`. The result is the same
/// to the last bit for any number of threads.
///
/// The weights of a row sum to 1 within 1e-5 however large the scores are, as long as they are
/// finite: the forward pass also keeps the rounding error of `log_sum_exp`, and the recomputed
/// scores are the same to the last bit.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v,
/// is_causal=causal).backward(d_context)`, then `q.grad`, `k.grad`, `v.grad`
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithm 4; using
/// each row's sum of `d_context · context` in place of the sum of `weights · d_weights`, as
/// derived in its appendix B.2, and with the loops of Dao 2023, arXiv 2307.08691, algorithm 2.
///
/// # Panics
///
/// If the shapes do not match those of a call to [`flash_attention`](crate::flash::flash_attention).
///
/// ```
/// use attention::dot_product::{attend, attend_backward};
/// use attention::rng::torch::Generator;
/// use attention::flash::{flash_attention, flash_attention_backward};
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
/// Same as [`flash_attention_backward`], and if a tile is empty.
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
    for (name, shape) in [
        ("forward.log_sum_exp", forward.log_sum_exp.shape()),
        (
            "what forward.log_sum_exp was made with",
            forward.rest.shape(),
        ),
    ] {
        same_shape(
            function,
            (name, shape),
            ("q without its last axis", &expected[..q.ndim() - 1]),
        );
    }
    expected[q.ndim() - 1] = task.value_width;
    for (name, shape) in [
        ("d_context", d_context.shape()),
        ("forward.context", forward.context.shape()),
    ] {
        same_shape(function, (name, shape), ("the context", &expected));
    }
    let arrays = [d_context, q, k, v, &forward.context].map(|array| array.as_standard_layout());
    let rows = [&forward.log_sum_exp, &forward.rest].map(|array| array.as_standard_layout());
    let [log_sum_exp, rest] = std::array::from_fn(|i| rows[i].as_slice().expect("standard layout"));
    let [d_context, q_numbers, k_numbers, v_numbers, context] =
        std::array::from_fn(|i| arrays[i].as_slice().expect("standard layout"));
    let gradients = backward(
        Inputs {
            d_context,
            q: q_numbers,
            k: k_numbers,
            v: v_numbers,
            context,
            log_sum_exp,
            rest,
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
