//! The exercises as learners see them, one file per topic. `forged.rs`, next to this folder, is a
//! separate program, because it writes to all sockets of its process.

mod course;
mod natural_answers;
mod own_function;
mod progress;
mod project;
mod questions;
mod relations;
mod verdicts;
mod wrong_answers;
