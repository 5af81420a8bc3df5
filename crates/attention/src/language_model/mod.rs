//! Language models, from the bigram to a small transformer.
//!
//! A [`LanguageModel`] predicts the next token; its [`Config`] says from what ([`Mixing`]: the last
//! token alone, averages, or attention) and how large it is. [`Training`] improves it with AdamW,
//! by the gradient of [`cross_entropy`], and saves and resumes exactly.

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
