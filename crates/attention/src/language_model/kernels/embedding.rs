//! Turns each token into a vector, and adds one for its position if the model embeds positions.

use crate::numerics::simd::{add, simd};

/// `x[n t] = table[tokens[n t]] + positions[t]`.
///
/// `tokens` is (N T), `table` (V, C), `positions` (T or more, C), `x` (N T, C).
pub(crate) fn embed(
    tokens: &[usize],
    table: &[f32],
    positions: Option<&[f32]>,
    (time, width): (usize, usize),
    x: &mut [f32],
) {
    simd(
        #[inline(always)]
        || {
            for (row, (&token, x)) in tokens.iter().zip(x.chunks_exact_mut(width)).enumerate() {
                x.copy_from_slice(&table[token * width..][..width]);
                if let Some(positions) = positions {
                    let position = &positions[row % time * width..][..width];
                    add(x, position);
                }
            }
        },
    );
}

/// Adds the gradients with respect to the tables to `d_table` and `d_positions`.
pub(crate) fn embed_backward(
    d_x: &[f32],
    tokens: &[usize],
    (time, width): (usize, usize),
    d_table: &mut [f32],
    mut d_positions: Option<&mut [f32]>,
) {
    // forward: x_t = table[token_t] + positions[t]
    // so:      every use of a row adds its gradient to that row
    simd(
        #[inline(always)]
        || {
            for (row, (&token, d_x)) in tokens.iter().zip(d_x.chunks_exact(width)).enumerate() {
                let d_row = &mut d_table[token * width..][..width];
                add(d_row, d_x);
                if let Some(d_positions) = &mut d_positions {
                    let d_position = &mut d_positions[row % time * width..][..width];
                    add(d_position, d_x);
                }
            }
        },
    );
}
