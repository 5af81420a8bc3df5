#![doc = include_str!("../README.md")]

mod allocation;
mod batch;
mod memory;
mod rows;
mod shape;
mod timer;

pub mod rng;

// From text to examples.
mod counts;
mod sliding_windows;
mod text;
mod tokens;

// The way of the data: q, k, v -> scores -> scale -> mask -> softmax -> weights -> context.
mod attention;
mod average;
mod entropy;
mod mask;
mod softmax;
mod sum;
mod variance;
mod who_attends;

// Layers with trainable weights, from one head to many.
mod causal_attention;
mod layer_norm;
mod linear;
mod multi_head;
mod self_attention;

// Layers to a model that learns.
mod flash;
mod language_model;
mod matmul;
mod simd;

// From any matrix on that way to something to look at.
mod bars;
mod digits;
mod drawing;
mod equals;
mod error;
mod figure;
mod glyphs;
mod graph;
mod grid;
mod heatmap;
mod hover;
mod labels;
mod lines;
mod painting;
mod parameters;
mod pixels;
mod raster;
mod saving;
mod show;
mod steps;
mod table;

pub use attention::{
    Attention, AttentionGradients, attend, attend_backward, attend_with_scale, context, scores,
};
pub use average::{average_so_far, running_average};
pub use bars::{Bars, bars};
pub use batch::{attend_batch, causal_context_batch, context_batch};
pub use causal_attention::{CausalAttention, MultiHeadWrapper};
pub use counts::{bigram_loss, unigram_loss};
pub use entropy::entropy;
pub use equals::{equals, equals_within};
pub use error::Error;
pub use flash::{
    FlashAttention, FlashGradients, FlashStep, flash_attention, flash_attention_backward,
    flash_attention_backward_with_tiles, flash_attention_with_tiles, flash_bytes, flash_tiles,
    naive_bytes, online_softmax,
};
pub use graph::{Graph, graph};
pub use grid::{Grid, grid};
pub use heatmap::{Heatmap, heatmap};
pub use language_model::{Config, LanguageModel, Mixing, Training, cross_entropy};
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use lines::{Lines, lines};
pub use mask::{additive_mask, causal_mask, mask_scores, renormalise};
pub use memory::peak_memory;
pub use multi_head::MultiHeadAttention;
pub use notebook::{Progress, clear_output, interrupted};
pub use rows::{Real, Rows};
pub use self_attention::{SelfAttentionV1, SelfAttentionV2};
pub use show::{Show, Shown, corners, show, show_decimals};
pub use sliding_windows::sliding_windows;
pub use softmax::{softmax, softmax_backward, softmax_naive};
pub use steps::{Steps, attend_steps};
pub use sum::sum;
pub use text::{Batch, Text, get_batch};
pub use timer::{Timing, time};
pub use tokens::Vocabulary;
pub use variance::variance;
pub use who_attends::{Attends, attends};

pub use ndarray;
pub use ndarray_rand;

// Nothing of it is called here: it is there for cells.
extern crate cell_instances as _;

/// What a notebook needs, in one line: `use attention::prelude::*;`.
///
/// All functions of this crate, and from [`ndarray`] the names that a lesson
/// writes: `array!`, `s!`, `Array1`, `Array2`, `Axis`.
pub mod prelude {
    pub use crate::rng::{numpy, torch};
    pub use crate::{
        Attends, Attention, AttentionGradients, Bars, Batch, CausalAttention, Config,
        FlashAttention, FlashGradients, FlashStep, Graph, Grid, Heatmap, LanguageModel, LayerNorm,
        Linear, Lines, Mixing, MultiHeadAttention, MultiHeadWrapper, Progress, SelfAttentionV1,
        SelfAttentionV2, Show, Shown, Steps, Text, Timing, Training, Vocabulary, additive_mask,
        attend, attend_backward, attend_batch, attend_steps, attend_with_scale, attends,
        average_so_far, bars, bigram_loss, causal_context_batch, causal_mask, clear_output,
        context, context_batch, corners, cross_entropy, entropy, equals, equals_within,
        flash_attention, flash_attention_backward, flash_attention_backward_with_tiles,
        flash_attention_with_tiles, flash_bytes, flash_tiles, get_batch, graph, grid, heatmap,
        interrupted, lines, mask_scores, naive_bytes, online_softmax, peak_memory, renormalise,
        running_average, scores, show, show_decimals, sliding_windows, softmax, softmax_backward,
        softmax_naive, sum, time, unigram_loss, variance,
    };
    pub use ndarray::{Array1, Array2, Array3, Axis, array, s};
}
