//! From text to examples: tokens, batches, windows, and predictions by counting alone.
//!
//! A [`Text`] is a text as tokens, one per character, with its [`Vocabulary`]. [`get_batch`] takes
//! sequences from random positions in it, [`sliding_windows()`] at regular intervals.
//! [`unigram_loss`] and [`bigram_loss`] are the losses of models that only count.

pub(crate) mod corpus;
pub(crate) mod counts;
pub(crate) mod sliding_windows;
pub(crate) mod tokens;

pub use corpus::{Batch, Text, get_batch};
pub use counts::{bigram_loss, unigram_loss};
pub use sliding_windows::sliding_windows;
pub use tokens::Vocabulary;
