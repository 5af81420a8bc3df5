//! How the project is built: which part may name which, and where `unsafe` may stand.

mod modules;
mod structure;
