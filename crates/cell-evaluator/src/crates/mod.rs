//! Crates that cells can use beside the standard library.
//!
//! Set-up compiles the helper crates with cargo and makes one shared library of them; a cell links
//! to that library alone, and all cells of a notebook share its statics. What a `:dep` line adds
//! becomes one more shared library, which links to those before it: the crates in them stay what
//! they were, so that values of their types go on.

mod trouble;

mod request;
mod sources;

mod cargo;
mod made;

mod target;

mod library;

mod add;
mod set_up;

pub use cargo::Cargo;
pub use made::Crates;
pub(crate) use made::{Content, METADATA, read};
pub use set_up::HelperCrates;
pub use trouble::Trouble;
