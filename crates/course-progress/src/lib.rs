#![cfg_attr(not(unix), allow(dead_code))] // on a web page there are no files
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
// A web page has no files, so progress there is only a value in memory.
#[cfg(unix)]
mod file;
#[cfg(unix)]
mod lock;
mod progress;
#[cfg(unix)]
mod regular_file;

pub use error::Error;
#[cfg(unix)]
pub use file::{
    folder, learner, path, path_of, read, read_file, read_file_of, update, update_unless,
    write_file,
};
pub use progress::{Entry, ExerciseState, Progress, SCHEMA};
