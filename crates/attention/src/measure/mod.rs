//! How long something takes, and how much memory.

pub(crate) mod peak_memory;
pub(crate) mod timing;
