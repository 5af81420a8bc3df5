#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod file;
mod lock;
mod progress;
mod whole;

pub use error::Error;
pub use file::{folder, path, read, read_file, update, update_unless};
pub use progress::{Entry, ExerciseState, Progress, SCHEMA};
