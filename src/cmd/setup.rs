//! `setup`: everything that `lab` would set up, without opening JupyterLab.

use crate::jupyter;
use crate::kernel_config::kernel_config;
use crate::printed::mention;
use crate::project;
use anyhow::Result;
use std::process::ExitCode;

pub fn setup() -> Result<ExitCode> {
    if let Some(root) = project::installed() {
        notebook_session::prepare(&kernel_config())?;
        mention!("Everything is set up in {}", root.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    let python = jupyter::set_up()?;
    mention!(
        "Everything is set up. Python with JupyterLab: {}",
        python.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
