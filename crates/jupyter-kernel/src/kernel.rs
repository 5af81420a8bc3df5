//! The parts that a program supplies to become a kernel.

use notebook::evaluator::{Evaluator, Failure};
use serde_json::Value;
use std::path::PathBuf;

/// Everything that distinguishes one kernel from another.
pub struct Kernel {
    /// The program's name, reported to Jupyter as the kernel's "implementation".
    pub program: String,
    /// The program's version.
    pub version: String,
    /// The text that a console prints before its first cell.
    pub banner: String,
    /// Information about the language for front ends and exporters.
    pub language_info: Value,
    /// Completions to offer first.
    pub preferred: Option<PreferredPaths>,
    /// Path of the socket on which cells register live pictures; the kernel creates it. `None`
    /// disables live pictures.
    pub live: Option<PathBuf>,
    /// Starts the evaluator. Called when the kernel starts and, until it succeeds, again before
    /// each cell.
    pub start: Start,
}

/// See [`Kernel::start`].
pub type Start = Box<dyn Fn() -> Result<Box<dyn Evaluator>, Failure> + Send + Sync>;

/// The paths a notebook is about, such as `hint::softmax`. Where they fit, completion offers them
/// before all others, in this order.
pub type PreferredPaths = Box<dyn Fn() -> Vec<String> + Send + Sync>;
