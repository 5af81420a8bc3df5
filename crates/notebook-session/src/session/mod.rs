//! A notebook session: takes cells, and returns outputs and failures.

mod cell_run;
mod output;
mod panicked;
mod printed;
mod run_code;
mod run_commands;

use crate::array_types;
use crate::assistance::Assistance;
use crate::config::{CellCommand, Config};
use crate::crash;
use crate::earlier_cells::{CellOutcome, EarlierCells};
use crate::failure::{self, PROCESS_HAD_ENDED};
use crate::first_lines::{self, Anew};
use crate::formatting;
use crate::hiding;
use crate::interrupt::Interrupter;
#[cfg(target_os = "linux")]
use crate::kernel_folder::supervisor;
use crate::nesting;
use crate::notebook_path::notebook;
use crate::own_commands;
use crate::remarks;
use crate::remote::SessionRemote;
use crate::session::cell_run::CellRun;
use crate::set_up::{self, Prepared};
use crate::stale_cells::StaleCells;
use crate::summaries;
use crate::timing;
use crate::variable::Variable;
use cell_evaluator::assist::NotebookCode;
use cell_evaluator::{CellCompiler, Crates, Process};
use jupyter_kernel::locked;
use notebook::convention::{
    INTERRUPT_FILE_VARIABLE, LIVE_DISPLAY_VARIABLE, LIVE_VARIABLE, SECRET_VARIABLE,
};
use notebook::evaluator::{Cell, Failure, Output, Question, Remote, Stream, VariableSummary};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The name of the file that exists while a cell should stop.
const INTERRUPT: &str = "interrupt";
/// The name of the working folder of completion and inspection.
const ASSIST: &str = "assist";

type Show<'a> = &'a mut dyn FnMut(Output);
type AskForInput<'a> = &'a mut dyn FnMut(&Question) -> Option<String>;

/// A notebook session. It starts without any variables or functions.
pub struct Session {
    folder: PathBuf,
    prepared: Prepared,
    imports: String,
    own_commands: Vec<CellCommand>,
    notebook: Option<PathBuf>,
    live: Option<PathBuf>,
    cell_compiler: CellCompiler,
    process: Option<Process>,
    remote: SessionRemote,
    secret: String,
    earlier_cells: EarlierCells,
    /// The execution number of the running cell.
    number: Option<u64>,
    settings: Settings,
    /// How long the compiler took for the running cell.
    compiled_in: Option<Duration>,
    crates: Crates,
    /// The error codes last reported by the compiler, for `:explain`.
    last_errors: Vec<String>,
}

/// Settings changed by commands.
struct Settings {
    shows_time: bool,
    /// Like [`Settings::shows_time`], but only for the running cell.
    shows_its_time: bool,
    is_offline: bool,
}

impl Session {
    /// Starts a session in a kernel's folder, with a process for its cells. `live` is the path of
    /// the kernel's socket on which cells register live pictures, if there is one.
    ///
    /// # Errors
    ///
    /// If cells cannot be run; the failure says why.
    pub fn start(
        config: &Config,
        folder: &Path,
        live: Option<PathBuf>,
    ) -> Result<Session, Failure> {
        let prepared = set_up::prepared(config, folder);
        let prepared = prepared.map_err(|error| failure::no_evaluator(&format!("{error:#}")))?;
        let remote = SessionRemote {
            interrupter: Interrupter::new(folder.join(INTERRUPT)),
            compilers: prepared.compiler.compilers.clone(),
            running: Default::default(),
            is_shut_down: Arc::default(),
            assistance: Assistance::new(&folder.join(ASSIST), &prepared.sysroot, &config.commands),
            stale_cells: Arc::default(),
        };
        let mut session = Session {
            cell_compiler: cell_compiler(folder, &prepared, &config.imports),
            process: None,
            remote,
            secret: uuid::Uuid::new_v4().simple().to_string(),
            earlier_cells: EarlierCells::default(),
            number: None,
            settings: Settings {
                shows_time: false,
                shows_its_time: false,
                is_offline: true,
            },
            compiled_in: None,
            crates: prepared.crates.clone(),
            last_errors: Vec::new(),
            prepared,
            folder: folder.to_owned(),
            imports: config.imports.clone(),
            own_commands: config.commands.clone(),
            notebook: notebook(),
            live,
        };
        session.remote.assistance.use_crates(&session.crates);
        session.tell_assistance();
        session.start_process()?;
        Ok(session)
    }

