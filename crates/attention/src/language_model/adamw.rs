//! The AdamW optimiser.

use crate::numerics::simd::{fused, simd};
use rayon::prelude::*;

/// AdamW with PyTorch's defaults except for the learning rate: β₁ = 0.9, β₂ = 0.999,
/// ε = 1e-8, weight decay 0.01.
///
/// Source: Loshchilov, Hutter 2019, "Decoupled Weight Decay Regularization",
/// algorithm 2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdamW {
    pub learning_rate: f64,
    pub steps: u64,
    /// Running means of the gradients and of their squares, one of each per parameter.
    pub means: Vec<f32>,
    pub squares: Vec<f32>,
}

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;
const WEIGHT_DECAY: f64 = 0.01;
/// Parameters per parallel task.
const CHUNK: usize = 16 * 1024;

impl AdamW {
    pub(super) fn new(parameters: usize, learning_rate: f64) -> AdamW {
        AdamW {
            learning_rate,
            steps: 0,
            means: vec![0.0; parameters],
            squares: vec![0.0; parameters],
        }
    }

    /// Takes one step using the sum of the `gradients`, which are added in order.
    pub(super) fn step(&mut self, parameters: &mut [f32], gradients: &[&[f32]]) {
        self.steps += 1;
        let correction_1 = 1.0 - BETA_1.powi(self.steps as i32);
        let correction_2 = 1.0 - BETA_2.powi(self.steps as i32);
        let decay = (1.0 - self.learning_rate * WEIGHT_DECAY) as f32;
        let step_size = (self.learning_rate / correction_1) as f32;
        let root = correction_2.sqrt() as f32;
        let (gain_1, gain_2) = ((1.0 - BETA_1) as f32, (1.0 - BETA_2) as f32);
        let chunks = parameters
            .par_chunks_mut(CHUNK)
            .zip(self.means.par_chunks_mut(CHUNK))
            .zip(self.squares.par_chunks_mut(CHUNK));
        chunks
            .enumerate()
            .for_each(|(chunk, ((parameters, means), squares))| {
                let start = chunk * CHUNK;
                let mut sum = [0.0; CHUNK];
                simd(
                    #[inline(always)]
                    || {
                        let sum = &mut sum[..parameters.len()];
                        for gradient in gradients {
                            let gradient = &gradient[start..start + sum.len()];
                            sum.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g);
                        }
                        let state = means.iter_mut().zip(squares.iter_mut());
                        for ((parameter, &g), (mean, square)) in
                            parameters.iter_mut().zip(&*sum).zip(state)
                        {
                            *mean += (g - *mean) * gain_1;
                            *square = fused(g * g, gain_2, *square * BETA_2 as f32);
                            let deviation = square.sqrt() / root + EPSILON as f32;
                            *parameter = *parameter * decay - step_size * *mean / deviation;
                        }
                    },
                );
            });
    }
}
