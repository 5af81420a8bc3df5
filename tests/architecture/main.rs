//! The project's structure: which parts may depend on which, and where `unsafe` is allowed.

mod modules;
mod structure;
