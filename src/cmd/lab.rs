//! x
use crate::cli::Lab; use anyhow::Result; use std::process::ExitCode;
pub fn lab(_: &Lab) -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
