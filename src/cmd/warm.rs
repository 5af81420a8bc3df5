//! `warm`: compiles the helper crate for cells. Set-up starts it.

use crate::template;
use anyhow::Result;
use std::process::ExitCode;

pub fn warm() -> Result<ExitCode> {
    template::warm()?;
    Ok(ExitCode::SUCCESS)
}
