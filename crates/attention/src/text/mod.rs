//! From text to examples: tokens, batches, windows, and predictions by counting alone.
//!
//! A [`Text`] holds a text as tokens, one per character, and its [`Vocabulary`]. [`get_batch`]
//! takes sequences from random positions, and [`sliding_windows()`] takes them at regular
//! intervals. [`unigram_loss`] and [`bigram_loss`] are the losses of models that only count.

pub(crate) mod corpus;
pub(crate) mod counts;
pub(crate) mod sliding_windows;
pub(crate) mod tokens;

pub use corpus::{Batch, Text, get_batch};
pub use counts::{bigram_loss, unigram_loss};
pub use sliding_windows::sliding_windows;
pub use tokens::Vocabulary;
