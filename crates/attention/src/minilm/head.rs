//! One head of a layer, in preallocated memory.

use crate::numerics::matmul::matmul;
use crate::numerics::product::Store;
use crate::numerics::simd::{exp, largest, simd, sum_pairs};
use ndarray::{ArrayView2, ArrayViewMut2};

/// Writes what [`attend`](crate::dot_product::attend()) returns without a mask: the weights, (T, T), and the
/// context, (T, D). `q`, `k` and `v` are (T, D).
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
pub(super) fn attend_into(
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
            for row in scores.chunks_exact_mut(columns) {
                let max = largest(row);
                row.iter_mut()
                    .for_each(|score| *score = (*score - max) * scale);
            }
            // All rows in one go, because those of a short text do not fill a register.
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
    use ndarray::Array2;

    #[test]
    fn a_head_on_given_memory_is_attend() {
        for tokens in [1, 2, 15, 33] {
            let number = |seed: usize| {
                move |(i, j): (usize, usize)| ((i * 7 + j * 5 + seed) % 13) as f32 - 6.0
            };
            let [q, k, v] = [1, 2, 3].map(|seed| Array2::from_shape_fn((tokens, 8), number(seed)));
            let expected = attend(&q, &k, &v, None);
            let mut weights = Array2::from_elem((tokens, tokens), f32::NAN);
            let mut context = Array2::from_elem((tokens, 8), f32::NAN);
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
