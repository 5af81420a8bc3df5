//! The notebook kernel of attention-notebooks, and the command line that sets
//! Jupyter up around it.

#![forbid(unsafe_code)]

mod class;
mod cli;
mod cmd;
mod course;
mod course_session;
mod evcxr;
mod installation;
mod jupyter;
mod jupyter_folders;
mod kernel_config;
mod kernelspecs;
mod lesson_crates;
mod lessons;
mod live_extension;
mod notebook;
mod originals;
mod printed;
mod project;
mod python;
mod replaced_file;
mod results;
mod server_config;
mod set_up_report;
mod submissions;
mod trust;
mod vscode_extension;

use anyhow::Result;
use clap::Parser;
use cli::{Cli, Command, Lab};
use std::process::ExitCode;

fn main() -> ExitCode {
    // The kernel starts this program a second time to supervise the process that runs the cells; in
    // that process, this call does not return.
    notebook_session::start();

    let cli = Cli::parse();
    set_up_report::set_quiet(cli.quiet);
    let outcome = run(cli);
    outcome.unwrap_or_else(|error| {
        if error.is::<printed::ReaderLeft>() {
            return ExitCode::from(printed::NO_READER);
        }
        set_up_report::clear();
        let error = printed::visible(&format!("{error:#}"));
        notebook_session::tell(format_args!("error: {error}"));
        ExitCode::from(2)
    })
}

fn run(cli: Cli) -> Result<ExitCode> {
    // Registrations can be removed, and completions printed, even without the project.
    let needs_none =
        |command: &Command| matches!(command, Command::Uninstall(_) | Command::Completions { .. });
    if !cli.command.as_ref().is_some_and(needs_none) {
        project::check()?;
    }
    match cli.command {
        None => cmd::lab::lab(&Lab::default()),
        Some(Command::Lab(options)) => cmd::lab::lab(&options),
        Some(Command::Run(options)) => cmd::run::run(&options),
        Some(Command::Lessons(options)) => cmd::lessons::lessons(&options),
        Some(Command::Progress(options)) => cmd::progress::progress(&options),
        Some(Command::Class(options)) => cmd::class::class(&options),
        Some(Command::Grade(options)) => cmd::grade::grade(&options),
        Some(Command::Answers(options)) => cmd::answers::answers(&options),
        Some(Command::Exercises { course, .. }) => cmd::exercises::check(course.as_deref()),
        Some(Command::Site(options)) => cmd::site::site(&options),
        Some(Command::Vsix { file }) => cmd::vsix::vsix(&file),
        Some(Command::Wheel) => cmd::wheel::wheel(),
        Some(Command::Setup) => cmd::setup::setup(),
        Some(Command::Install { destination, evcxr }) => cmd::install::install(&destination, evcxr),
        Some(Command::Uninstall(destination)) => cmd::uninstall::uninstall(&destination),
        Some(Command::Completions { shell }) => cmd::completions::completions(shell),
        Some(Command::Kernel { connection_file }) => cmd::kernel::kernel(&connection_file),
        Some(Command::EndWithParent(options)) => cmd::end_with_parent::end_with_parent(&options),
    }
}
