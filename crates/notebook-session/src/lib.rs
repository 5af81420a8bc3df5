#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest to the highest: each module uses those above it.
mod config;
mod variable;

mod failure;

mod display_format;
mod nesting;

mod first_lines;

mod commands;
mod completeness;
mod own_commands;

mod cell_syntax;
mod expressions;
mod index;
mod literal_shapes;
mod memory;
mod remarks;
mod signature;

mod diagnostic;

mod hints;

mod broken_tools;

mod compile_error;

mod crash;
mod output;
mod printed;

mod cell_run;

mod interrupt;

mod remote;

mod session;

pub use config::{Call, CellCommand, Config, Expand};
pub use session::Session;
