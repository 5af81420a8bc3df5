//! Scaled dot-product attention, one function per step:
//! q, k, v -> scores -> scale -> mask -> softmax -> weights -> context.
//!
//! [`attend()`] does all the steps in one call; [`scores()`], [`mask_scores`], [`softmax()`] and
//! [`context()`] are the steps. A function whose name ends in `_batch` does the same for every
//! sequence of a batch; one whose name ends in `_backward` computes gradients. [`average_so_far`]
//! and [`running_average()`] are attention without queries and keys.

pub(crate) mod attend;
pub(crate) mod batch;
pub(crate) mod context;
pub(crate) mod entropy;
pub(crate) mod mask;
pub(crate) mod running_average;
pub(crate) mod scores;
pub(crate) mod softmax;

pub use attend::{Attention, AttentionGradients, attend, attend_backward, attend_with_scale};
pub use batch::{attend_batch, attend_batch_with_scale, causal_context_batch, context_batch};
pub use context::context;
pub use entropy::entropy;
pub use mask::{additive_mask, causal_mask, mask_scores, renormalise};
pub use running_average::{average_so_far, running_average};
pub use scores::scores;
pub use softmax::{softmax, softmax_backward, softmax_naive};
