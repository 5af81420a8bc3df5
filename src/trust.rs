//! Notebooks that JupyterLab trusts: it shows controls only in those whose outputs it has made, or
//! that are signed.

use crate::{jupyter, project, python};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Who will open the notebooks.
#[derive(Clone, Copy, PartialEq)]
pub enum Reader {
    /// The JupyterLab of the project.
    Lab,
    /// That, or the one in the search path.
    Any,
}

/// Signs notebooks whose outputs are the project's own.
///
/// Where there is no Jupyter to sign for, a notebook says in the place of its controls how to get
/// them; so a signature that cannot be made is no error.
pub fn sign(notebooks: &[PathBuf], reader: Reader) {
    if notebooks.is_empty() {
        return;
    }
    let mut signers = Vec::new();
    if project::installed().is_none() && python::interpreter().exists() {
        let mut command = Command::new(python::interpreter());
        command
            .args(["-m", "nbformat.sign"])
            .envs(jupyter::inside_the_project());
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
