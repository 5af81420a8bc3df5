//! Language models, from the bigram to a small transformer.

mod adamw;
mod attend;
mod average;
mod block;
mod checkpoint;
mod config;
mod cross_entropy;
mod embedding;
mod evaluate;
mod generate;
mod linear;
mod memory;
mod model;
mod named_parameters;
mod norm;
mod parameters;
mod pass;
mod training;

pub use config::{Config, Mixing};
pub use cross_entropy::cross_entropy;
pub use model::LanguageModel;
pub use training::Training;
