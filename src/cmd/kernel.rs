//! `--control_file FILE`: the kernel of one notebook.

use crate::workspace::CellWorkspace;
use anyhow::Result;
use std::process::ExitCode;

/// Serves one notebook until Jupyter ends it, in a cell workspace of its own.
pub fn kernel() -> Result<ExitCode> {
    let workspace = CellWorkspace::open()?;
    evcxr_jupyter::main()?; // reads the file's name from the arguments
    drop(workspace);
    Ok(ExitCode::SUCCESS)
}
