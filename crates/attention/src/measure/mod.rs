//! How long something takes, how much memory it needs, and which functions were called.

pub(crate) mod by_length;
pub(crate) mod peak_memory;
pub(crate) mod step;
pub(crate) mod timing;
