#![doc = include_str!("../README.md")]

// From the lowest to the highest: each module uses those above it.
mod config;
mod descendants;
mod descriptors;
mod huge_pages;
mod locked;
mod own_process;
mod tell;

mod evaluation;
mod workspace;

mod warm_up;

mod protocol;
mod standby;

mod serve;
mod start;

pub use config::{Call, CellCommand, Config, Expand, Foremost, Helper, Installed};
pub use evaluation::analysis::{Analysed, Analysis};
pub use evaluation::controls::Controls;
pub use evaluation::event::Input;
pub use evaluation::failure::Failure;
pub use evaluation::output::{Bundle, Output, Stream};
pub use evaluation::session::Session;
pub use serve::{serve, serve_with};
pub use standby::keeper::Standby;
pub use start::start;
pub use tell::tell;
pub use workspace::cell_workspace::CellWorkspace;
pub use workspace::ending::{Ending, NotNow};
pub use workspace::environment::SingleThread;
pub use workspace::set_up::{compiler, prepare};
pub use workspace::sweep::sweep;