    /// Passes the current definitions and variables to completion and inspection.
    fn tell_assistance(&self) {
        let around = NotebookCode::of(&self.cell_compiler);
        self.remote.assistance.use_notebook(around);
    }

    /// The variables of the notebook: names and types.
    pub fn variables(&self) -> Vec<(String, String)> {
        let pair = |one: Variable| (one.name, one.type_name);
        self.all_variables().into_iter().map(pair).collect()
    }

    fn all_variables(&self) -> Vec<Variable> {
        let variables = self.cell_compiler.variables().values();
        let named = variables.filter(|one| !one.name.starts_with('_'));
        let readable = named.map(|one| Variable {
            name: one.name.clone(),
            type_name: array_types::shortened(&self.cell_compiler.type_name(one)),
        });
        readable.collect()
    }

    fn new_cell_compiler(&self) -> CellCompiler {
        cell_compiler(&self.folder, &self.prepared, &self.imports)
    }

    fn start_process(&mut self) -> Result<(), Failure> {
        if self.remote.is_shut_down.load(Ordering::Relaxed) {
            return Err(failure::no_evaluator("the kernel ends"));
        }
        self.process = None; // ends the previous process
        *locked(&self.remote.stale_cells) = StaleCells::default();
        let mut command = command(&self.prepared.tools.program, &self.folder);
        let flag = self.folder.join(INTERRUPT);
        command
            .env(SECRET_VARIABLE, &self.secret)
            .env(INTERRUPT_FILE_VARIABLE, flag)
            .env(LIVE_DISPLAY_VARIABLE, "1");
        if let Some(live) = &self.live {
            command.env(LIVE_VARIABLE, live);
        }
        let (folder, running) = (&self.folder, &self.remote.running);
        let started = Process::start(command, folder, &self.secret, running);
        if !folder.exists() {
            return Err(failure::no_folder(folder));
        }
        self.process = Some(started.map_err(|error| {
            failure::no_evaluator(&format!("the process for cells did not start: {error}"))
        })?);
        Ok(())
    }

    fn execute_begun(
        &mut self,
        cell: Cell<'_>,
        show: Show<'_>,
        answer: AskForInput<'_>,
    ) -> Result<(), Failure> {
        if first_lines::commands(cell.code).any(|(word, _)| word == formatting::COMMAND) {
            show(Output::Rewritten(self.format(cell.code)?));
            return Ok(());
        }
        let own = own_commands::called(cell.code, &self.own_commands)?;
        let notebook = self.notebook.as_deref();
        let made = own.map(|call| own_commands::expand(call, &self.variables(), notebook));
        let made = made.transpose()?;
        let code = made.as_deref().unwrap_or(cell.code);
        let mut run = CellRun::new(show);
        self.begin_process(&mut run)?;
        if let Some(number) = cell.number {
            self.earlier_cells.number_next(number);
            self.number = Some(number);
        }
        let before = match first_lines::resets(code) {
            Some(Anew::Everything) => Vec::new(), // discarded on purpose
            _ => self.all_variables(),
        };
        let began = Instant::now();
        let commanded = self.run_commands(code, &mut run);
        let (end, ended) = match commanded {
            Ok(values) if first_lines::first_line_of_rust(code).is_none() => {
                run.finish(false);
                if !values.is_empty() {
                    show(Output::Result(values));
                }
                (CellOutcome::Success, Ok(()))
            }
            Ok(values) => {
                if let Some(text) = values.get("text/plain") {
                    run.tell(text);
                }
                let (end, ended) = self.run_code(code, cell.key, run, answer, &before);
                if ended.is_ok() {
                    let exists = |name: &str| self.cell_compiler.variables().contains_key(name);
                    let hiding = hiding::about(code, exists, &self.earlier_cells);
                    for remark in remarks::about(code).into_iter().chain(hiding) {
                        show(Output::Text(Stream::Stderr, remark));
                    }
                }
                (end, ended)
            }
            Err(failure) => {
                run.finish(false);
                (CellOutcome::Failure, Err(failure))
            }
        };
        let compiled_in = self.compiled_in.take();
        if std::mem::take(&mut self.settings.shows_its_time) || self.settings.shows_time {
            let line = timing::line(began.elapsed(), compiled_in);
            show(Output::Text(Stream::Stdout, line));
        }
        self.earlier_cells
            .note(code, end, &before, &self.all_variables());
        ended
    }

