//! Measures how long code takes and how much memory it needs, and records which functions were
//! called.
//!
//! [`time_runs`] and [`peak_memory()`] measure one call; [`time_by_length`] and [`memory_by_length`]
//! measure calls with more and more tokens, and [`growth`] computes how fast the results grow.

pub(crate) mod by_length;
pub(crate) mod peak_memory;
pub(crate) mod step;
pub(crate) mod timing;

pub use by_length::{growth, memory_by_length, time_by_length};
pub use peak_memory::peak_memory;
pub use timing::{Timing, time_runs};

// Lets the exercises recognise the crate's own functions. Internal to this project; it may change
// at any time.
#[doc(hidden)]
pub use step::Step;
