//! Crates that cells can use besides the standard library.
//!
//! Set-up compiles the helper crates with cargo and combines them into one shared library; cells
//! link to that library alone, so all cells of a notebook share its statics. What a `:dep` line
//! adds becomes another shared library, which links to the earlier ones: their crates do not
//! change, so values of their types stay valid.

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
