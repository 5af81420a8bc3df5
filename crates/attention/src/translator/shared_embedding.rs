//! The vectors of all pieces, shared by the encoder, the decoder and the output layer.

use super::marian::Quantised;
use crate::numerics::row_products::dots;
use crate::numerics::simd::{add, exp, largest, simd, sum_pairs};
use ndarray::{Array1, Array2, ArrayRef1};
use rayon::prelude::*;

/// A vector for each piece, and a bias. The vectors are the embedding of the tokens and, with the
/// bias, the output layer that scores the next token.
///
/// The integers of the file stay integers: the output layer reads all of them for each token, which
/// is what limits its speed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SharedEmbedding {
    /// (V, C), to be divided by `divisor`.
    integers: Array2<i8>,
    divisor: f32,
    /// (V,): added to the scores of the next token.
    bias: Array1<f32>,
}

impl SharedEmbedding {
    pub fn new(vectors: Quantised, bias: Array1<f32>) -> SharedEmbedding {
        SharedEmbedding {
            integers: vectors.integers,
            divisor: vectors.divisor,
            bias,
        }
    }

    /// C, the length of each vector.
    pub fn width(&self) -> usize {
        self.integers.ncols()
    }

    /// The vector of a token, (C,).
    pub fn vector(&self, token: usize) -> Array1<f32> {
        let integers = self.integers.row(token);
        integers.mapv(|integer| f32::from(integer) / self.divisor)
    }

    /// The log probability of each token being the next one, (V,), for the decoder's last vector,
    /// (C,).
    pub fn log_probabilities(&self, x: &ArrayRef1<f32>) -> Array1<f32> {
        let x: Vec<f32> = x.iter().map(|x| x / self.divisor).collect();
        let mut scores = self.bias.clone();
        let numbers = scores.as_slice_mut().expect("contiguous");
        let integers = self.integers.as_slice().expect("contiguous");
        let rows = numbers.len().div_ceil(rayon::current_num_threads());
        let parts = numbers.par_chunks_mut(rows);
        let parts = parts.zip(integers.par_chunks(rows * x.len()));
        parts.for_each(|(scores, integers)| add_products(&x, integers, scores));
        let total = log_sum_exp(numbers);
        scores - total
    }
}

/// Adds the dot product of `x` and each row to the scores.
fn add_products(x: &[f32], rows: &[i8], scores: &mut [f32]) {
    let mut products = vec![0.0; scores.len()];
    simd(
        #[inline(always)]
        || {
            dots(x, |row| &rows[row * x.len()..][..x.len()], &mut products);
            add(scores, &products);
        },
    );
}

/// `log Σ exp(score)`
fn log_sum_exp(scores: &[f32]) -> f32 {
    simd(
        #[inline(always)]
        || {
            let max = largest(scores);
            let sum = sum_pairs(scores, scores, |score, _, sum| sum + exp(score - max));
            max + sum.ln()
        },
    )
}
