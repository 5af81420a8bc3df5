//! A model's parameters, layer by layer in PyTorch's order, contiguous in memory.

use super::config::{Config, Mixing};
use crate::numerics::transpose::transpose;
use std::ops::Range;
use torch_random::torch::Generator;

/// A layer with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// Count and width: a table (count, width).
    Embedding(usize, usize),
    /// Inputs and outputs: a weight (outputs, inputs) and a bias (outputs).
    Linear(usize, usize),
    /// Inputs and outputs: a weight (outputs, inputs).
    LinearWithoutBias(usize, usize),
    /// Width: a weight and a bias, both (width).
    Norm(usize),
    /// A linear layer that the original PyTorch model initialises but never uses.
    Unused(usize, usize),
}

/// The layers of a model, in the order in which PyTorch initialises them.
fn layers(config: Config) -> Vec<(String, Layer)> {
    let Config {
        vocabulary,
        context,
        width,
        mixing,
    } = config;
    let mut layers = vec![(
        "token_embedding_table".to_owned(),
        Layer::Embedding(vocabulary, width),
    )];
    let mut push = |name: &str, layer| layers.push((name.to_owned(), layer));
    if config.has_positions() {
        push("position_embedding_table", Layer::Embedding(context, width));
    }
    if mixing == Mixing::Symmetric {
        push("weights", Layer::Unused(width, context));
    }
    for block in 0..config.blocks() {
        let mut push = |name: &str, layer| push(&format!("blocks.{block}.{name}"), layer);
        for name in ["sa.key", "sa.query", "sa.value"] {
            push(name, Layer::LinearWithoutBias(width, width));
        }
        if config.heads() > 1 {
            push("sa.proj", Layer::Linear(width, width));
        }
        push("ffwd.net.0", Layer::Linear(width, 4 * width));
        push("ffwd.net.2", Layer::Linear(4 * width, width));
        push("ln1", Layer::Norm(width));
        push("ln2", Layer::Norm(width));
    }
    let head = if config.blocks() > 0 {
        "lm_head"
    } else {
        "proj"
    };
    push(head, Layer::Linear(width, vocabulary));
    layers
}

/// The names, shapes and offsets of all parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParameterLayout {
    pub parameters: Vec<Parameter>,
    pub tokens: Range<usize>,
    pub positions: Option<Range<usize>>,
    pub blocks: Vec<BlockOffsets>,
    pub head: LayerOffsets,
}

/// Where one parameter is stored, and its PyTorch name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    pub range: Range<usize>,
}

/// Where the weight and the bias of a layer are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerOffsets {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
}

impl LayerOffsets {
    /// The weight and the bias of the layer.
    pub(super) fn of<'a>(&self, parameters: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        (
            &parameters[self.weight.clone()],
            &parameters[self.bias.clone()],
        )
    }

    /// Like [`LayerOffsets::of`], but mutable; the bias directly follows the weight.
    pub(super) fn of_mut<'a>(&self, parameters: &'a mut [f32]) -> (&'a mut [f32], &'a mut [f32]) {
        parameters[self.weight.start..self.bias.end].split_at_mut(self.weight.len())
    }
}

/// Where the parameters of a block are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockOffsets {
    /// Keys, queries and values as one matrix, (3 C, C).
    pub kqv: Range<usize>,
    /// The layer that joins the heads, if there are several.
    pub join: Option<LayerOffsets>,
    /// The layers from C to 4 C numbers, and back.
    pub up: LayerOffsets,
    pub down: LayerOffsets,
    pub norm_1: LayerOffsets,
    pub norm_2: LayerOffsets,
}

