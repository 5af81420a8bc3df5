//! A kernel, from its start to its end.

use crate::config::Config;
use crate::huge_pages;
use crate::protocol::asked_to_end::jupyter;
use crate::protocol::connection::Connection;
use crate::protocol::server::{Served, serve_notebook};
use crate::standby::{face, taking};
use crate::warm_up::WarmUp;
use crate::workspace::cell_workspace::CellWorkspace;
use crate::workspace::ending::{By, Ending};
use crate::workspace::environment::SingleThread;
use anyhow::Result;
use std::path::Path;

/// Serves one notebook until Jupyter ends it; then the process ends. If a [`Standby`] is there
/// for the same circumstances, it is taken over.
///
/// # Errors
///
/// If the connection file cannot be read, or a socket of it cannot be had. Where there is no
/// workspace for cells, every cell says why.
///
/// [`Standby`]: crate::Standby
pub fn serve(config: &Config, thread: SingleThread, connection_file: &Path) -> Result<()> {
    let connection = Connection::read(connection_file)?;
    if let Some(taken) = taking::take(config, connection_file) {
        return face::stand_for(taken);
    }
    huge_pages::decline();
    let workspace = CellWorkspace::reserve(config, thread);
    let warm_up = match &workspace {
        Ok(workspace) => Ok(WarmUp::begin(config, workspace.copy(config))),
        Err(error) => Err(format!("{error:#}")),
    };
    let served = Served {
        workspace,
        warm_up,
        face: None,
    };
    serve_notebook(config, &connection, served, || Ok(()))?;
    std::process::exit(0) // without waiting for the evaluator's threads
}

/// Serves one notebook with another kernel that is built on evcxr, such as `evcxr_jupyter::main`,
/// in a workspace of its own. That one reads the name of the connection file, which this only
/// checks, from the arguments of the program: `--control_file FILE`.
///
/// # Errors
///
/// If there is no workspace for cells, or no such connection file, or the other kernel fails.
pub fn serve_with(
    other_kernel: impl FnOnce() -> Result<()>,
    config: &Config,
    thread: SingleThread,
    connection_file: &Path,
) -> Result<()> {
    Connection::read(connection_file)?;
    let workspace = CellWorkspace::reserve_for_evcxr(config, thread)?;
    let by = jupyter().map_or(By::Signals, By::SignalsAndParent);
    let ending = Ending::of(workspace.path(), by)?;
    let filled = workspace.copy(config).fill().map(drop);
    let served = filled.and_then(|()| other_kernel());
    ending.come();
    served
}
