//! How a cell fails.

use crate::diagnostic::Diagnostic;
use crate::source_text::CellPlace;

/// Why a cell did not come to its end.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It does not compile. Nothing ran.
    Compile(Vec<Diagnostic>),
    /// It was stopped while it was compiled. Nothing ran.
    Stopped,
    /// A panic, and where in a cell it was.
    Panic(String, Option<CellPlace>),
    /// An error met a `?`.
    Err(String),
    /// The process that runs the cells is gone, and the variables with it.
    ProcessEnded,
    /// The variable has a type that cannot be written: a closure has none that has a name.
    Unnamed(String),
    /// The machine or the compiler does not do what it should.
    Evaluator(String),
}
