//! The exercises as learners see them; each file is a topic. `forged.rs`, next to this folder, is a
//! program of its own, because it writes to all sockets of its process.

mod course;
mod natural_answers;
mod own_function;
mod progress;
mod project;
mod questions;
mod relations;
mod verdicts;
mod wrong_answers;
