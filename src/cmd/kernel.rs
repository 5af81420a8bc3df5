//! The kernels that Jupyter starts: this project's, and evcxr's own.

use crate::kernel;
use crate::workspace::CellWorkspace;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;

/// `kernel FILE`: serves one notebook until Jupyter ends it.
pub fn kernel(connection_file: &Path) -> Result<ExitCode> {
    kernel::serve(connection_file)?;
    Ok(ExitCode::SUCCESS)
}

/// `--control_file FILE`: the same with evcxr's kernel, in a cell workspace of its
/// own.
pub fn stock_kernel() -> Result<ExitCode> {
    let workspace = CellWorkspace::open()?;
    evcxr_jupyter::main()?; // reads the file's name from the arguments
    drop(workspace);
    Ok(ExitCode::SUCCESS)
}
