//! Attention itself, one function per step:
//! q, k, v -> scores -> scale -> mask -> softmax -> weights -> context.

pub(crate) mod attend;
pub(crate) mod batch;
pub(crate) mod context;
pub(crate) mod entropy;
pub(crate) mod mask;
pub(crate) mod running_average;
pub(crate) mod scores;
pub(crate) mod softmax;
