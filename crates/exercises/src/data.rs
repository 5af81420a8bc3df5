//! Numbers for probes: always the same, and unlike each other.

use attention::ndarray::{Array1, Array2};
use attention::rng::torch::Generator;

/// (rows, columns) normal numbers. Another seed gives others.
pub fn matrix(seed: u64, rows: usize, columns: usize) -> Array2<f32> {
    Generator::manual_seed(seed).randn((rows, columns))
}

/// The same as f64.
pub fn matrix64(seed: u64, rows: usize, columns: usize) -> Array2<f64> {
    matrix(seed, rows, columns).mapv(f64::from)
}

/// Normal numbers in a row.
pub fn vector(seed: u64, length: usize) -> Array1<f32> {
    Generator::manual_seed(seed).randn(length)
}
