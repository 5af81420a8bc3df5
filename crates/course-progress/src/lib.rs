#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod file;
mod progress;

pub use error::Error;
pub use file::{folder, path, read, read_file, update};
pub use progress::{Entry, Progress, SCHEMA, State};
