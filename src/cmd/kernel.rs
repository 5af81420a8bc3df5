//! The kernel that Jupyter starts.

use crate::jupyter;
use crate::kernel_config::caching_kernel_config;
use crate::project;
use anyhow::Result;
use notebook_session::serve;
use std::path::Path;
use std::process::ExitCode;

/// `kernel FILE`: serves one notebook until Jupyter ends it.
pub fn kernel(connection_file: &Path) -> Result<ExitCode> {
    if project::environment().is_some() {
        jupyter::look_where_set_up_did(false)?; // other kernels get this from their kernelspec
    }
    serve(&caching_kernel_config(), connection_file)?;
    Ok(ExitCode::SUCCESS)
}
