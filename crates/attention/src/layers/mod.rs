//! Layers with trainable weights, from one product to many heads.

pub(crate) mod causal_attention;
pub(crate) mod heads;
pub(crate) mod layer_norm;
pub(crate) mod linear;
pub(crate) mod multi_head_attention;
pub(crate) mod self_attention;
