//! What a program says about its kernel.

use notebook::evaluator::{Evaluator, Failure};
use serde_json::Value;
use std::path::PathBuf;

/// What is particular to one kernel.
pub struct Kernel {
    /// The program's name: the "implementation" that the kernel tells Jupyter.
    pub program: String,
    /// The program's version.
    pub version: String,
    /// What a console prints before its first cell.
    pub banner: String,
    /// What front ends and exporters need to know of the language.
    pub language_info: Value,
    /// What completion offers first.
    pub foremost: Option<Foremost>,
    /// Where the process of the cells registers live pictures: the path of a socket that this kernel
    /// makes, if there are any.
    pub live: Option<PathBuf>,
    /// Starts the evaluator, when the kernel starts, and once more for a cell where it has failed.
    pub start: Start,
}

/// See [`Kernel::start`].
pub type Start = Box<dyn Fn() -> Result<Box<dyn Evaluator>, Failure> + Send + Sync>;

/// The paths that a notebook is about, such as `hint::softmax`: where one of them can stand,
/// completion offers it before all others, in this order.
pub type Foremost = Box<dyn Fn() -> Vec<String> + Send + Sync>;
