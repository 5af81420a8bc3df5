//! Layers with trainable weights, from one product to many heads.
//!
//! Each starts with PyTorch's initial weights, and has a `forward`: [`Linear`] and [`LayerNorm`];
//! one head, with plain matrices ([`SelfAttentionV1`]) or with linear layers ([`SelfAttentionV2`]);
//! a head that does not see the future ([`CausalAttention`]); and many heads, one after the other
//! ([`MultiHeadWrapper`]) or in one product ([`MultiHeadAttention`]). [`Linear`], [`LayerNorm`] and
//! [`MultiHeadAttention`] also have a `backward`. The layers of trained models ([`EncoderLayer`])
//! come with their own weights and are not trained further.

pub(crate) mod attend_heads;
pub(crate) mod causal_attention;
pub(crate) mod check_head;
pub(crate) mod encoder_layer;
mod gelu;
pub(crate) mod heads;
pub(crate) mod layer_norm;
pub(crate) mod linear;
pub(crate) mod multi_head_attention;
pub(crate) mod parallel_linear;
pub(crate) mod self_attention;

pub use causal_attention::{CausalAttention, MultiHeadWrapper};
pub use encoder_layer::{Activation, EncoderLayer};
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use multi_head_attention::MultiHeadAttention;
pub use self_attention::{SelfAttentionV1, SelfAttentionV2};
