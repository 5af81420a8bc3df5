//! The encoder, which reads the whole source at once.

use super::shared_embedding::SharedEmbedding;
use crate::layers::encoder_layer::EncoderLayer;
use ndarray::{Array1, Array2, Array4};

/// The encoder's results for a source of S tokens.
pub(crate) struct Source {
    /// (S, C): one vector per token.
    pub vectors: Array2<f32>,
    /// (L, H, S, S): the weights of all heads.
    pub weights: Array4<f32>,
}

/// Encodes the source: in every layer, each token looks at all tokens, with no mask. `positions` is
/// false only in an experiment.
pub(crate) fn encode(
    tokens: &[usize],
    embedding: &SharedEmbedding,
    layers: &[EncoderLayer],
    positions: bool,
) -> Source {
    let count = tokens.len();
    let mut x = Array2::zeros((count, embedding.width()));
    for (t, (&token, mut x)) in tokens.iter().zip(x.rows_mut()).enumerate() {
        x.assign(&embedded(embedding.vector(token), t, positions));
    }
    let mut weights = Array4::zeros((layers.len(), layers[0].heads, count, count));
    for (layer, mut weights) in layers.iter().zip(weights.outer_iter_mut()) {
        x = layer.run(&x, &[], weights.view_mut()).x;
    }
    Source {
        vectors: x,
        weights,
    }
}

/// The vector of a token at position `t`, (C,): scaled, and with the position added.
pub(crate) fn embedded(vector: Array1<f32>, t: usize, positions: bool) -> Array1<f32> {
    let width = vector.len();
    let scaled = vector * (width as f32).sqrt();
    match positions {
        true => scaled + position(t, width),
        false => scaled,
    }
}

/// The vector of position `t`, (C,): sines of decreasing frequency in the first half, and cosines
/// of the same frequencies in the second.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5, where sines and cosines
/// alternate.
fn position(t: usize, width: usize) -> Array1<f32> {
    let half = width / 2;
    let angle = |i: usize| t as f64 * 10_000_f64.powf(-(i as f64) / (half as f64 - 1.0));
    Array1::from_shape_fn(width, |i| match i < half {
        true => angle(i).sin() as f32,
        false => angle(i - half).cos() as f32,
    })
}
