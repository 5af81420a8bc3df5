//! Live pictures: a cell shows a picture and leaves a thread, which draws it again for the
//! values that a front end sends, also while other cells run.
//!
//! The process of the cells connects to a socket of the `hub`, once for each `picture`.
//! `crates/notebook` defines what both sides say.

pub mod hub;
pub mod picture;
