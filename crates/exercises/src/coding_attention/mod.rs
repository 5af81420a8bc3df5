//! Exercises of the lesson that builds attention from simple arithmetic.

pub(crate) mod bug_causal_weights;
pub(crate) mod causal_mask;
pub(crate) mod context;
pub(crate) mod cosine;
pub(crate) mod dot_product;
pub(crate) mod dropout;
pub(crate) mod join_heads;
pub(crate) mod masked_weights;
pub(crate) mod multi_head;
pub(crate) mod predictions;
pub(crate) mod projections;
pub(crate) mod scaled_weights;
pub(crate) mod scores;
pub(crate) mod softmax;
pub(crate) mod split_heads;
pub(crate) mod weights;
