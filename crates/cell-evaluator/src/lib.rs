#![doc = include_str!("../README.md")]

// In pipeline order: each module uses those above it.
mod mentions;
mod source_text;

mod piece;

mod macro_text;
mod visible;

mod names;
mod statics;

mod parsed_cell;

mod imports;
mod surroundings;

mod definition;
mod scope;
mod wording;

mod stored_variable;

mod types;

mod uses;

mod crate_source;
mod whole;

mod compile_cache;
mod compilers;
mod crates;
mod rustc;
mod tools;

mod compile_error;

mod cell_error;
mod kept_borrow;
mod unshown;

mod learned;

mod process;

mod cell_compiler;
mod trial;

// Outside the pipeline: completion and documentation, for code that is not run.
pub mod assist;

pub use cell_compiler::{CellCompiler, CompiledCell};
pub use cell_error::CellError;
pub use compile_cache::CompileCache;
pub use compile_error::{CompileError, ErrorPlace, Suggestion};
pub use compilers::Compilers;
pub use crates::{Cargo, Crates, PrebuiltCrates, Trouble};
pub use process::{
    Ending, Event, Part, Process, ReportedPanic, Running, StdinReader, descendants, kill,
};
pub use rustc::Compiler;
pub use source_text::CellPlace;
pub use stored_variable::StoredVariable;
pub use tools::Tools;
pub use trial::try_compiler;
pub use types::BELOW;
pub use types::split as split_types;
pub use uses::CellUses;
pub use whole::Whole;