    /// The text of a cell, formatted.
    fn format(&self, cell: &str) -> Result<String, Failure> {
        let rustfmt = self.prepared.compiler.rustc.with_file_name("rustfmt");
        formatting::formatted(cell, &rustfmt, &self.remote.compilers, &self.folder)
    }

    /// Ensures that a process is running, and shows what it has printed since the last cell.
    fn begin_process(&mut self, run: &mut CellRun<'_>) -> Result<(), Failure> {
        let Some(process) = &self.process else {
            return self.start_process();
        };
        let mut text = process.take_idle_text();
        let last_words = crash::last_words(&text);
        let ended = match last_words {
            Some(_) => self.remote.running.wait(),
            None => process.status(),
        };
        let words = match last_words {
            Some(place) if ended.is_some() => text.split_off(place),
            _ => String::new(),
        };
        run.text(&text);
        if let Some(how) = ended {
            if let Some(sentence) = crash::between_cells(how, &words) {
                run.tell(&sentence);
            }
            self.cell_compiler.forget_variables();
            self.start_process()?;
            run.tell(PROCESS_HAD_ENDED);
        }
        Ok(())
    }
}

impl notebook::evaluator::Evaluator for Session {
    fn execute(
        &mut self,
        cell: Cell<'_>,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Question) -> Option<String>,
    ) -> Result<(), Failure> {
        locked(&self.remote.stale_cells).begin(cell.key);
        nesting::check(cell.code)?;
        first_lines::check(cell.code)?;
        let begins = self.remote.begin_cell();
        let executed = self.execute_begun(cell, show, answer);
        self.tell_assistance();
        if begins {
            self.remote.interrupter.end();
        }
        executed
    }

    fn variables(&mut self) -> Vec<VariableSummary> {
        let variables = self.all_variables();
        let question = summaries::question(&variables);
        let answered = question.and_then(|code| self.run_hidden(&code).ok());
        summaries::of(variables, &answered.unwrap_or_default())
    }

    fn skipped(&mut self, code: &str) {
        let variables = self.all_variables();
        self.earlier_cells
            .note(code, CellOutcome::NotRun, &variables, &variables);
    }

    fn remote(&self) -> Arc<dyn Remote> {
        Arc::new(self.remote.clone())
    }
}

/// A compiler of cells in its initial state.
pub(crate) fn cell_compiler(folder: &Path, prepared: &Prepared, imports: &str) -> CellCompiler {
    let mut compiler = prepared.compiler.clone();
    compiler.use_crates(&prepared.crates);
    let mut cell_compiler = CellCompiler::new(folder, compiler);
    cell_compiler.import(imports);
    cell_compiler
}

/// The command that runs cells, through a supervisor where that is supported.
#[cfg(target_os = "linux")]
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new("/proc/self/exe");
    let kernel = folder.parent().unwrap_or(folder);
    command.args(supervisor::arguments(kernel)).arg(program);
    command
}

#[cfg(not(target_os = "linux"))]
fn command(program: &Path, _folder: &Path) -> Command {
    Command::new(program)
}
