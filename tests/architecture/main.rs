//! The project's structure: which parts may depend on which, where `unsafe` is allowed, and what its pages say.

mod modules;
mod pages;
mod structure;
