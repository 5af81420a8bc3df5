//! The standby: an evaluator that is made ready before a kernel needs it, because that takes
//! ten seconds.
//!
//! A program that starts Jupyter keeps one (`keeper`). It is a process of its own, which waits
//! for a kernel (`waiting`). A kernel that starts looks for one (`taking`) and says in which
//! `circumstances` it is; if they are the same, the standby serves the notebook, and the
//! kernel's process is what Jupyter sees of it (`face`). What the two say to each other is in
//! `handover`.

mod circumstances;
pub mod face;
mod handover;
pub mod keeper;
mod quiet;
pub mod taking;
pub mod waiting;
