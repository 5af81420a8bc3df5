//! x
use anyhow::Result; use std::process::ExitCode;
pub fn install() -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
pub fn uninstall() -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
