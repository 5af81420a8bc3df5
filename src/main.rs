//! The notebook kernel of attention-notebooks, and the command line that sets
//! Jupyter up around it.

mod cell_cargo;
mod cli;
mod cmd;
mod environment;
mod evaluation;
mod helper_manifest;
mod jupyter;
mod kernel;
mod locked;
mod notebook;
mod project;
mod python;
mod rust_sources;
mod template;
mod toolchain;
mod workspace;

use clap::Parser;
use cli::{Cli, Command, Lab};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(failure) = cell_cargo::stand_in() {
        return failure;
    }
    // evcxr starts this program again, to run the cells and to wrap rustc; then
    // these calls do that work and do not return.
    evaluation::prepare_evaluation_process();
    evcxr::runtime_hook();

    let cli = Cli::parse();
    let outcome = match (cli.control_file, cli.command) {
        (Some(_), _) => cmd::kernel::stock_kernel(),
        (None, None) => cmd::lab::lab(&Lab::default()),
        (None, Some(Command::Lab(options))) => cmd::lab::lab(&options),
        (None, Some(Command::Run(options))) => cmd::run::run(&options),
        (None, Some(Command::Setup)) => cmd::setup::setup(),
        (None, Some(Command::Install { .. })) => cmd::install::install(),
        (None, Some(Command::Uninstall)) => cmd::install::uninstall(),
        (None, Some(Command::Kernel { connection_file })) => cmd::kernel::kernel(&connection_file),
        (None, Some(Command::Warm)) => cmd::warm::warm(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
