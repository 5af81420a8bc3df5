//! Evaluation of cells: the source of a cell goes in, outputs come out as they are
//! made, and at the end either success or a failure.
//!
//! A session (`session`) hands the source of a cell (`cell_source`) to the thread that evcxr
//! works in (`worker`). evcxr starts the process that runs the cells, which begins with the
//! `prelude`, and sends it `commands`. What that process prints comes back through the `relay`, taken apart (`stream`)
//! into events (`event`), and becomes the outputs of the cell (`cell_run`, `printed`,
//! `output`).

pub mod analysis;
mod cell_run;
mod cell_source;
mod commands;
mod compile_error;
pub mod controls;
pub mod event;
pub mod failure;
pub mod first_lines;
mod idle_text;
pub mod interrupt;
pub mod nesting;
pub mod output;
mod panic;
pub mod prelude;
mod printed;
pub mod relay;
pub mod session;
mod standard_input;
mod stream;
mod worker;
