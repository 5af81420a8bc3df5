//! How a cell fails.

use crate::compile_error::CompileError;
use crate::source_text::CellPlace;

/// Why a cell did not finish.
#[derive(Clone, Debug)]
pub enum CellError {
    /// It does not compile. Nothing ran.
    Compile(Vec<CompileError>),
    /// It was stopped during compilation. Nothing ran.
    Stopped,
    /// A panic, and its place in a cell.
    Panic(String, Option<CellPlace>),
    /// An error was propagated by `?`.
    Err(String),
    /// The process that runs the cells is gone, and with it the variables.
    ProcessEnded,
    /// This variable cannot be kept, because code cannot name its type (that of a closure, for
    /// example).
    Unnameable(String),
    /// A fault of the machine or the compiler.
    Fault(String),
}
