//! Values as a notebook shows them: text and tables.
//!
//! [`show()`] formats an array as PyTorch does. [`attends()`] says how much one token attends to
//! another, [`originals()`] compares values with those printed by the original of a lesson, and
//! [`numpy_page()`] lists lines of NumPy and their Rust equivalents.

pub(crate) mod attends;
pub(crate) mod digits;
pub(crate) mod layer_tables;
pub(crate) mod numpy_page;
pub(crate) mod originals;
pub(crate) mod shown;
pub(crate) mod table;

pub use attends::{Attends, attends};
pub use numpy_page::{NumpyPage, numpy_page};
pub use originals::{Originals, originals};
pub use shown::{Show, Shown, corners, show, show_decimals};
