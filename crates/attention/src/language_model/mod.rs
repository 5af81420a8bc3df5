//! Language models, from the bigram to a small transformer.

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
