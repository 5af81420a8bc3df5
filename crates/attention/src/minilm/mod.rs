//! A trained model: all-MiniLM-L6-v2, a BERT encoder of 6 layers with 12 heads each.
//!
//! [`minilm()`] downloads its files once and reads them; [`minilm_from`] reads them from a folder.
//! A [`MiniLm`] turns a sentence into an [`Encoded`]: its tokens, as split by [`WordPiece`], the
//! weights of every head, the hidden states, and one vector for the whole sentence.

pub(crate) mod embedding;
pub(crate) mod encoded;
mod files;
pub(crate) mod model;
mod shapes;
mod tensors;
pub(crate) mod word_piece;

pub use embedding::Embedding;
pub use encoded::Encoded;
pub use model::{MiniLm, minilm, minilm_from};
pub use word_piece::WordPiece;
