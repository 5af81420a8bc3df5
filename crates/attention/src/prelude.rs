//! Everything a notebook needs, in one line: `use attention::prelude::*;`.
//!
//! All functions of this crate, and the names from [`ndarray`] that lessons use: `array!`, `s!`,
//! `Array1`, `Array2`, `Axis`.

pub use crate::{
    Attends, Attention, AttentionGradients, Bars, Batch, CausalAttention, Config, Encoded,
    FlashAttention, FlashGradients, FlashStep, Graph, Grid, Heatmap, Kind, LanguageModel,
    LayerNorm, Linear, Lines, LivePicture, MiniLm, Mixing, ModelView, MultiHeadAttention,
    MultiHeadWrapper, NeuronView, Progress, SelfAttentionV1, SelfAttentionV2, Show, Shown, Steps,
    Text, Timing, Training, Vocabulary, additive_mask, allow_printed_outputs, attend,
    attend_backward, attend_batch, attend_batch_with_scale, attend_steps, attend_with_scale,
    attends, average_so_far, bars, bigram_loss, causal_mask, choice, clear_output, context,
    context_batch, controls, corners, cross_entropy, entropy, flash_attention,
    flash_attention_backward, flash_attention_with_tiles, flash_bytes, flash_tiles, get_batch,
    graph, grid, growth, heatmap, interrupted, largest_difference, lines, mask_scores,
    memory_by_length, minilm, minilm_from, model_view, naive_bytes, neuron_view, online_softmax,
    peak_memory, player, renormalise, running_average, scores, show, show_decimals, slider,
    sliding_windows, softmax, softmax_backward, softmax_naive, sum, text, time, time_by_length,
    toggle, unigram_loss, variance,
};
pub use ndarray::{Array1, Array2, Array3, Array4, Axis, array, s};
pub use torch_random::{numpy, torch};
