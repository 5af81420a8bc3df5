#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest to the highest: each module only uses those above it.
mod config;
mod notebook_path;
mod variable;

mod array_types;

mod failure;

mod display_format;
mod nesting;

mod first_lines;

mod commands;
mod completeness;
mod own_commands;

mod cell_syntax;
mod expressions;
mod hiding;
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

mod assistance;
mod interrupt;

mod remote;

mod workspace;

mod session;

mod as_crate;
mod serve;

pub use as_crate::AsCrate;
pub use config::{Call, CellCommand, Config, Expand, Foremost, Helper, Installed};
pub use jupyter_kernel::tell;
pub use nesting::with_room;
pub use serve::serve;
pub use session::Session;
pub use workspace::ending::{Ending, NotNow};
pub use workspace::folder::KernelFolder;
pub use workspace::set_up::{prepare, sysroot};
pub use workspace::sweep::sweep;

/// Runs the helper processes that a kernel launches from its own executable, in which case it does
/// not return. Call it first in `main`.
pub fn start() {
    #[cfg(target_os = "linux")]
    workspace::guardian::guard_if_asked();
}
