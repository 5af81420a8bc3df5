//! `setup`: everything that `lab` would set up, without opening it.

use crate::jupyter;
use crate::printed::say;
use anyhow::Result;
use std::process::ExitCode;

pub fn setup() -> Result<ExitCode> {
    let python = jupyter::set_up()?;
    say!(
        "Everything is set up. Python with JupyterLab: {}",
        python.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
