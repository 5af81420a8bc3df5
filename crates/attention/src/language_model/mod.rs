//! Language models, from the bigram to a small transformer.
//!
//! A [`LanguageModel`] predicts the next token; its [`Config`] sets its size and what it predicts
//! from ([`Mixing`]: the last token alone, averages, or attention). [`Training`] trains it with
//! AdamW on the gradient of [`cross_entropy`], and can be saved and resumed exactly.

pub(crate) mod adamw;
mod block;
mod buffers;
pub(crate) mod checkpoint;
pub(crate) mod config;
mod evaluate;
mod generate;
pub(crate) mod kernels;
pub(crate) mod model;
mod named_parameters;
mod parameters;
mod pass;
mod run;
pub(crate) mod training;

pub use config::{Config, Mixing};
pub use kernels::cross_entropy::cross_entropy;
pub use model::LanguageModel;
pub use training::Training;
