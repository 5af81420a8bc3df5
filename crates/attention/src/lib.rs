#![doc = include_str!("../README.md")]
//!
//! [`BytePairs`]: writer::BytePairs
//! [`CausalAttention`]: layers::CausalAttention
//! [`Experiment`]: translator::Experiment
//! [`Heatmap::evcxr_display`]: figures::Heatmap::evcxr_display
//! [`Heatmap::svg`]: figures::Heatmap::svg
//! [`Heatmap::text`]: figures::Heatmap::text
//! [`LanguageModel`]: language_model::LanguageModel
//! [`Linear::backward`]: layers::Linear::backward
//! [`Linear`]: layers::Linear
//! [`MiniLm::encode_without`]: minilm::MiniLm::encode_without
//! [`MiniLm::encode`]: minilm::MiniLm::encode
//! [`Mixing`]: language_model::Mixing
//! [`MultiHeadAttention::backward`]: layers::MultiHeadAttention::backward
//! [`MultiHeadAttention`]: layers::MultiHeadAttention
//! [`MultiHeadWrapper`]: layers::MultiHeadWrapper
//! [`NextToken`]: writer::NextToken
//! [`Progress`]: notebook::Progress
//! [`SelfAttentionV1`]: layers::SelfAttentionV1
//! [`SelfAttentionV2`]: layers::SelfAttentionV2
//! [`SentencePiece`]: translator::SentencePiece
//! [`Show`]: show::Show
//! [`Text`]: text::Text
//! [`Training`]: language_model::Training
//! [`Translation`]: translator::Translation
//! [`Translator::translate`]: translator::Translator::translate
//! [`WordPiece`]: minilm::WordPiece
//! [`Writer::draft`]: writer::Writer::draft
//! [`Writer::looking`]: writer::Writer::looking
//! [`Writer::read`]: writer::Writer::read
//! [`Writer::with_positions`]: writer::Writer::with_positions
//! [`Writer::without_heads`]: writer::Writer::without_heads
//! [`allow_printed_outputs`]: notebook::allow_printed_outputs
//! [`attend_backward`]: dot_product::attend_backward
//! [`attend_steps()`]: figures::attend_steps
//! [`attend`]: dot_product::attend()
//! [`bars()`]: figures::bars()
//! [`choice`]: live::choice
//! [`clear_output`]: notebook::clear_output
//! [`controls()`]: live::controls()
//! [`cross_view()`]: figures::cross_view()
//! [`fast_memory()`]: figures::fast_memory()
//! [`flash_attention()`]: flash::flash_attention
//! [`flash_attention_backward`]: flash::flash_attention_backward
//! [`flash_bytes`]: flash::flash_bytes
//! [`flash_tiles`]: flash::flash_tiles
//! [`get_batch`]: text::get_batch
//! [`graph()`]: figures::graph()
//! [`grid()`]: figures::grid()
//! [`heatmap()`]: figures::heatmap()
//! [`interrupted`]: notebook::interrupted
//! [`join_pieces()`]: figures::join_pieces()
//! [`lines()`]: figures::lines()
//! [`minilm()`]: minilm::minilm
//! [`model_view()`]: figures::model_view()
//! [`naive_bytes`]: flash::naive_bytes
//! [`neuron_view()`]: figures::neuron_view()
//! [`online_softmax`]: flash::online_softmax
//! [`peak_memory`]: measure::peak_memory()
//! [`player`]: live::player
//! [`show()`]: show::show()
//! [`slider`]: live::slider
//! [`softmax_backward`]: dot_product::softmax_backward
//! [`text_field`]: live::text_field
//! [`time_runs`]: measure::time_runs
//! [`toggle`]: live::toggle
//! [`translator()`]: translator::translator()
//! [`writer()`]: writer::writer()

// The modules, in the order in which data flows through them. From text to training examples:
pub mod text;

// q, k, v -> scores -> scale -> mask -> softmax -> weights -> context:
pub mod dot_product;

// The same computation in tiles, without ever storing a matrix of weights.
pub mod flash;

// Layers with trainable weights.
pub mod layers;

// Language models for lessons to train.
pub mod language_model;

// Three trained models: one that reads, one that translates, and one that writes.
pub mod minilm;
pub mod translator;
pub mod writer;

// Ways to look at any of these values: pictures, text and tables.
pub mod figures;
pub mod show;

// Pictures that the learner changes with sliders and other controls.
pub mod live;

// Used by all of the above.
mod error;
mod markup;
pub mod measure;
mod model_files;
pub mod numerics;

// Generic functions compiled in advance for cells.
mod instances;

pub mod prelude;

pub use error::{Error, SystemError};

pub use ndarray;
pub use ndarray_rand;
pub use notebook;
pub use torch_random as rng;

// Linked only so that cells can use the instances of generic functions that it contains.
extern crate cell_instances as _;
