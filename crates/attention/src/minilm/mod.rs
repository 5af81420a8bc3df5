//! A trained model: all-MiniLM-L6-v2, a BERT encoder of 6 layers with 12 heads each.
//!
//! The way of a sentence: text -> [`word_piece`] -> tokens -> [`encoder`] -> weights of every
//! head, hidden states, and one vector for the whole sentence. The files come by [`fetch`], are
//! known by [`files`], and read by [`tensors`].

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
