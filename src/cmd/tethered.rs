//! `tethered PARENT PROGRAM ARGUMENTS`: goes on as another program, which is asked to end as soon
//! as the process that has started it is gone, in whatever way.

use crate::cli::Tethered;
use anyhow::{Context, Result};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Does not return unless it fails. The process keeps its number.
pub fn tethered(options: &Tethered) -> Result<ExitCode> {
    // Elsewhere nothing tells of the end of a process, and this goes on as it is.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        set_parent_process_death_signal(Some(Signal::TERM))?;
        if std::os::unix::process::parent_id() != options.parent {
            return Ok(ExitCode::FAILURE); // it is gone already, and nobody waits
        }
    }
    let error = Command::new(&options.program)
        .args(&options.arguments)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", options.program.display()))
}
