//! Attention for all heads of a layer, each on its own columns.

use crate::numerics::matmul::matmul;
use crate::numerics::product::Store;
use crate::numerics::simd::{exp, largest, simd, sum_pairs};
use ndarray::{Array2, ArrayRef2, ArrayView2, ArrayViewMut2, ArrayViewMut3, Axis, s};
use rayon::prelude::*;

/// Returns the context vectors of all heads side by side, (T, C), and writes their weights to
/// `weights`, (H, T, S). The queries of all heads are (T, C), their keys and values (S, C). Heads
/// in `off` contribute zeros.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
pub(crate) fn attend_heads(
    queries: &ArrayRef2<f32>,
    keys: &ArrayRef2<f32>,
    values: &ArrayRef2<f32>,
    (heads, off): (usize, &[usize]),
    mut weights: ArrayViewMut3<f32>,
) -> Array2<f32> {
    let mut joined = Array2::zeros((queries.nrows(), values.ncols()));
    let size = values.ncols() / heads;
    let columns = joined.axis_chunks_iter_mut(Axis(1), size);
    let heads: Vec<_> = weights.outer_iter_mut().zip(columns).enumerate().collect();
    heads
        .into_par_iter()
        .for_each(|(head, (weights, mut context))| {
            let columns = s![.., head * size..(head + 1) * size];
            let [q, k, v] = [queries, keys, values].map(|all| all.slice(columns));
            attend_into(q, k, v, weights, context.view_mut());
            if off.contains(&head) {
                context.fill(0.0);
            }
        });
    joined
}

/// [`attend`](crate::dot_product::attend()) without a mask, in preallocated memory: writes the
/// weights, (T, S), and the context, (T, D). `q` is (T, D), `k` and `v` are (S, D).
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
fn attend_into(
    q: ArrayView2<f32>,
    k: ArrayView2<f32>,
    v: ArrayView2<f32>,
    mut weights: ArrayViewMut2<f32>,
    context: ArrayViewMut2<f32>,
) {
    matmul(q, k.reversed_axes(), weights.view_mut(), Store::Overwrite);
    let scale = 1.0 / (q.ncols() as f32).sqrt();
    let numbers = weights.as_slice_mut().expect("rows side by side");
    softmax_of_scaled(numbers, k.nrows(), scale);
    matmul(weights.view(), v, context, Store::Overwrite);
}

/// Overwrites every row of `scores`, (T, S), with the softmax of `scale` times the row.
fn softmax_of_scaled(scores: &mut [f32], columns: usize, scale: f32) {
    simd(
        #[inline(always)]
        || {
            let columns = columns.max(1); // a chunk size of 0 panics, even for an empty slice
            for row in scores.chunks_exact_mut(columns) {
                let max = largest(row);
                row.iter_mut()
                    .for_each(|score| *score = (*score - max) * scale);
            }
            // All rows at once, because a single row of a short text does not fill a register.
            scores.iter_mut().for_each(|score| *score = exp(*score));
            for row in scores.chunks_exact_mut(columns) {
                let sum = sum_pairs(row, row, |one, _, sum| sum + one);
                row.iter_mut().for_each(|weight| *weight /= sum);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dot_product::attend::attend;

    #[test]
    fn a_head_on_given_memory_is_attend() {
        for (queries, tokens) in [(1, 1), (2, 2), (15, 15), (33, 33), (1, 7), (5, 2)] {
            let number = |seed: usize| {
                move |(i, j): (usize, usize)| ((i * 7 + j * 5 + seed) % 13) as f32 - 6.0
            };
            let q = Array2::from_shape_fn((queries, 8), number(1));
            let [k, v] = [2, 3].map(|seed| Array2::from_shape_fn((tokens, 8), number(seed)));
            let expected = attend(&q, &k, &v, None);
            let mut weights = Array2::from_elem((queries, tokens), f32::NAN);
            let mut context = Array2::from_elem((queries, 8), f32::NAN);
            attend_into(
                q.view(),
                k.view(),
                v.view(),
                weights.view_mut(),
                context.view_mut(),
            );
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(weights.iter().zip(&expected.weights).all(close));
            assert!(context.iter().zip(&expected.context).all(close));
        }
    }
}
