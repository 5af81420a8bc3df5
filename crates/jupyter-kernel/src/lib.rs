#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Bottom-up: a module uses only those listed above it.
mod locked;
mod tell;

mod zmtp;

mod sockets;

mod connection;

mod message;

mod fields;
mod history;
mod outbox;

mod live;

mod debug_reply;
mod execution;
mod input;
mod kernel;

mod executor;

mod controls;

mod picture_messages;

mod comms;
mod live_cells;

mod debugger;

mod completion_order;

mod questions;

mod requests;

mod asked_to_end;

mod server;

pub use kernel::{Kernel, PreferredPaths, Start};
pub use locked::locked;
pub use server::serve;
pub use tell::tell;
