//! The kernels that Jupyter starts: this project's, and evcxr's own.

use crate::project;
use anyhow::Result;
use notebook_kernel::{SingleThread, serve, serve_with};
use std::path::Path;
use std::process::ExitCode;

/// `kernel FILE`: serves one notebook until Jupyter ends it.
pub fn kernel(thread: SingleThread, connection_file: &Path) -> Result<ExitCode> {
    serve(&project::kernel(), thread, connection_file)?;
    Ok(ExitCode::SUCCESS)
}

/// `--control_file FILE`: the same with evcxr's kernel, in a cell workspace of its
/// own.
pub fn stock_kernel(thread: SingleThread, connection_file: &Path) -> Result<ExitCode> {
    serve_with(
        evcxr_jupyter::main,
        &project::kernel(),
        thread,
        connection_file,
    )?;
    Ok(ExitCode::SUCCESS)
}
