//! The arithmetic of a model, forward and backward, in preallocated memory.

pub(crate) mod attend;
pub(crate) mod cross_entropy;
pub(crate) mod embedding;
pub(crate) mod linear_into;
pub(crate) mod mean;
pub(crate) mod norm;
pub(crate) mod relu;
