//! Exercises of the lesson that reads matrices of weights.

pub(crate) mod cross_attention;
pub(crate) mod favourite;
pub(crate) mod popularity;
pub(crate) mod predictions;
pub(crate) mod renormalised;
