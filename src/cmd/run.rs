//! `run`: notebooks from top to bottom, without Jupyter and without a browser.

use crate::cli::Run;
use crate::notebook::{Notebook, Outputs, add_output, text_of};
use crate::printed::{print, say};
use crate::project;
use anyhow::Result;
use notebook_kernel::{CellWorkspace, Session, SingleThread};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs every notebook in a fresh evaluator. Exit code 0: all good; 1: a cell
/// failed, or printed something else than is stored.
pub fn run(options: &Run, thread: SingleThread) -> Result<ExitCode> {
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
    let kernel = project::kernel();
    notebook_kernel::prepare(&kernel)?;
    let (workspace, ending) = CellWorkspace::open_until_signal(&kernel, thread)?;
    let start = std::env::current_dir()?;
    let mut all_good = true;
    for mut notebook in notebooks {
        print(format_args!("{} ... ", notebook.name()))?;
        if notebook.code_cells().next().is_none() {
            say!("ok, it has no code cells")?;
            continue;
        }
        let began = Instant::now();
        // Relative paths in cells start at the notebook's folder, relative paths
        // of the command line at the folder it was typed in.
        std::env::set_current_dir(start.join(notebook.folder()?))?;
        let ran = run_cells(&notebook, &workspace, options.check);
        std::env::set_current_dir(&start)?;
        if !matches!(ran, Ok(Ok(_))) {
            ending.is_no_reason();
        }
        match ran? {
            Ok(ran) => {
                let cells = ran.outputs.len();
                let seconds = began.elapsed().as_secs_f64();
                if options.save {
                    let _whole = ending.not_now();
                    notebook.save(ran.outputs)?;
                }
                let saved = if options.save { ", saved" } else { "" };
                say!("ok, {cells} cells, {seconds:.0} s{saved}")?;
                if options.times {
                    print_times(&ran.times)?;
                }
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

/// What the code cells of a notebook put out, and how long each took.
struct Ran {
    outputs: Vec<Outputs>,
    times: Vec<Duration>,
}

/// The first cell that did not do what it should.
struct Failure {
    /// Its number among the code cells, from 1.
    cell: usize,
    source: String,
    message: String,
}

fn run_cells(
    notebook: &Notebook,
    workspace: &CellWorkspace,
    check: bool,
) -> Result<Result<Ran, Failure>> {
    let mut session = Session::start(workspace.path(), "")?;
    let mut ran = Ran {
        outputs: Vec::new(),
        times: Vec::new(),
    };
    for (index, cell) in notebook.code_cells().enumerate() {
        let source = cell.source();
        let began = Instant::now();
        let mut outputs = Outputs::new();
        let mut show = |output| add_output(&mut outputs, output);
        let executed = session.execute(&source, &mut show, &mut |_| None);
        ran.times.push(began.elapsed());
        let message = match executed {
            Err(failure) => Some(failure.text()),
            Ok(()) if check && !cell.varies() => {
                difference(&text_of(&cell.outputs()), &text_of(&outputs))
            }
            Ok(()) => None,
        };
        if let Some(message) = message {
            return Ok(Err(Failure {
                cell: index + 1,
                source,
                message,
            }));
        }
        ran.outputs.push(outputs);
    }
    Ok(Ok(ran))
}

/// Both texts, if they differ.
fn difference(stored: &str, fresh: &str) -> Option<String> {
    (stored != fresh).then(|| {
        format!(
            "the output differs from the stored one\nstored:\n{}\nfresh:\n{}\n\
             If the fresh output is right, store it: `cargo run --release -- run --save`.",
            indented(stored),
            indented(fresh)
        )
    })
}

/// Every cell's seconds, and the median after the two cells that load the crate
/// and warm the type inference up.
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
