//! Checks that the parts of a model match, because its fields can be changed.

use super::embedding::Embedding;
use crate::layers::encoder_layer::EncoderLayer;
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::numerics::shape::{same_shape, shape_text};

/// Panics unless there is a layer, and all layers have the width of the embedding and the same
/// number of heads, which divides the width.
#[track_caller]
pub(super) fn check_layers(function: &str, embedding: &Embedding, layers: &[EncoderLayer]) {
    embedding.check(function);
    let Some(first) = layers.first() else {
        panic!("{function}: the model has no layers: load it again with `minilm()`")
    };
    let width = embedding.first_text.len();
    for (index, layer) in layers.iter().enumerate() {
        let heads = layer.heads;
        assert!(
            heads > 0 && width > 0 && width.is_multiple_of(heads),
            "{function}: layer {index} has {heads} heads, but {width} columns cannot be shared among \
             {heads}"
        );
        assert!(
            heads == first.heads,
            "{function}: layer {index} has {heads} heads, but layer 0 has {}: all layers need the same number",
            first.heads
        );
        layer.check(function, index, width);
    }
}

impl Embedding {
    /// Panics unless all vectors have the same width.
    #[track_caller]
    pub(super) fn check(&self, function: &str) {
        let width = self.pieces.ncols();
        assert!(
            self.places.ncols() == width,
            "{function}: places is {} but pieces is {}: the last dimensions must agree",
            shape_text(self.places.shape()),
            shape_text(self.pieces.shape())
        );
        for (name, shape) in [
            ("first_text", self.first_text.shape()),
            ("norm.weight", self.norm.weight.shape()),
            ("norm.bias", self.norm.bias.shape()),
        ] {
            same_shape(
                function,
                (name, shape),
                ("pieces without its first axis", &[width]),
            );
        }
    }
}

impl EncoderLayer {
    /// Panics unless the layer takes rows of `width` numbers.
    #[track_caller]
    fn check(&self, function: &str, index: usize, width: usize) {
        let between = self.wider.weight.nrows();
        let expected = format!("what fits a model of width {width}");
        let same = |part: &str, shape: &[usize], wanted: &[usize]| {
            let name = format!("layers[{index}].{part}");
            same_shape(function, (&name, shape), (&expected, wanted));
        };
        let linear = |part: &str, Linear { weight, bias }: &Linear, shape: [usize; 2]| {
            same(&format!("{part}.weight"), weight.shape(), &shape);
            if let Some(bias) = bias {
                same(&format!("{part}.bias"), bias.shape(), &shape[..1]);
            }
        };
        let norm = |part: &str, LayerNorm { weight, bias, .. }: &LayerNorm| {
            same(&format!("{part}.weight"), weight.shape(), &[width]);
            same(&format!("{part}.bias"), bias.shape(), &[width]);
        };
        linear("query", &self.query, [width, width]);
        linear("key", &self.key, [width, width]);
        linear("value", &self.value, [width, width]);
        linear("projection", &self.projection, [width, width]);
        norm("attention_norm", &self.attention_norm);
        linear("wider", &self.wider, [between, width]);
        linear("narrower", &self.narrower, [width, between]);
        norm("norm", &self.norm);
    }
}
