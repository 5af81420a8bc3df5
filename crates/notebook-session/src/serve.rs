//! Runs a kernel from start to shutdown.

use crate::config::Config;
use crate::failure;
use crate::kernel_folder::{KernelFolder, leave_nothing};
use crate::notebook_path::notebook;
use crate::session::Session;
use anyhow::Result;
use jupyter_kernel::Kernel;
use notebook::evaluator::Evaluator;
use serde_json::json;
use std::path::Path;
use std::process;

/// Serves one notebook until Jupyter shuts the kernel down; then exits the process.
///
/// # Errors
///
/// If the connection file cannot be read or a socket cannot be opened. If cells cannot be compiled,
/// the kernel still runs, and every cell reports why.
pub fn serve(config: &Config, connection_file: &Path) -> Result<()> {
    let folder = KernelFolder::new(config);
    let path = folder.as_ref().ok().map(|folder| folder.path().to_owned());
    let live = path.as_ref().map(|path| path.join("live"));
    let preferred = config.preferred.zip(notebook());
    let (of_cells, to_live) = (config.clone(), live.clone());
    let reason = folder.as_ref().err().map(|error| format!("{error:#}"));
    let session = folder.as_ref().ok().map(KernelFolder::session);
    let start = move || -> Result<Box<dyn Evaluator>, failure::Failure> {
        let reason = || failure::no_evaluator(reason.as_deref().unwrap_or_default());
        let folder = session.as_deref().ok_or_else(reason)?;
        Ok(Box::new(Session::start(
            &of_cells,
            folder,
            to_live.clone(),
        )?))
    };
    let kernel = Kernel {
        program: config.program.clone(),
        version: config.version.clone(),
        banner: config.banner.clone(),
        language_info: json!({
            "name": "rust",
            "version": env!("CARGO_PKG_RUST_VERSION"),
            "mimetype": "text/rust",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
            // Jupyter has no exporter for Rust; this one writes the code cells to an `.rs` file.
            "nbconvert_exporter": "script",
        }),
        preferred: preferred.map(|(paths, notebook)| -> jupyter_kernel::PreferredPaths {
            Box::new(move || paths(&notebook))
        }),
        live,
        start: Box::new(start),
    };
    let served = jupyter_kernel::serve(kernel, connection_file);
    if let Some(path) = path {
        leave_nothing(&path);
    }
    served?;
    process::exit(0) // does not wait for the evaluator's thread
}
