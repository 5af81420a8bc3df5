//! Makes the lessons' web pages, called by `attention-notebooks site`.
//!
//! A notebook (`notebook.rs`) becomes a lesson (`lesson.rs`): its text (`markdown.rs`), its code
//! (`rust.rs`), its stored outputs (`output.rs`) and its questions (`questions.rs`). The lesson
//! becomes a page (`page.rs`). In the browser, `assets/page.js` asks `assets/worker.js` for
//! pictures, and the worker calls `wasm/lib.rs`.

mod change;
mod files;
mod index;
mod lesson;
mod links;
mod markdown;
mod models;
mod notebook;
mod output;
mod page;
mod questions;
mod rust;

use anyhow::{Context, Result};
use change::Change;
use files::Site;
use lesson::Course;
use models::Models;
use serde::Deserialize;
use std::env;
use std::fs;
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

/// The program's input, as JSON.
#[derive(Deserialize)]
struct Given {
    /// The project's folder.
    project: PathBuf,
    /// The folder to write.
    folder: PathBuf,
    /// The WebAssembly program.
    program: PathBuf,
    /// A JSON file with `Course::live`.
    live: PathBuf,
    repository: Option<String>,
    models: Option<String>,
}

fn make() -> Result<()> {
    let given = env::args().nth(1).context("usage: site JSON")?;
    let given: Given = serde_json::from_str(&given)?;
    let live = fs::read_to_string(&given.live).with_context(|| format!("{:?}", given.live))?;
    let site = Site::begin(&given.folder)?;
    let course = Course {
        live: &serde_json::from_str(&live)?,
        change: &Change::new(given.repository)?,
        models: &Models::new(given.models.as_deref(), &site)?,
        site: &site,
    };
    page::write_all(&given.project, &course)?;
    site.copy(&given.program, "lessons.wasm")?;
    let text = "assets/tinyshakespeare.txt";
    site.copy(&given.project.join(text), text)?;
    site.end()
}
