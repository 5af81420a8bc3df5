//! The kernel of one notebook: Jupyter's protocol around an evaluation.
//!
//! Requests come in on the sockets (`server`, `sockets`, `zmtp`), are read and checked
//! (`message`, `fields`), answered at once or queued (`requests`); queued cells run one after the other
//! (`executor`, `execution`), and what they show goes out on the way (`outbox`). `comms` move live pictures.
//! Completions come in the order of `foremost`.
//!
//! Source: <https://jupyter-client.readthedocs.io/en/stable/messaging.html>

pub mod asked_to_end;
mod comms;
mod completeness;
pub mod connection;
mod execution;
mod executor;
mod fields;
mod foremost;
mod history;
mod message;
mod outbox;
mod requests;
pub mod server;
mod sockets;
mod zmtp;
