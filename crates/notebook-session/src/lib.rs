#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Bottom-up: a module uses only those listed above it.
mod config;
mod notebook_path;
mod variable;

mod array_types;

mod failure;

mod display_format;
mod nesting;

mod first_lines;
mod timing;

mod commands;
mod completeness;
mod formatting;
mod own_commands;

mod cell_syntax;
mod declaration;

mod diagnostic;

mod array_panics;
mod earlier_cells;
mod expressions;
mod hiding;
mod literal_shapes;
mod remarks;
mod summaries;

mod hints;

mod broken_tools;

mod compile_error;

mod crash;

mod assistance;
mod interrupt;
mod stale_cells;

mod remote;

mod kernel_folder;

mod set_up;

mod session;

mod as_crate;
mod serve;

pub use as_crate::AsCrate;
pub use config::{Call, CellCommand, Config, Expand, Installed, Prebuilt, PreferredIn, SetUpStep};
pub use jupyter_kernel::tell;
pub use kernel_folder::KernelFolder;
pub use kernel_folder::shutdown::{Shutdown, ShutdownDelay};
pub use kernel_folder::sweep::sweep;
pub use nesting::with_room;
pub use serve::serve;
pub use session::Session;
pub use set_up::{prepare, sysroot};

/// Runs this process as an auxiliary process, and does not return, if a kernel has launched it as
/// one: kernels use their own executable for this. Call this first in `main`.
pub fn start() {
    #[cfg(target_os = "linux")]
    kernel_folder::supervisor::supervise_if_asked();
}
