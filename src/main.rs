//! The notebook kernel of attention-notebooks, and the command line that sets
//! Jupyter up around it.

#![forbid(unsafe_code)]

mod cli;
mod cmd;
mod course;
mod installation;
mod jupyter;
mod kernelspecs;
mod lessons;
mod live_extension;
mod notebook;
mod originals;
mod printed;
mod project;
mod python;
mod replaced_file;
mod server_config;
mod trust;

use anyhow::Result;
use clap::Parser;
use cli::{Cli, Command, Lab};
use notebook_kernel::SingleThread;
use std::process::ExitCode;

/// Type inference allocates a lot of small things, and starts in nine tenths of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The kernel starts this program again, for the cells and their compilation; there this
    // call does not return.
    let thread = notebook_kernel::start(&project::kernel());

    let cli = Cli::parse();
    let outcome = run(cli, thread);
    outcome.unwrap_or_else(|error| {
        if error.is::<printed::ReaderLeft>() {
            return ExitCode::from(printed::NO_READER);
        }
        let error = printed::visible(&format!("{error:#}"));
        notebook_kernel::tell(format_args!("error: {error}"));
        ExitCode::from(2)
    })
}

fn run(cli: Cli, thread: SingleThread) -> Result<ExitCode> {
    // What is registered can be removed without the project.
    if !matches!(cli.command, Some(Command::Uninstall(_))) {
        project::check()?;
    }
    match (cli.control_file, cli.command) {
        (Some(file), _) => cmd::kernel::stock_kernel(thread, &file),
        (None, None) => cmd::lab::lab(&Lab::default()),
        (None, Some(Command::Lab(options))) => cmd::lab::lab(&options),
        (None, Some(Command::Run(options))) => cmd::run::run(&options, thread),
        (None, Some(Command::Lessons(options))) => cmd::lessons::lessons(&options),
        (None, Some(Command::Progress(options))) => cmd::progress::progress(&options),
        (None, Some(Command::Exercises { .. })) => cmd::exercises::check(),
        (None, Some(Command::Setup)) => cmd::setup::setup(),
        (None, Some(Command::Install { place, evcxr })) => cmd::install::install(&place, evcxr),
        (None, Some(Command::Uninstall(place))) => cmd::uninstall::uninstall(&place),
        (None, Some(Command::Kernel { connection_file })) => {
            cmd::kernel::kernel(thread, &connection_file)
        }
        (None, Some(Command::Tethered(options))) => cmd::tethered::tethered(&options),
    }
}
