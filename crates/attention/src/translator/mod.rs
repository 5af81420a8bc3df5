//! A trained model that translates from English to Portuguese, with an encoder and a decoder.
//!
//! [`translator()`] downloads its files once and reads them; [`translator_from`] reads them from a
//! folder. A [`Translator`] turns a text into a [`Translation`]: the tokens of both languages, from
//! [`SentencePiece`], and what each head looked at. In an [`Experiment`], parts of the model
//! are switched off.
//!
//! The modules in the order in which a text passes through them: `normaliser`, `sentence_piece`,
//! `shared_embedding`, `encoder`, `ssru`, `decoder`, `greedy`.

pub(crate) mod decoder;
mod encoder;
pub(crate) mod experiment;
mod files;
mod greedy;
mod marian;
pub(crate) mod model;
mod normaliser;
mod protobuf;
pub(crate) mod sentence_piece;
mod shared_embedding;
pub(crate) mod ssru;
pub(crate) mod translation;

pub use decoder::DecoderLayer;
pub use experiment::Experiment;
pub use model::{Translator, translator, translator_from};
pub use sentence_piece::SentencePiece;
pub use ssru::{Ssru, SsruStep};
pub use translation::Translation;
