//! One evaluation of a notebook: cells go in, outputs and failures come out.

use crate::evaluation::analysis::{Analysed, Analysis};
use crate::evaluation::cell_run::{CellRun, Failed, HOLD};
use crate::evaluation::cell_source::CellSource;
use crate::evaluation::compile_error;
use crate::evaluation::controls::Controls;
use crate::evaluation::crash;
use crate::evaluation::event::{Done, Event, Input, MOST_WAITING, Variable};
use crate::evaluation::failure::Failure;
use crate::evaluation::hints::Known;
use crate::evaluation::index::Suspects;
use crate::evaluation::interrupt::{Demand, Interrupter, kill_cells, kill_compilers};
use crate::evaluation::memory::{End, Memory};
use crate::evaluation::nesting;
use crate::evaluation::output::Output;
use crate::evaluation::place::Place;
use crate::evaluation::relay::Relay;
use crate::evaluation::stream::Part;
use crate::evaluation::worker::{Request, Worker};
use crate::locked::locked;
use crate::own_process::running_program;
use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, select};
use notebook::convention::{INTERRUPT_FILE_VARIABLE, LIVE_DISPLAY_VARIABLE};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often a running cell is looked after.
const TICK: Duration = Duration::from_millis(50);
/// After a kill, how long the streams may stay open.
const HANG_UP: Duration = Duration::from_secs(1);

/// A fresh evaluator: no variable, no function, no crate.
pub struct Session {
    worker: Worker,
    events: Receiver<Event>,
    relay: Relay,
    interrupter: Interrupter,
    variables: Vec<Variable>,
    memory: Memory,
    /// For the relay's socket and the interrupt's flag.
    folder: PathBuf,
    /// The source that evcxr made of the last cell.
    compiled: PathBuf,
}

/// The process that was killed, and when.
type Killed = (u32, Instant);

impl Session {
    /// Starts an evaluator in the folder of a [`CellWorkspace`](crate::CellWorkspace).
    ///
    /// `first` is evaluated together with the prelude, which saves a compilation;
    /// if it fails, it is as if it were empty.
    ///
    /// # Errors
    ///
    /// If evcxr cannot be started, as where cargo is missing.
    pub fn start(workspace: &Path, first: &str) -> Result<Session> {
        let folder = workspace.join("session");
        fs::create_dir_all(&folder)?;
        let interrupt_file = folder.join("interrupt");
        let (sender, events) = crossbeam_channel::bounded(MOST_WAITING);
        let mut command = Command::new(running_program()?);
        command
            .arg0(std::env::current_exe()?)
            .env(INTERRUPT_FILE_VARIABLE, &interrupt_file)
            .env(LIVE_DISPLAY_VARIABLE, "1");
        let relay = Relay::open(&folder.join("relay"), &mut command, sender.clone())
            .context("the streams of the cells cannot be read")?;
        let worker = std::thread::scope(|scope| {
            let (started, has_started) = crossbeam_channel::bounded::<()>(0);
            let printed = events.clone();
            // What the first steps print is not shown, and must not fill the queue.
            scope.spawn(move || {
                loop {
                    select! {
                        recv(has_started) -> _ => return,
                        recv(printed) -> _ => {}
                    }
                }
            });
            let worker = Worker::start(command, first, sender, relay.activity());
            drop(started);
            worker
        })?;
        while events.try_recv().is_ok() {}
        Ok(Session {
            worker,
            events,
            relay,
            interrupter: Interrupter::new(interrupt_file),
            variables: Vec::new(),
            memory: Memory::default(),
            compiled: workspace.join("ctx/src/lib.rs"),
            folder,
        })
    }

    /// From now on cells run in another folder, and with other variables of Jupyter's.
    pub(crate) fn move_to(&self, place: Place) -> Result<()> {
        let moved = self.relay.move_to(place);
        moved.context("the process that runs the cells does not answer")
    }

