//! Attention with fixed weights: every token looks equally at all tokens so far.

use crate::measure::step::Step;
use crate::numerics::simd::{LANES, add, simd};
use ndarray::{Array3, ArrayRef3};
use rayon::prelude::*;

/// For every token, the mean of all tokens up to and including it, computed straight from the
/// definition.
///
/// `x` and the result are (B, T, C). Takes about T² / 2 additions of rows.
/// [`context_batch`](crate::dot_product::context_batch) with the weights
/// `renormalise(ones, causal_mask(T))` computes the same averages as a matrix product, and
/// [`running_average`] needs only T additions.
///
/// PyTorch: `out[b, t] = torch.mean(x[b, :t + 1], 0)` for every `b` and `t`
///
/// ```
/// use attention::dot_product::average_so_far;
/// use ndarray::array;
///
/// let x = array![[[2.0], [4.0], [9.0]]];
/// assert_eq!(average_so_far(&x), array![[[2.0], [3.0], [5.0]]]);
/// ```
pub fn average_so_far(x: &ArrayRef3<f32>) -> Array3<f32> {
    Step::AverageSoFar.called();
    map_sequences(
        x,
        #[inline(always)]
        |x, averages, width| {
            let mut rows = vec![Channels([0.0; CHANNELS]); x.len() / width];
            for first in (0..width).step_by(CHANNELS) {
                let count = CHANNELS.min(width - first);
                for (row, x) in rows.iter_mut().zip(x.chunks_exact(width)) {
                    row.0[..count].copy_from_slice(&x[first..first + count]);
                }
                for (t, average) in averages.chunks_exact_mut(width).enumerate() {
                    let average = &mut average[first..first + count];
                    average.copy_from_slice(&mean(&rows[..=t])[..count]);
                }
            }
        },
    )
}

/// Channels per block: 32 channels of 256 tokens fit into a core's L1 cache.
const CHANNELS: usize = 32;

/// One block of a token's channels, aligned to a cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Channels([f32; CHANNELS]);

#[allow(
    clippy::needless_range_loop,
    reason = "sums with constant indices stay in registers"
)]
#[inline(always)]
fn mean(rows: &[Channels]) -> [f32; CHANNELS] {
    let mut sums = [[0.0; LANES]; CHANNELS / LANES];
    for row in rows {
        for register in 0..CHANNELS / LANES {
            for lane in 0..LANES {
                sums[register][lane] += row.0[register * LANES + lane];
            }
        }
    }
    let mut mean = [0.0; CHANNELS];
    for (mean, sum) in mean.iter_mut().zip(sums.as_flattened()) {
        *mean = sum / rows.len() as f32;
    }
    mean
}

/// [`average_so_far`] in one pass: each token is added to the sum of those before it.
///
/// `x` and the result are (B, T, C). Takes T additions of rows, in the order in which
/// `average_so_far` adds them, so the result is identical to the last bit.
///
/// PyTorch: `x.cumsum(1) / torch.arange(1, T + 1).unsqueeze(1)`
///
/// ```
/// use attention::dot_product::{average_so_far, running_average};
/// use attention::rng::torch::Generator;
///
/// let x = Generator::manual_seed(1).randn((2, 5, 3));
/// assert_eq!(running_average(&x), average_so_far(&x));
/// ```
pub fn running_average(x: &ArrayRef3<f32>) -> Array3<f32> {
    Step::RunningAverage.called();
    map_sequences(
        x,
        #[inline(always)]
        |x, averages, width| {
            let mut sum = vec![0.0; width];
            let rows = averages.chunks_exact_mut(width).zip(x.chunks_exact(width));
            for (t, (average, row)) in rows.enumerate() {
                add(&mut sum, row);
                let count = (t + 1) as f32;
                for (average, sum) in average.iter_mut().zip(&sum) {
                    *average = sum / count;
                }
            }
        },
    )
}

/// Returns an array with the shape of `x`, filled sequence by sequence by
/// `average(sequence of x, sequence of the result, C)`.
fn map_sequences(
    x: &ArrayRef3<f32>,
    average: impl Fn(&[f32], &mut [f32], usize) + Sync,
) -> Array3<f32> {
    let (_, time, width) = x.dim();
    let mut averages = Array3::zeros(x.raw_dim());
    if x.is_empty() {
        return averages;
    }
    let x = x.as_standard_layout();
    let x = x.as_slice().expect("standard layout");
    let results = averages.as_slice_mut().expect("standard layout");
    let sequences = results.par_chunks_mut(time * width);
    sequences
        .zip(x.par_chunks(time * width))
        .for_each(|(averages, x)| {
            simd(
                #[inline(always)]
                || average(x, averages, width),
            )
        });
    averages
}

#[cfg(test)]
mod tests {
    use super::*;
    use torch_random::torch::Generator;

    #[test]
    fn both_ways_give_the_mean_of_the_tokens_so_far() {
        // A single block of channels, full or not, and several blocks, the last of them not full.
        for width in [1, 32, 40, 70] {
            let x = Generator::manual_seed(1).randn((2, 5, width));
            let expected = Array3::from_shape_fn(x.dim(), |(sequence, t, channel)| {
                let sum = (0..=t).fold(0.0, |sum, token| sum + x[[sequence, token, channel]]);
                sum / (t + 1) as f32
            });
            assert_eq!(average_so_far(&x), expected);
            assert_eq!(running_average(&x), expected);
        }
    }
}
