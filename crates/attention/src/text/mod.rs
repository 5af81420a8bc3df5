//! From text to examples: tokens, batches, windows, and predictions by counting alone.

pub(crate) mod corpus;
pub(crate) mod counts;
pub(crate) mod sliding_windows;
pub(crate) mod tokens;
