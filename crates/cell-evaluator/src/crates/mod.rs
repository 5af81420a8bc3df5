//! Crates that cells can use besides the standard library.
//!
//! Set-up compiles the prebuilt crates with cargo and combines them into one shared library; cells
//! link to that library alone, so all cells of a notebook share its statics. The crates that a
//! `:dep` line adds become another shared library, which links to the earlier ones: those do not
//! change, so values of their types stay valid.

mod trouble;

mod dependency;
mod sources;

mod cargo;
mod compiled;

mod target;

mod library;

mod add;
mod prebuilt;

pub use cargo::Cargo;
pub use compiled::Crates;
pub(crate) use compiled::{Content, METADATA, read};
pub use prebuilt::PrebuiltCrates;
pub use trouble::Trouble;
