#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod convention;

mod interrupt;
mod output;
mod progress;

pub use interrupt::interrupted;
pub use output::{clear_output, emit, emit_named, is_live};
pub use progress::Progress;
