//! The mean of all vectors of a sequence, including future ones.

use crate::numerics::simd::{add, simd};

/// `mean[n] = Σ_t x[n t] / T`: `x` is (N T, C), `mean` (N, C).
pub(crate) fn mean(x: &[f32], (time, width): (usize, usize), mean: &mut [f32]) {
    simd(
        #[inline(always)]
        || {
            for (x, mean) in x
                .chunks_exact(time * width)
                .zip(mean.chunks_exact_mut(width))
            {
                mean.fill(0.0);
                for x in x.chunks_exact(width) {
                    add(mean, x);
                }
                mean.iter_mut().for_each(|mean| *mean /= time as f32);
            }
        },
    );
}

/// Writes the gradient with respect to `x`.
pub(crate) fn mean_backward(d_mean: &[f32], (time, width): (usize, usize), d_x: &mut [f32]) {
    // forward: mean = Σ_t x_t / T
    // so:      d_x_t = d_mean / T, the same for every t
    simd(
        #[inline(always)]
        || {
            for (d_x, d_mean) in d_x
                .chunks_exact_mut(time * width)
                .zip(d_mean.chunks_exact(width))
            {
                for d_x in d_x.chunks_exact_mut(width) {
                    for (d_x, d_mean) in d_x.iter_mut().zip(d_mean) {
                        *d_x = d_mean * (1.0 / time as f32);
                    }
                }
            }
        },
    );
}
