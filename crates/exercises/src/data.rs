//! Random numbers for probes, the same in every run.

use attention::ndarray::{Array1, Array2};
use attention::rng::torch::Generator;

/// A matrix (rows, columns) of normally distributed numbers, the same for the same seed and shape.
pub fn matrix(seed: u64, rows: usize, columns: usize) -> Array2<f32> {
    Generator::manual_seed(seed).randn((rows, columns))
}

/// The numbers of [`matrix`] as f64.
pub fn matrix64(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    matrix(seed, rows, columns).mapv(f64::from)
}

/// A vector of normally distributed numbers, the same for the same seed and length.
pub fn vector(seed: u64, length: usize) -> Array1<f32> {
    Generator::manual_seed(seed).randn(length)
}
