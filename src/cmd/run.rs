//! `run`: notebooks from top to bottom, without Jupyter and without a browser.

use crate::cli::Run;
use crate::jupyter;
use crate::kernel_config::caching_kernel_config;
use crate::notebook::{Notebook, Outputs, StoredCell, add_output, text_of};
use crate::originals::Original;
use crate::printed::{self, print, say};
use crate::project;
use crate::trust::{self, Reader};
use ::notebook::evaluator::{Cell, Evaluator};
use anyhow::{Context, Result, anyhow};
use notebook_session::{Config, KernelFolder, Session, Shutdown};
use std::collections::HashSet;
use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs every notebook in a fresh evaluator. Exit code 0: all good; 1: a cell failed, its output
/// differs from the stored one, or its value differs from what the original
/// printed. A notebook whose model cannot be downloaded is skipped.
pub fn run(options: &Run) -> Result<ExitCode> {
    let ran = notebook_session::with_room(|| run_files(options));
    ran.context("the notebooks could not be run; the lines above say why")?
}

fn run_files(options: &Run) -> Result<ExitCode> {
    let files = if options.files.is_empty() {
        project::lessons()?
    } else {
        options.files.clone()
    };
    let notebooks: Result<Vec<Notebook>> = files.iter().map(|file| Notebook::read(file)).collect();
    let notebooks = notebooks?;
    if options.save {
        notebooks.iter().try_for_each(Notebook::check_saving)?;
    }
    jupyter::look_where_set_up_did(options.record)?;
    let kernel = caching_kernel_config();
    notebook_session::prepare(&kernel)?;
    let folder = KernelFolder::new(&kernel)?;
    let shutdown = Shutdown::of(folder.path())?;
    let start = env::current_dir()?;
    let mut all_good = true;
    for notebook in notebooks {
        let name = printed::name(&notebook.name());
        print(format_args!("{name} ... "))?;
        if notebook.code_cells().next().is_none() {
            say!("ok, it has no code cells")?;
            continue;
        }
        let began = Instant::now();
        let original = match options.check {
            true => Original::of(&notebook.name(), &notebook.folder()?, project::ATTENTION)?,
            false => None,
        };
        // Relative paths in cells are relative to the notebook's folder; those on the command line
        // are relative to the folder in which it was typed.
        env::set_current_dir(start.join(notebook.folder()?))?;
        let cells = notebook.code_cells().count();
        let at = |cell| printed::replace_line(format_args!("{name} ... cell {cell} of {cells} "));
        let ran = run_cells(
            &notebook,
            &at,
            &kernel,
            &folder,
            options.check,
            original.as_ref(),
        );
        env::set_current_dir(&start)?;
        printed::replace_line(format_args!("{name} ... "))?;
        if !matches!(ran, Ok(Ok(_))) {
            shutdown.wait_if_begun();
        }
        match ran? {
            Ok(ran) => {
                let cells = ran.outputs.len();
                let seconds = began.elapsed().as_secs_f64();
                if options.save {
                    let _whole = shutdown.delay();
                    notebook.save(ran.outputs)?;
                    trust::sign(&[start.join(notebook.path())], Reader::Lab);
                }
                let saved = if options.save { ", saved" } else { "" };
                let compared = original.map_or(String::new(), |original| {
                    format!(", {} printed values compared", original.count())
                });
                say!("ok, {cells} cells, {seconds:.0} s{saved}{compared}")?;
                if options.times {
                    print_times(&ran.times)?;
                }
            }
            Err(failure) if failure.message.contains(project::NOT_FETCHED) => {
                say!("SKIPPED at cell {}\n{}", failure.cell, failure.message)?;
            }
            Err(failure) => {
                say!(
                    "FAILED at cell {}\n{}\n{}",
                    failure.cell,
                    indented(&failure.source),
                    failure.message
                )?;
                all_good = false;
            }
        }
    }
    Ok(ExitCode::from(if all_good { 0 } else { 1 }))
}

/// The outputs of a notebook's code cells, and how long each cell took.
struct Ran {
    outputs: Vec<Outputs>,
    times: Vec<Duration>,
}

/// The first cell that failed or differed.
struct FailedCell {
    /// Its number among the code cells, counted from 1.
    cell: usize,
    source: String,
    message: String,
}

fn run_cells(
    notebook: &Notebook,
    at: &dyn Fn(usize) -> Result<()>,
    kernel: &Config,
    folder: &KernelFolder,
    check: bool,
    original: Option<&Original>,
) -> Result<Result<Ran, FailedCell>> {
    let mut session = Session::start(kernel, &folder.session(), None)
        .map_err(|failure| anyhow!(failure.text()))?;
    let mut ran = Ran {
        outputs: Vec::new(),
        times: Vec::new(),
    };
    for (index, cell) in notebook.code_cells().enumerate() {
        let source = cell.source();
        at(index + 1)?;
        let began = Instant::now();
        let mut outputs = Outputs::new();
        let mut show = |output| add_output(&mut outputs, output);
        let executed = session.execute(Cell::of(&source), &mut show, &mut |_| None);
        ran.times.push(began.elapsed());
        let failed = executed.err().map(|failure| failure.text());
        let message = failed
            .or_else(|| difference_from_stored(&cell, &outputs, check))
            .or_else(|| {
                let compare = original?.check_after(&cell.id())?;
                Some(session.check(&compare).err()?.text())
            });
        if let Some(message) = message {
            return Ok(Err(FailedCell {
                cell: index + 1,
                source,
                message,
            }));
        }
        ran.outputs.push(outputs);
    }
    let ids: HashSet<String> = notebook.code_cells().map(|cell| cell.id()).collect();
    let left = original.map_or(Vec::new(), |original| original.not_after(&ids));
    if !left.is_empty() {
        return Ok(Err(FailedCell {
            cell: ran.outputs.len(),
            source: String::new(),
            message: format!(
                "these values were not compared with what the original printed, because the \
                 notebook has no such cells: {}",
                left.join(", ")
            ),
        }));
    }
    Ok(Ok(ran))
}

/// How the outputs of a cell differ from the stored ones, if it is to be checked.
fn difference_from_stored(cell: &StoredCell, outputs: &Outputs, check: bool) -> Option<String> {
    let compare = check && !cell.varies();
    compare.then(|| difference(&text_of(&cell.outputs()), &text_of(outputs)))?
}

/// A message with both texts, if they differ.
fn difference(stored: &str, fresh: &str) -> Option<String> {
    (stored != fresh).then(|| {
        format!(
            "the output differs from the stored one\nstored:\n{}\nfresh:\n{}\n\
             If the fresh output is right, store it: `{}`.",
            indented(stored),
            indented(fresh),
            project::command("run --save")
        )
    })
}

/// Prints each cell's time in seconds, and the median without the first two, which load the crate.
fn print_times(times: &[Duration]) -> Result<()> {
    let seconds: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
    for (index, seconds) in seconds.iter().enumerate() {
        say!("  cell {:>3}  {seconds:.2} s", index + 1)?;
    }
    let mut later = seconds.get(2..).unwrap_or_default().to_vec();
    later.sort_by(f64::total_cmp);
    if let Some(median) = later.get(later.len() / 2) {
        say!("  median after the first two: {median:.2} s")?;
    }
    Ok(())
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  | {line}")).collect();
    lines.join("\n")
}
