//! `end-with-parent PARENT PROGRAM ARGUMENTS`: becomes another program, which receives SIGTERM as
//! soon as the process that started it ends, for whatever reason.

use crate::cli::EndWithParent;
use anyhow::{Context, Result};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Returns only on failure. The process keeps its id.
pub fn end_with_parent(options: &EndWithParent) -> Result<ExitCode> {
    // Other systems do not report when a parent ends, so the program simply runs.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        set_parent_process_death_signal(Some(Signal::TERM))?;
        if std::os::unix::process::parent_id() != options.parent {
            return Ok(ExitCode::FAILURE); // the parent has already ended
        }
    }
    let error = Command::new(&options.program)
        .args(&options.arguments)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", options.program.display()))
}
