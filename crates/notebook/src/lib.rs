#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod convention;
pub mod evaluator;
pub mod live;

mod interrupt;
mod output;
mod progress;
mod speed;

pub use interrupt::interrupted;
pub use output::{allow_printed_outputs, clear_output, emit, emit_named, is_live};
pub use progress::{Progress, ProgressOver};
