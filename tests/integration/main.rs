//! The whole program, as users and Jupyter see it.

mod browser;
mod command_line;
mod common;
mod evcxr;
mod exercises;
mod grade;
mod installation;
mod jupyter;
mod kernel;
mod lessons;
mod new_lesson;
mod playing;
mod progress;
mod run_command;
mod setup;
mod wheel;
