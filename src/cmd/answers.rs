//! `answers`: runs one notebook for `grade`, from top to bottom. A failed cell does not stop the
//! later ones, because each exercise counts separately.

use crate::cli::Answers;
use crate::kernel_config::kernel_config;
use crate::notebook::Notebook;
use crate::printed::say;
use ::notebook::evaluator::{Cell, Evaluator};
use anyhow::{Context, Result, anyhow};
use notebook_session::{KernelFolder, Session, Shutdown};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::process::ExitCode;

/// The size limit for files that a notebook writes.
const LARGEST_FILE: u64 = 1 << 30;

pub fn answers(options: &Answers) -> Result<ExitCode> {
    // Inherited by all processes of the notebook, its compilers included.
    limit(Resource::Data, options.memory << 20)?;
    limit(Resource::Fsize, LARGEST_FILE)?;
    let ran = notebook_session::with_room(|| run(options));
    ran.context("the notebook could not be run")?
}

fn limit(resource: Resource, most: u64) -> Result<()> {
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(resource, limit).context("the limits of a notebook could not be set")
}

fn run(options: &Answers) -> Result<ExitCode> {
    let notebook = Notebook::read(&options.notebook)?;
    let kernel = kernel_config();
    let folder = KernelFolder::new(&kernel)?;
    let _shutdown = Shutdown::of(folder.path())?;
    let session = Session::start(&kernel, &folder.session(), None);
    let mut session = session.map_err(|failure| anyhow!(failure.text()))?;
    let (mut cells, mut failed) = (0, 0);
    for cell in notebook.code_cells() {
        let source = cell.source();
        let executed = session.execute(Cell::of(&source), &mut |_| (), &mut |_| None);
        cells += 1;
        failed += usize::from(executed.is_err());
    }
    say!("{failed} of {cells} cells failed")?;
    Ok(ExitCode::SUCCESS)
}
