//! The processes that this program starts of itself, apart from those that run and compile
//! cells: `program WORD PARENT`, with the number of the process that has started it.

use anyhow::Result;
use std::env;
use std::process::{self, Command};

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
