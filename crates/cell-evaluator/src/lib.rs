#![doc = include_str!("../README.md")]

// In the order of a cell's way: each module uses those above it.
mod mentions;
mod source_text;

mod cell;

mod imports;
mod surroundings;

mod definition;
mod scope;
mod wording;

mod variable;

mod crate_source;

mod compilers;
mod rustc;
mod types;

mod process;
mod tools;

mod evaluator;

// Beside that way: what is asked about code that does not run.
pub mod assist;

pub use compilers::Compilers;
pub use evaluator::{Diagnostic, Evaluator, Failure, Printed};
pub use rustc::Compiler;
pub use source_text::CellPlace;
pub use tools::Tools;
pub use variable::Variable;
