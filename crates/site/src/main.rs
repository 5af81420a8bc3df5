//! Makes the lessons' web pages: `site PROJECT FOLDER PROGRAM CELLS [REPOSITORY]`, called by
//! `attention-notebooks site`.
//!
//! A notebook (`notebook.rs`) becomes a page (`page.rs`): its text (`markdown.rs`), its code
//! (`rust.rs`) and its stored outputs (`output.rs`). The pages' own script adds life to them:
//! `assets/page.js` asks `assets/worker.js`, which calls `wasm/lib.rs`.

mod change;
mod files;
mod markdown;
mod notebook;
mod output;
mod page;
mod rust;

use anyhow::{Context, Result, bail};
use change::Change;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn make() -> Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, folder, program, cells, repository @ ..] = arguments.as_slice() else {
        bail!("usage: site PROJECT FOLDER PROGRAM CELLS [REPOSITORY]");
    };
    let repository = repository
        .first()
        .map(|one| one.to_string_lossy().into_owned());
    let live = std::fs::read_to_string(cells).with_context(|| format!("{}", cells.display()))?;
    let live = serde_json::from_str(&live)?;
    let site = files::Site::begin(folder)?;
    page::write_all(project, &live, &Change::new(repository)?, &site)?;
    site.copy(program, "lessons.wasm")?;
    site.copy(
        &project.join("assets/tinyshakespeare.txt"),
        "assets/tinyshakespeare.txt",
    )?;
    site.end()
}
