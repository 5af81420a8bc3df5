//! The program as a whole, as people and Jupyter meet it.

mod browser;
mod common;
mod exercises;
mod installation;
mod jupyter;
mod kernel;
mod lessons;
mod playing;
mod run_command;
mod setup;
