//! `lab`: the lessons in JupyterLab.

use crate::cli::Lab;
use crate::cmd::lessons::tell_newer_and_failed;
use crate::jupyter::{self, Server};
use crate::kernel_config::kernel_config;
use crate::lessons::LearnerFolder;
use crate::printed::{mention, say};
use crate::project;
use crate::trust::{self, Reader};
use anyhow::Result;
use std::process::ExitCode;

/// Sets up whatever is missing, then serves the lessons until Ctrl-C.
pub fn lab(options: &Lab) -> Result<ExitCode> {
    project::check_own(
        "lab",
        "`attention-notebooks lessons` makes copies of its lessons for you, \
         and `jupyter lab` opens them",
    )?;
    if let Some(port) = options.port {
        jupyter::check_free(port)?;
    }
    let python = jupyter::set_up()?;
    let end = jupyter::end_requests()?;
    let learner_folder = LearnerFolder::of_this_learner()?;
    let names = project::notebook_names()?;
    let laid_out = learner_folder.lay_out(&project::notebooks(), &names)?;
    trust::sign(&laid_out.as_made, Reader::Lab);
    let first = names.first().map(|name| learner_folder.copy(name));
    let server = Server::start(
        &python,
        learner_folder.folder(),
        first.as_deref(),
        !options.no_browser,
        options.port,
        &options.jupyter,
    )?;
    // The server is running, whether or not anything reads this output.
    let _ = say!("The lessons are open at {}", server.address);
    let _ = tell_newer_and_failed(&laid_out);
    let _ = mention!("Ctrl-C here ends JupyterLab and all kernels.");
    let status = server.wait(&end)?;
    notebook_session::sweep(&kernel_config());
    mention!("JupyterLab has ended.")?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}
