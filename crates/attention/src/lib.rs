#![doc = include_str!("../README.md")]

// In the order the data flows. From text to examples:
mod text;

// q, k, v -> scores -> scale -> mask -> softmax -> weights -> context:
mod attention;

// the same in tiles, without ever storing a matrix of weights;
mod flash;

// layers with trainable weights;
mod layers;

// a model built from these layers that learns,
mod language_model;

// and one that is already trained.
mod minilm;

// Ways to look at any of these values: text, tables and pictures.
mod figures;
mod show;

// A picture that changes as the learner moves a slider.
mod live;

// Generic functions compiled in advance for cells.
mod instances;

// Used by all of the above.
mod atomic_file;
mod error;
mod markup;
mod measure;
mod numerics;

pub mod prelude;

pub use attention::attend::{
    Attention, AttentionGradients, attend, attend_backward, attend_with_scale,
};
pub use attention::batch::{
    attend_batch, attend_batch_with_scale, causal_context_batch, context_batch,
};
pub use attention::context::context;
pub use attention::entropy::entropy;
pub use attention::mask::{additive_mask, causal_mask, mask_scores, renormalise};
pub use attention::running_average::{average_so_far, running_average};
pub use attention::scores::scores;
pub use attention::softmax::{softmax, softmax_backward, softmax_naive};
pub use error::Error;
pub use figures::bars::{Bars, bars};
pub use figures::graph::{Graph, graph};
pub use figures::grid::{Grid, grid};
pub use figures::heatmap::input::{HeatmapShape, HeatmapValue};
pub use figures::heatmap::{Heatmap, heatmap};
pub use figures::kind::Kind;
pub use figures::lines::{Lines, lines};
pub use figures::model_view::{ModelView, model_view};
pub use figures::neuron_view::{NeuronView, neuron_view};
pub use figures::steps::{Steps, attend_steps};
pub use flash::{
    FlashAttention, FlashGradients, FlashStep, flash_attention, flash_attention_backward,
    flash_attention_backward_with_tiles, flash_attention_with_tiles, flash_bytes, flash_tiles,
    naive_bytes, online_softmax,
};
pub use language_model::config::{Config, Mixing};
pub use language_model::kernels::cross_entropy::cross_entropy;
pub use language_model::model::LanguageModel;
pub use language_model::training::Training;
pub use layers::causal_attention::{CausalAttention, MultiHeadWrapper};
pub use layers::layer_norm::LayerNorm;
pub use layers::linear::Linear;
pub use layers::multi_head_attention::MultiHeadAttention;
pub use layers::self_attention::{SelfAttentionV1, SelfAttentionV2};
pub use live::controls::{Append, Controls, controls};
pub use live::moving::LivePicture;
pub use live::number::SliderNumber;
pub use live::one_control::{choice, player, slider, text, toggle};
pub use live::picture::Picture;
pub use measure::by_length::{growth, memory_by_length, time_by_length};
pub use measure::peak_memory::peak_memory;
pub use measure::timing::{Timing, time};
pub use minilm::encoded::Encoded;
pub use minilm::encoder::{Embedding, EncoderLayer};
pub use minilm::model::{MiniLm, minilm, minilm_from};
pub use minilm::word_piece::WordPiece;
pub use notebook::{Progress, allow_printed_outputs, clear_output, interrupted};
pub use numerics::difference::largest_difference;
pub use numerics::real::{Real, Rows};
pub use numerics::sum::sum;
pub use numerics::variance::variance;
pub use show::attends::{Attends, attends};
pub use show::numpy_page::{NumpyPage, numpy_page};
pub use show::originals::{Originals, originals};
pub use show::shown::{Show, Shown, corners, show, show_decimals};
pub use text::corpus::{Batch, Text, get_batch};
pub use text::counts::{bigram_loss, unigram_loss};
pub use text::sliding_windows::sliding_windows;
pub use text::tokens::Vocabulary;

pub use ndarray;
pub use ndarray_rand;
pub use torch_random as rng;

// Used by the lessons' drawings, so that figures and drawings produce SVG the same way. Internal to
// this project; it may change at any time.
#[doc(hidden)]
pub use figures::scene;

// Lets the exercises recognise the crate's own functions. Also internal to this project.
#[doc(hidden)]
pub use measure::step::Step;

// Linked only so that cells can use its instances.
extern crate cell_instances as _;
