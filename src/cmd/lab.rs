//! `lab`: the lessons in JupyterLab.

use crate::cli::Lab;
use crate::jupyter::{self, Server};
use crate::printed::say;
use crate::project;
use anyhow::Result;
use std::process::ExitCode;

/// Sets up what is missing, then serves the lessons until Ctrl-C.
pub fn lab(options: &Lab) -> Result<ExitCode> {
    let python = jupyter::set_up()?;
    let end = jupyter::end_requests()?;
    let standby = (!options.no_standby).then(jupyter::keep_standby);
    let server = Server::start(&python, !options.no_browser, options.port, &options.jupyter)?;
    // The server is there, whether somebody reads this or not.
    let _ = say!("The lessons are open at {}", server.address);
    let _ = say!("Ctrl-C here ends JupyterLab and all kernels.");
    let status = server.wait(&end)?;
    drop(standby);
    notebook_kernel::sweep(&project::kernel());
    say!("JupyterLab has ended.")?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}
