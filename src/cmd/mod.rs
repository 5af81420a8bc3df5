//! The commands, each in a file of the same name.

pub mod answers;
pub mod class;
pub mod completions;
pub mod end_with_parent;
pub mod exercises;
pub mod grade;
pub mod install;
pub mod kernel;
pub mod lab;
pub mod lessons;
pub mod progress;
pub mod run;
pub mod setup;
pub mod site;
pub mod uninstall;
pub mod vsix;
pub mod wheel;
