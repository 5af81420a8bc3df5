//! [`LayerNorm`](crate::layers::LayerNorm) in preallocated memory.

use crate::layers::layer_norm::EPSILON;
use crate::numerics::simd::{fused, simd, sum_pairs};

/// What the backward pass needs to know about each row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    mean: f32,
    /// `1 / sqrt(variance + epsilon)`
    scale: f32,
}

/// `y = (x - mean) · scale · weight + bias`, row by row.
///
/// `x` and `y` are (R, C), `weight` and `bias` (C), `moments` (R).
pub(crate) fn norm(
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    y: &mut [f32],
    moments: &mut [Moments],
) {
    let width = weight.len();
    simd(
        #[inline(always)]
        || {
            let rows = x.chunks_exact(width).zip(y.chunks_exact_mut(width));
            for ((x, y), moments) in rows.zip(moments.iter_mut()) {
                let mean = sum_pairs(x, x, |x, _, sum| sum + x) / width as f32;
                let variance = sum_pairs(x, x, |x, _, sum| fused(x - mean, x - mean, sum));
                let scale = 1.0 / (variance / width as f32 + EPSILON as f32).sqrt();
                *moments = Moments { mean, scale };
                let parameters = weight.iter().zip(bias);
                for ((y, &x), (&weight, &bias)) in y.iter_mut().zip(x).zip(parameters) {
                    *y = fused((x - mean) * scale, weight, bias);
                }
            }
        },
    );
}

/// Adds the gradients with respect to `x`, the weight and the bias to `d_x`, `d_weight` and
/// `d_bias`; `d_x` already holds the gradient from the residual connection. Overwrites `d_y`.
pub(crate) fn norm_backward(
    d_y: &mut [f32],
    x: &[f32],
    weight: &[f32],
    moments: &[Moments],
    d_x: &mut [f32],
    (d_weight, d_bias): (&mut [f32], &mut [f32]),
) {
    let width = weight.len();
    simd(
        #[inline(always)]
        || {
            let rows = d_y.chunks_exact_mut(width).zip(x.chunks_exact(width));
            let rows = rows.zip(d_x.chunks_exact_mut(width));
            for (((d_y, x), d_x), &Moments { mean, scale }) in rows.zip(moments) {
                // forward: y = n weight + bias, n = (x - mean) scale
                // so:      d_bias = Σ d_y, d_weight = Σ d_y n, d_n = d_y weight
                let parameters = d_weight.iter_mut().zip(d_bias.iter_mut()).zip(weight);
                for ((d_y, &x), ((d_weight, d_bias), weight)) in
                    d_y.iter_mut().zip(x).zip(parameters)
                {
                    *d_bias += *d_y;
                    *d_weight = fused(*d_y, (x - mean) * scale, *d_weight);
                    *d_y *= weight;
                }
                // and:     d_x = (d_n - mean(d_n) - n mean(d_n n)) scale
                let d_n = d_y;
                let d_mean = sum_pairs(d_n, d_n, |d, _, sum| sum + d) / width as f32;
                let mean_product = sum_pairs(d_n, x, |d, x, sum| fused(d, (x - mean) * scale, sum));
                let mean_product = mean_product / width as f32 * scale;
                for ((d_x, &d_n), &x) in d_x.iter_mut().zip(&*d_n).zip(x) {
                    *d_x += (d_n - d_mean - (x - mean) * mean_product) * scale;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_mean_does_not_blur_the_variance() {
        let normed = |x: &[f32]| {
            let (mut y, mut moments) = (vec![0.0; 64], [Moments::default()]);
            norm(x, &[1.0; 64], &[0.0; 64], &mut y, &mut moments);
            y
        };
        let x: Vec<f32> = (0..64).map(|i| (i % 7) as f32).collect();
        let far: Vec<f32> = x.iter().map(|x| x + 3000.0).collect();
        for (near, far) in normed(&x).iter().zip(normed(&far)) {
            assert!((near - far).abs() < 1e-3, "{near}, far from 0 {far}");
        }
    }
}
