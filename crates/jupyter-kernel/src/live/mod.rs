//! Live pictures: a cell shows a picture and leaves a thread running, which redraws the picture
//! for each value that a front end sends, even while other cells run.
//!
//! The process that runs the cells connects to the `registry`'s socket once per `picture`.
//! `crates/notebook` defines the messages between them.

pub mod picture;
pub mod registry;
