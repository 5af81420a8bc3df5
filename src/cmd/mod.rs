//! The commands, each in the file of its name.

pub mod exercises;
pub mod install;
pub mod kernel;
pub mod lab;
pub mod lessons;
pub mod progress;
pub mod run;
pub mod setup;
pub mod tethered;
pub mod uninstall;
