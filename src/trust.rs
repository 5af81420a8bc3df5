//! Signs notebooks so that JupyterLab trusts them: it shows controls only in notebooks whose
//! outputs it has produced itself, or that are signed.

use crate::{jupyter_folders, project, python};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Which JupyterLab will open the notebooks.
#[derive(Clone, Copy, PartialEq)]
pub enum Reader {
    /// The project's own JupyterLab.
    Lab,
    /// The project's JupyterLab, or the one in the search path: both trust the notebooks.
    Any,
}

/// Signs notebooks whose outputs come from the project.
///
/// A failure to sign is not an error: without Jupyter there is nothing to sign for, and an unsigned
/// notebook says how to get its controls.
pub fn sign(notebooks: &[PathBuf], reader: Reader) {
    if notebooks.is_empty() {
        return;
    }
    let mut signers = Vec::new();
    if project::installed().is_none() && python::interpreter().exists() {
        let mut command = Command::new(python::interpreter());
        command
            .args(["-m", "nbformat.sign"])
            .envs(jupyter_folders::inside_the_project());
        signers.push(command);
    }
    if reader == Reader::Any {
        let mut command = Command::new("jupyter");
        command.arg("trust");
        signers.push(command);
    }
    for mut signer in signers {
        let quiet = signer.args(notebooks).stdin(Stdio::null());
        let _ = quiet.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
