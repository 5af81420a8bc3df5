//! The working memory of a block, allocated once.

use super::config::{Config, Mixing};
use super::kernels::norm::Moments;

/// The intermediate results of a block, for R = N T rows. A model without blocks uses only `x`,
/// plus `kqv` and `weights` if it attends.
#[derive(Clone, Debug)]
pub(super) struct BlockState {
    /// (R, C): the input.
    pub x: Vec<f32>,
    pub moments_1: Vec<Moments>,
    /// (R, C): after the first norm.
    pub normed_1: Vec<f32>,
    /// (R, 3 C): keys, queries and values side by side.
    pub kqv: Vec<f32>,
    /// (N, H, T, T)
    pub weights: Vec<f32>,
    /// (R, C): the contexts of all heads, if there are several to join.
    pub context: Vec<f32>,
    /// (R, C): after attention and its residual connection.
    pub middle: Vec<f32>,
    pub moments_2: Vec<Moments>,
    /// (R, C): after the second norm.
    pub normed_2: Vec<f32>,
    /// (R, 4 C): inside the feed-forward layer, after its ReLU.
    pub hidden: Vec<f32>,
}

/// Memory for the gradients of one block at a time.
#[derive(Clone, Debug)]
pub(super) struct BlockGradients {
    /// (R, C): with respect to a block's result, then to its input.
    pub d_x: Vec<f32>,
    pub d_normed: Vec<f32>,
    pub d_kqv: Vec<f32>,
    pub d_hidden: Vec<f32>,
    /// (T, T): for one head and one sequence at a time.
    pub d_scores: Vec<f32>,
}

/// The lengths of the buffers, for one block.
struct Sizes {
    x: usize,
    kqv: usize,
    weights: usize,
    d_scores: usize,
    context: usize,
    block: usize,
    hidden: usize,
    moments: usize,
}

impl Sizes {
    fn of(config: Config, sequences: usize, time: usize) -> Sizes {
        let x = sequences * time * config.width;
        let is_block = usize::from(config.blocks() > 0);
        let attends = usize::from(is_block == 1 || config.mixing == Mixing::Symmetric);
        Sizes {
            x,
            kqv: attends * 3 * x,
            weights: attends * sequences * config.heads() * time * time,
            d_scores: attends * time * time,
            context: if config.heads() > 1 { x } else { 0 },
            block: is_block * x,
            hidden: is_block * 4 * x,
            moments: is_block * sequences * time,
        }
    }
}

impl BlockState {
    pub(super) fn new(config: Config, sequences: usize, time: usize) -> BlockState {
        let sizes = Sizes::of(config, sequences, time);
        BlockState {
            x: vec![0.0; sizes.x],
            moments_1: vec![Moments::default(); sizes.moments],
            normed_1: vec![0.0; sizes.block],
            kqv: vec![0.0; sizes.kqv],
            weights: vec![0.0; sizes.weights],
            context: vec![0.0; sizes.context],
            middle: vec![0.0; sizes.block],
            moments_2: vec![Moments::default(); sizes.moments],
            normed_2: vec![0.0; sizes.block],
            hidden: vec![0.0; sizes.hidden],
        }
    }
}

impl BlockGradients {
    pub(super) fn new(config: Config, sequences: usize, time: usize) -> BlockGradients {
        let sizes = Sizes::of(config, sequences, time);
        BlockGradients {
            d_x: vec![0.0; sizes.x],
            d_normed: vec![0.0; sizes.x],
            d_kqv: vec![0.0; sizes.kqv],
            d_hidden: vec![0.0; sizes.hidden],
            d_scores: vec![0.0; sizes.d_scores],
        }
    }
}
