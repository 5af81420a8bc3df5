//! Tests the evaluator with cells; each file covers a topic.

mod assist;
mod cells;
mod common;
mod compile_cache;
mod crates;
mod definitions;
mod differential;
mod forms;
mod identity;
mod macros;
mod trial;
mod uses;
