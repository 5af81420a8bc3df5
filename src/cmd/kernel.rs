//! The kernel that Jupyter starts.

use crate::kernel_config::kernel_config;
use anyhow::Result;
use notebook_session::serve;
use std::path::Path;
use std::process::ExitCode;

/// `kernel FILE`: serves one notebook until Jupyter ends it.
pub fn kernel(connection_file: &Path) -> Result<ExitCode> {
    serve(&kernel_config(), connection_file)?;
    Ok(ExitCode::SUCCESS)
}
