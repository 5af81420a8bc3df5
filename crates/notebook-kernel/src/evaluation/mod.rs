//! Evaluation of cells: the source of a cell goes in, outputs come out as they are
//! made, and at the end either success or a failure.
//!
//! A session (`session`) hands the source of a cell (`cell_source`, `shell_line`) to the thread that evcxr
//! works in (`worker`). evcxr starts the process that runs the cells, which begins with the
//! `prelude`, and sends it `commands`. What that process prints comes back through the `relay`, taken apart (`stream`)
//! into events (`event`), and becomes the outputs of the cell (`cell_run`, `printed`,
//! `output`), with `remarks` on a value that surprises. If the cell failed, the message says first what to do: `hints` knows common mistakes,
//! `memory` what earlier cells did, `cell_syntax` what the source says, `expressions` what stands
//! at a place of it.

pub mod analysis;
pub mod broken_tools;
mod cell_run;
mod cell_source;
mod cell_syntax;
mod commands;
mod compile_error;
pub mod controls;
mod crash;
pub mod dep_paths;
mod dependency;
mod diagnostic;
mod display_format;
pub mod event;
mod expressions;
pub mod failure;
pub mod first_lines;
mod hints;
mod idle_text;
mod index;
pub mod interrupt;
mod literal_shapes;
pub mod live;
pub mod memory;
mod missing_crate;
pub mod nesting;
pub mod output;
mod own_commands;
mod panic;
pub mod place;
pub mod prelude;
mod printed;
mod private_fields;
pub mod relay;
mod remarks;
pub mod session;
mod shell_line;
mod signature;
mod standard_input;
mod stream;
mod worker;