impl ParameterLayout {
    pub(super) fn of(config: Config) -> ParameterLayout {
        let parameters = parameters(config);
        let find = |name: &str| {
            let found = parameters.iter().find(|parameter| parameter.name == name);
            found.map(|parameter| parameter.range.clone())
        };
        let weight = |name: &str| find(&format!("{name}.weight")).expect("a layer of this model");
        let offsets = |name: &str| {
            let bias = find(&format!("{name}.bias")).expect("a layer with a bias");
            LayerOffsets {
                weight: weight(name),
                bias,
            }
        };
        let block = |block: usize| {
            let name = |layer: &str| format!("blocks.{block}.{layer}");
            BlockOffsets {
                kqv: weight(&name("sa.key")).start..weight(&name("sa.value")).end,
                join: (config.heads() > 1).then(|| offsets(&name("sa.proj"))),
                up: offsets(&name("ffwd.net.0")),
                down: offsets(&name("ffwd.net.2")),
                norm_1: offsets(&name("ln1")),
                norm_2: offsets(&name("ln2")),
            }
        };
        ParameterLayout {
            tokens: weight("token_embedding_table"),
            positions: find("position_embedding_table.weight"),
            blocks: (0..config.blocks()).map(block).collect(),
            head: offsets(if config.blocks() > 0 {
                "lm_head"
            } else {
                "proj"
            }),
            parameters,
        }
    }
}

impl ParameterLayout {
    /// Fills `transposed` with the parameters, with the weights of linear layers as (in, out).
    pub(super) fn transpose(&self, parameters: &[f32], transposed: &mut Vec<f32>) {
        transposed.clear();
        transposed.extend_from_slice(parameters);
        let width = |layer: &LayerOffsets| layer.weight.len() / layer.bias.len();
        let mut transpose = |range: &Range<usize>, inputs: usize| {
            let (weight, into) = (&parameters[range.clone()], &mut transposed[range.clone()]);
            let outputs = weight.len() / inputs;
            transpose(weight, inputs, (outputs, inputs), into, outputs);
        };
        for block in &self.blocks {
            transpose(&block.kqv, block.norm_1.weight.len());
            for layer in [&block.up, &block.down].into_iter().chain(&block.join) {
                transpose(&layer.weight, width(layer));
            }
        }
        transpose(&self.head.weight, width(&self.head));
    }
}

fn parameters(config: Config) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (layer, kind) in layers(config) {
        let (weight, bias) = match kind {
            Layer::Embedding(count, width) => (vec![count, width], None),
            Layer::LinearWithoutBias(inputs, outputs) => (vec![outputs, inputs], None),
            Layer::Linear(inputs, outputs) => (vec![outputs, inputs], Some(vec![outputs])),
            Layer::Norm(width) => (vec![width], Some(vec![width])),
            Layer::Unused(..) => continue,
        };
        for (name, shape) in [("weight", Some(weight)), ("bias", bias)] {
            let Some(shape) = shape else { continue };
            let start = parameters.last().map_or(0, |last| last.range.end);
            let range = start..start + shape.iter().product::<usize>();
            parameters.push(Parameter {
                name: format!("{layer}.{name}"),
                shape,
                range,
            });
        }
    }
    parameters
}

/// The parameters that PyTorch would give a new model.
pub(super) fn initial(config: Config, rng: &mut Generator) -> Vec<f32> {
    let mut values = Vec::new();
    for (_, layer) in layers(config) {
        match layer {
            Layer::Embedding(count, width) => values.extend(rng.embedding(count, width)),
            Layer::Linear(inputs, outputs) => {
                let (weight, bias) = rng.linear(inputs, outputs, true);
                values.extend(weight);
                values.extend(bias.into_iter().flatten());
            }
            Layer::LinearWithoutBias(inputs, outputs) => {
                values.extend(rng.linear(inputs, outputs, false).0);
            }
            Layer::Norm(width) => {
                values.extend(std::iter::repeat_n(1.0, width));
                values.extend(std::iter::repeat_n(0.0, width));
            }
            Layer::Unused(inputs, outputs) => {
                rng.linear(inputs, outputs, true);
            }
        }
    }
    values
}
