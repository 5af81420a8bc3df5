//! The decoder, which writes the translation token by token.

use super::ssru::Ssru;
use crate::layers::attend_heads::attend_heads;
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::layers::parallel_linear::product;
use ndarray::{Array2, ArrayRef2, ArrayViewMut3};

/// One layer of the decoder: a memory of what has been written, cross-attention to the source, and
/// a feed-forward network. The result of each is added to its input, and the sum is normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderLayer {
    /// Summarises, in one vector, what has been written so far.
    pub memory: Ssru,
    /// Applied to x plus the result of the memory.
    pub memory_norm: LayerNorm,
    /// Maps what has been written to the queries of all heads.
    pub query: Linear,
    /// Maps the encoder's vectors to the keys of all heads.
    pub key: Linear,
    /// Maps the encoder's vectors to the values of all heads.
    pub value: Linear,
    /// Maps the joined heads to the result.
    pub projection: Linear,
    /// Applied to x plus the result of the heads.
    pub cross_norm: LayerNorm,
    /// Maps width C to several times C, before the ReLU.
    pub wider: Linear,
    /// Maps back to width C.
    pub narrower: Linear,
    /// Applied to x plus the result of `narrower`.
    pub norm: LayerNorm,
    /// The number of heads, which share the columns.
    pub heads: usize,
}

/// Keys and values of the source, each (S, C): the same for all steps.
pub(crate) struct KeysAndValues {
    keys: Array2<f32>,
    values: Array2<f32>,
}

/// The results of a step, each (1, C).
pub(crate) struct DecoderStep {
    /// The vector from which the queries are computed.
    pub written: Array2<f32>,
    /// The input of the next layer.
    pub x: Array2<f32>,
}

impl DecoderLayer {
    /// Computes the keys and values from the encoder's vectors, (S, C).
    pub(crate) fn keys_and_values(&self, source: &ArrayRef2<f32>) -> KeysAndValues {
        KeysAndValues {
            keys: product(source, &self.key),
            values: product(source, &self.value),
        }
    }

    /// Returns the result for `x`, (1, C). Updates the memory's cell, (1, C), and writes the
    /// weights of the heads to `weights`, (H, 1, S). Heads in `off` contribute zeros.
    ///
    /// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.1, with the recurrent
    /// layer in place of the decoder's self-attention.
    pub(crate) fn step(
        &self,
        x: &ArrayRef2<f32>,
        cell: &mut Array2<f32>,
        source: &KeysAndValues,
        off: &[usize],
        weights: ArrayViewMut3<f32>,
    ) -> DecoderStep {
        *cell = self.memory.step(x, cell).cell;
        let written = self.memory_norm.forward(&(cell.mapv(|c| c.max(0.0)) + x));

        let queries = product(&written, &self.query);
        let KeysAndValues { keys, values } = source;
        let joined = attend_heads(&queries, keys, values, (self.heads, off), weights);
        let x = product(&joined, &self.projection) + &written;
        let x = self.cross_norm.forward(&x);

        let wide = product(&x, &self.wider).mapv_into(|wide| wide.max(0.0));
        let x = self.norm.forward(&(product(&wide, &self.narrower) + &x));
        DecoderStep { written, x }
    }
}