    /// Whether the process that runs the cells is there.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(locked(self.worker.process()).try_wait(), Ok(None))
    }

    /// What stops its cells, for other threads.
    pub fn controls(&self) -> Controls {
        let process = Arc::clone(self.worker.process());
        Controls::new(self.interrupter.clone(), process)
    }

    /// Runs one cell to its end. Outputs go to `show` as they are made; `answer`
    /// is asked for lines of text.
    ///
    /// # Errors
    ///
    /// How the cell failed.
    pub fn execute(
        &mut self,
        cell: &str,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Input) -> String,
    ) -> Result<(), Failure> {
        nesting::check(cell)?;
        let source = CellSource::new(cell);
        self.interrupter.begin();
        let mut run = CellRun::new(show);
        let idle_text = self.relay.take_idle_text().into_text();
        run.handle(Event::Part(Part::Text(idle_text)));
        self.worker
            .request(Request::Execute(source.text(), source.activity()))?;
        let (done, was_killed) = self.run_to_end(&mut run, answer)?;
        // What the cell printed came before its end on the same way.
        let was_interrupted = self.interrupter.end();
        let Done { outcome, variables } = done;
        let before = std::mem::replace(&mut self.variables, variables);
        let last_words = run.last_words.take();
        let failed = run.finish(source.ends_in_value());
        let end = match (&outcome, &failed) {
            (Err(evcxr::Error::SubprocessTerminated(_)), _) => End::ProcessEnded,
            (Ok(_), None) => End::Success,
            _ => End::Failure,
        };
        let result = match outcome {
            Err(evcxr::Error::SubprocessTerminated(how)) => {
                let why = crash::reason(&how, &last_words.unwrap_or_default());
                Err(Failure::process_ended(
                    &how,
                    why.as_deref(),
                    &before,
                    was_killed,
                ))
            }
            _ if was_interrupted => {
                let moved = match failed {
                    Some(_) => self.take_back(&before),
                    None => Vec::new(),
                };
                let message = match moved.is_empty() {
                    true => "stopped; all variables are kept",
                    false => "stopped",
                };
                Err(Failure::new("Interrupted", message).and_moved(&moved))
            }
            Ok(outputs) => match failed {
                Some(failed) => {
                    let mut suspects = None;
                    let mut failure = match failed {
                        Failed::Panic(panic) => {
                            let line = panic.line(cell, &self.compiled);
                            suspects = Suspects::of(&panic.message, cell, line, &before);
                            panic.into_failure(cell, &self.compiled)
                        }
                        Failed::Err(message) => Failure::new("Err", message),
                    };
                    let moved = self.take_back(&before);
                    if let Some(why) = suspects.and_then(|suspects| self.ask_about(suspects)) {
                        failure.message = why;
                    }
                    Err(failure.and_moved(&moved))
                }
                None => {
                    let values = outputs.content_by_mime_type;
                    if !values.is_empty() {
                        show(Output::Result(values.into_iter().collect()));
                    }
                    Ok(())
                }
            },
            Err(_) if !self.folder.exists() => Err(Failure::no_folder(&self.folder)),
            Err(error) => {
                let known = Known {
                    cell,
                    variables: &before,
                    memory: &self.memory,
                };
                Err(compile_error::failure(error, &known, source.added_line()))
            }
        };
        self.memory.note(cell, end, &before, &self.variables);
        result
    }

    /// The number that the front end shows beside the next cell.
    pub fn number_next_cell(&mut self, number: u64) {
        self.memory.number_next(number);
    }

    /// Remembers a cell that was to run, and did not because one before it had failed.
    pub fn note_aborted(&mut self, cell: &str) {
        let variables = &self.variables;
        self.memory.note(cell, End::NotRun, variables, variables);
    }

    /// Takes back, after a cell that failed, what it had defined anew: evcxr has forgotten
    /// these variables, but the process has kept them. Returns those that are gone.
    fn take_back(&mut self, before: &[Variable]) -> Vec<Variable> {
        let mut gone = Vec::new();
        for variable in before {
            if self.variables.iter().any(|one| one.name == variable.name) {
                continue;
            }
            let Variable { name, type_name } = variable;
            let code = format!(
                "let mut {name}: {type_name} = \
                 evcxr_variable_store.take_variable::<{type_name}>(stringify!({name}));"
            );
            if self.execute_hidden(&code).is_err() {
                gone.push(variable.clone());
            }
        }
        gone
    }

    /// Which index was out of bounds, as far as the variables can still say.
    fn ask_about(&mut self, suspects: Suspects) -> Option<String> {
        let suspects = suspects.among(&self.variables);
        let answer = |with_indices| {
            let printed = self.execute_hidden(&suspects.question(with_indices));
            suspects.conclusion(&printed.ok()?)
        };
        [true, false].into_iter().find_map(answer)
    }

    /// Runs code of our own, and shows nothing of it; returns what it prints.
    fn execute_hidden(&mut self, code: &str) -> Result<String, Failure> {
        self.interrupter.begin();
        let source = CellSource::new(code);
        self.worker
            .request(Request::Execute(source.text(), source.activity()))?;
        let mut printed = String::new();
        let mut hide = |output| {
            if let Output::Text(_, text) = output {
                printed += &text;
            }
        };
        let mut run = CellRun::new(&mut hide);
        let (done, _) = self.run_to_end(&mut run, &mut |_| String::new())?;
        self.interrupter.end();
        self.variables = done.variables;
        match (done.outcome, run.finish(false)) {
            (Ok(_), None) => Ok(printed),
            _ => Err(Failure::new("Err", "")),
        }
    }

    /// How the cell ended, and whether its process was killed for that.
    fn run_to_end(
        &mut self,
        run: &mut CellRun<'_>,
        answer: &mut dyn FnMut(&Input) -> String,
    ) -> Result<(Done, bool), Failure> {
        let mut killed = None;
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Done(done)) => return Ok((*done, killed.is_some())),
                Ok(Event::Input(mut input)) => {
                    run.show_held_back(Duration::ZERO);
                    // evcxr's prompt ends at the first colon.
                    input.prompt = run.prompt.take().unwrap_or_default();
                    let text = match self.interrupter.demand() {
                        Demand::Nothing => answer(&input),
                        Demand::Stop | Demand::Kill => String::new(),
                    };
                    input.answer(text);
                }
                Ok(event) => run.handle(event),
                Err(RecvTimeoutError::Timeout) if self.worker.has_ended() => {
                    return Err(Failure::no_evaluator());
                }
                Err(RecvTimeoutError::Timeout) => run.show_held_back(HOLD),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::no_evaluator()),
            }
            let demand = self.interrupter.demand();
            if demand != Demand::Nothing {
                run.stop();
            }
            self.apply_demand(demand, &mut killed);
        }
    }

    /// Stops the cell as far as that is due.
    fn apply_demand(&self, demand: Demand, killed: &mut Option<Killed>) {
        if demand == Demand::Nothing {
            return;
        }
        let mut process = locked(self.worker.process());
        match *killed {
            None if demand == Demand::Kill => {
                *killed = Some((process.id(), Instant::now()));
                kill_cells(&mut process);
            }
            None => {
                drop(process);
                kill_compilers(self.worker.process());
            }
            // What the cell started holds the streams open, so evcxr sees no end.
            Some((id, when)) if id == process.id() && when.elapsed() > HANG_UP => {
                self.relay.hang_up();
            }
            Some(_) => {}
        }
    }

    /// Asks about code; `None` without an answer.
    pub fn analyse(&self, analysis: Analysis) -> Option<Analysed> {
        nesting::check(analysis.code()).ok()?;
        let (sender, answer) = mpsc::channel();
        self.worker
            .request(Request::Analyse(analysis, sender))
            .ok()?;
        answer.recv().ok()?
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.worker.end();
        let _ = fs::remove_dir_all(&self.folder); // it may be gone with its workspace
    }
}
