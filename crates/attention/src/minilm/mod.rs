//! A trained model: all-MiniLM-L6-v2, a BERT encoder of 6 layers with 12 heads each.
//!
//! A sentence passes through text -> [`word_piece`] -> tokens -> [`encoder`] -> the weights of every
//! head, the hidden states, and one vector for the whole sentence. [`fetch`] downloads the files,
//! [`files`] verifies them, and [`tensors`] reads them.

pub(crate) mod encoded;
pub(crate) mod encoder;
mod fetch;
mod files;
mod gelu;
mod head;
pub(crate) mod model;
mod shapes;
mod tensors;
pub(crate) mod word_piece;
