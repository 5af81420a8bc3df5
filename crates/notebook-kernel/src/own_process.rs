//! The processes that this program starts of itself, apart from those that run and compile
//! cells: `program WORD PARENT`, with the number of the process that has started it.

use anyhow::Result;
use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{self, Command};

/// This program as it runs, also when its file has been replaced or removed meanwhile: a file
/// that is there as long as this process is.
pub fn running_program() -> io::Result<PathBuf> {
    let running = PathBuf::from(format!("/proc/{}/exe", process::id()));
    match running.exists() {
        true => Ok(running),
        false => env::current_exe(), // not on Linux
    }
}

/// Starts one, for what `word` stands for.
pub fn command(word: &str) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args([word, &process::id().to_string()]);
    Ok(command)
}

/// Who has started this process for what `word` stands for; `None` if it is here for
/// something else.
pub fn parent(word: &str) -> Option<u32> {
    let arguments: Vec<String> = env::args_os()
        .skip(1)
        .flat_map(std::ffi::OsString::into_string)
        .collect();
    match &arguments[..] {
        [first, parent] if first == word => parent.parse().ok(),
        _ => None,
    }
}
