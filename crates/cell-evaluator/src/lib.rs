#![doc = include_str!("../README.md")]

// In pipeline order: each module uses those above it.
mod mentions;
mod source_text;

mod piece;

mod macro_text;
mod visible;

mod names;
mod statics;

mod cell;

mod imports;
mod surroundings;

mod definition;
mod scope;
mod wording;

mod variable;

mod crate_source;
mod whole;

mod compilers;
mod crates;
mod rustc;
mod tools;

mod diagnostic;
mod failure;
mod kept_borrow;
mod types;
mod unshown;

mod learned;

mod process;

mod evaluator;
mod trial;

// Outside the pipeline: questions about code that does not run.
pub mod assist;

pub use compilers::Compilers;
pub use crates::{Cargo, Crates, HelperCrates, Trouble};
pub use diagnostic::{Diagnostic, Help, Mark};
pub use evaluator::{CompiledCell, Evaluator};
pub use failure::Failure;
pub use process::{Ending, Event, Panic, Part, Process, Reader, Running, descendants, kill};
pub use rustc::Compiler;
pub use source_text::CellPlace;
pub use tools::Tools;
pub use types::BELOW;
pub use trial::try_compiler;
pub use variable::Variable;
pub use whole::Whole;
