//! `y = x weightᵀ + bias` in preallocated memory.

use crate::numerics::matmul::{matmul, rows, rows_mut};
use crate::numerics::product::Store;
use crate::numerics::simd::{add, simd};

/// Writes the result to `y` (`Store::Overwrite`) or adds it to `y` (`Store::Accumulate`, for a
/// residual connection).
///
/// `x` is (R, in), `weight` (in, out), so already transposed, `bias` (out), `y` (R, out).
pub(crate) fn linear_into(
    x: &[f32],
    (inputs, outputs): (usize, usize),
    weight: &[f32],
    bias: Option<&[f32]>,
    y: &mut [f32],
    store: Store,
) {
    let mut store = store;
    if let Some(bias) = bias {
        simd(
            #[inline(always)]
            || {
                for y in y.chunks_exact_mut(outputs) {
                    match store {
                        Store::Overwrite => y.copy_from_slice(bias),
                        Store::Accumulate => add(y, bias),
                    }
                }
            },
        );
        store = Store::Accumulate;
    }
    matmul(
        rows(x, inputs),
        rows(weight, outputs),
        rows_mut(y, outputs),
        store,
    );
}

/// Adds the gradients of the layer to `d_weight`, (out, in), and `d_bias`, (out).
pub(crate) fn linear_backward_weight(
    d_y: &[f32],
    x: &[f32],
    (inputs, outputs): (usize, usize),
    d_weight: &mut [f32],
    d_bias: Option<&mut [f32]>,
) {
    // forward: y = x weightᵀ + bias
    // so:      d_weight = d_yᵀ x, d_bias = Σ_r d_y
    let d_y_rows = rows(d_y, outputs);
    matmul(
        d_y_rows.t(),
        rows(x, inputs),
        rows_mut(d_weight, inputs),
        Store::Accumulate,
    );
    if let Some(d_bias) = d_bias {
        simd(
            #[inline(always)]
            || {
                d_y.chunks_exact(outputs).for_each(|d_y| add(d_bias, d_y));
            },
        );
    }
}

/// Writes the gradient with respect to `x`; `weight` is (out, in).
pub(crate) fn linear_backward_x(
    d_y: &[f32],
    (inputs, outputs): (usize, usize),
    weight: &[f32],
    d_x: &mut [f32],
) {
    // forward: y = x weightᵀ + bias
    // so:      d_x = d_y weight
    matmul(
        rows(d_y, outputs),
        rows(weight, inputs),
        rows_mut(d_x, inputs),
        Store::Overwrite,
    );
}
