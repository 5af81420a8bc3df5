//! `warm`: compiles the helper crate for cells. Set-up starts it.

use crate::cell_workspace;
use anyhow::Result;
use std::process::ExitCode;

pub fn warm() -> Result<ExitCode> {
    cell_workspace::warm()?;
    Ok(ExitCode::SUCCESS)
}
