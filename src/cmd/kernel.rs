//! The kernel that Jupyter starts.

use crate::project;
use anyhow::Result;
use notebook_session::serve;
use std::path::Path;
use std::process::ExitCode;

/// `kernel FILE`: serves one notebook until Jupyter ends it.
pub fn kernel(connection_file: &Path) -> Result<ExitCode> {
    serve(&project::kernel(), connection_file)?;
    Ok(ExitCode::SUCCESS)
}
