//! `completions`: a script with which a shell completes this program's commands and options.

use crate::cli::Cli;
use crate::printed::print;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

pub fn completions(shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    let name = env!("CARGO_BIN_NAME");
    clap_complete::generate(shell, &mut Cli::command(), name, &mut script);
    print(format_args!("{}", String::from_utf8_lossy(&script)))?;
    Ok(ExitCode::SUCCESS)
}
