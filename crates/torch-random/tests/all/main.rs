//! The crate as its users see it.

mod refusals;
mod streams;
