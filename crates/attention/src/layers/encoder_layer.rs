//! A layer of an encoder: maps token vectors to token vectors.

use crate::layers::attend_heads::attend_heads;
use crate::layers::gelu::gelu;
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::layers::parallel_linear::product;
use ndarray::{Array2, ArrayRef2, ArrayViewMut3};

/// The function between the two layers of a feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x Φ(x)`, where Φ is the cumulative normal distribution. PyTorch: `F.gelu`
    Gelu,
    /// `max(x, 0)`. PyTorch: `F.relu`
    Relu,
}

impl Activation {
    /// Applies the function to every number.
    fn of(self, x: Array2<f32>) -> Array2<f32> {
        match self {
            Activation::Gelu => gelu(x),
            Activation::Relu => x.mapv_into(|x| x.max(0.0)),
        }
    }
}

/// One layer: every token looks at all tokens, then each is processed on its own. Each time, the
/// result is added to the input, and the sum is normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderLayer {
    /// Maps x to the queries of all heads.
    pub query: Linear,
    /// Maps x to the keys of all heads.
    pub key: Linear,
    /// Maps x to the values of all heads.
    pub value: Linear,
    /// Maps the joined heads to the result.
    pub projection: Linear,
    /// Applied to x plus the result of the projection.
    pub attention_norm: LayerNorm,
    /// Maps width C to several times C.
    pub wider: Linear,
    /// Applied between `wider` and `narrower`.
    pub activation: Activation,
    /// Maps back to width C.
    pub narrower: Linear,
    /// Applied to x plus the result of `narrower`.
    pub norm: LayerNorm,
    /// The number of heads, which share the columns.
    pub heads: usize,
}

/// The results of a layer.
pub(crate) struct LayerResult {
    /// The input of the next layer, (T, C).
    pub x: Array2<f32>,
    /// All heads side by side, (T, C).
    pub queries: Array2<f32>,
    /// All heads side by side, (T, C).
    pub keys: Array2<f32>,
}

impl EncoderLayer {
    /// Returns the result for `x`, (T, C), and writes the weights of the heads to `weights`,
    /// (H, T, T). Heads in `off` contribute zeros.
    ///
    /// Source: Devlin et al. 2019, "BERT", section 3; Vaswani et al. 2017, "Attention Is All You
    /// Need", sections 3.1 to 3.3.
    pub(crate) fn run(
        &self,
        x: &ArrayRef2<f32>,
        off: &[usize],
        weights: ArrayViewMut3<f32>,
    ) -> LayerResult {
        let queries = product(x, &self.query);
        let keys = product(x, &self.key);
        let values = product(x, &self.value);
        let heads = (self.heads, off);
        let joined = attend_heads(&queries, &keys, &values, heads, weights);
        let x = self
            .attention_norm
            .forward(&(product(&joined, &self.projection) + x));
        let wide = self.activation.of(product(&x, &self.wider));
        let x = self.norm.forward(&(product(&wide, &self.narrower) + &x));
        LayerResult { x, queries, keys }
    }
}
