//! Everything a lesson needs, in one line: `use attention::prelude::*;`.
//!
//! It exports the functions of this crate that lessons and exercises call, the types they return,
//! and what lessons use from other crates: `array!`, `s!`, `Axis` and `Array1` to `Array4` from
//! [`ndarray`], the random number generators of NumPy and PyTorch, and functions for a cell's
//! output and interrupts.

pub use crate::dot_product::{
    Attention, AttentionGradients, additive_mask, attend, attend_backward, attend_batch,
    attend_batch_with_scale, attend_with_scale, average_so_far, causal_mask, context,
    context_batch, entropy, mask_scores, renormalise, running_average, scores, softmax,
    softmax_backward, softmax_naive,
};
pub use crate::figures::{
    Bars, Graph, Grid, Heatmap, Kind, Lines, ModelView, NeuronView, Steps, WordWeights,
    attend_steps, bars, cross_view, fast_memory, graph, grid, heatmap, join_pieces, lines,
    model_view, neuron_view,
};
pub use crate::flash::{
    FlashAttention, FlashGradients, FlashStep, flash_attention, flash_attention_backward,
    flash_attention_with_tiles, flash_bytes, flash_tiles, naive_bytes, online_softmax,
};
pub use crate::language_model::{Config, LanguageModel, Mixing, Training, cross_entropy};
pub use crate::layers::{
    CausalAttention, LayerNorm, Linear, MultiHeadAttention, MultiHeadWrapper, SelfAttentionV1,
    SelfAttentionV2,
};
pub use crate::live::{LivePicture, choice, controls, player, slider, text_field, toggle};
pub use crate::measure::{
    Timing, growth, memory_by_length, peak_memory, time_by_length, time_runs,
};
pub use crate::minilm::{Encoded, MiniLm, minilm, minilm_from};
pub use crate::numerics::{largest_difference, torch_sum, variance};
pub use crate::show::{Attends, Show, Shown, attends, corners, show, show_decimals};
pub use crate::text::{
    Batch, Text, Vocabulary, bigram_loss, get_batch, sliding_windows, unigram_loss,
};
pub use crate::translator::{Experiment, Translation, Translator, translator, translator_from};
pub use crate::writer::{
    BytePairs, Draft, NextToken, Reading, Writer, rms_norm, rotary, writer, writer_from,
};
pub use ndarray::{Array1, Array2, Array3, Array4, Axis, array, s};
pub use notebook::{Progress, allow_printed_outputs, clear_output, interrupted};
pub use torch_random::{numpy, torch};
