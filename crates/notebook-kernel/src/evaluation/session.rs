//! One evaluation of a notebook: cells go in, outputs and failures come out.

use crate::config::CellCommand;
use crate::evaluation::analysis::{Analysed, Analysis};
use crate::evaluation::cell_run::{CellRun, Failed, HOLD};
use crate::evaluation::cell_source::CellSource;
use crate::evaluation::compile_error;
use crate::evaluation::controls::Controls;
use crate::evaluation::crash;
use crate::evaluation::dep_paths::OnlyCrates;
use crate::evaluation::event::{Done, Event, Input, MOST_WAITING, Variable};
use crate::evaluation::failure::{Failure, PROCESS_HAD_ENDED};
use crate::evaluation::first_lines;
use crate::evaluation::hints::Known;
use crate::evaluation::index::Suspects;
use crate::evaluation::interrupt::{Demand, Interrupter, flag, kill_cells, kill_compilers};
use crate::evaluation::literal_shapes;
use crate::evaluation::live::hub::Hub;
use crate::evaluation::memory::{self, Memory};
use crate::evaluation::missing_crate;
use crate::evaluation::nesting;
use crate::evaluation::output::{Output, Stream};
use crate::evaluation::own_commands;
use crate::evaluation::place::Place;
use crate::evaluation::relay::Relay;
use crate::evaluation::remarks;
use crate::evaluation::standard_input::{Reader, waiting_reader};
use crate::evaluation::stream::Part;
use crate::evaluation::worker::{Asked, Request, Worker};
use crate::locked::locked;
use crate::own_process::running_program;
use crate::workspace::cargo_shim::progress::Progress;
use crate::workspace::of_user;
use crate::workspace::writers::WRITERS;
use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, select};
use notebook::convention::{INTERRUPT_FILE_VARIABLE, LIVE_DISPLAY_VARIABLE, LIVE_VARIABLE};
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
/// After a kill, how long what the cell has printed has to come.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// How long a process may take to end that has said its last words.
const DYING: Duration = Duration::from_secs(10);
/// After so long a cell says that it waits for one that was stopped.
const SILENCE: Duration = Duration::from_secs(3);

const WAITING: &str = "[Waiting for the analysis of the cell that was stopped: it cannot be cut \
    short. This cell runs when it is done, and can be stopped, too; \"Restart\" does not wait.]\n";
const CANNOT_ASK: &str = "[This front end cannot ask for text: the cell gets none.]\n";
const NO_INPUT_FOR_CHILDREN: &str = "[A program that this cell has started reads its standard \
    input. That is empty: it has got the end of the input.]\n";

/// Where the answer to a question about code comes.
pub(crate) type Answer = mpsc::Receiver<Option<Analysed>>;

/// A fresh evaluator: no variable, no function, no crate.
pub struct Session {
    worker: Worker,
    events: Receiver<Event>,
    relay: Relay,
    interrupter: Interrupter,
    variables: Vec<Variable>,
    memory: Memory,
    leftover: Option<Leftover>,
    own_commands: Vec<CellCommand>,
    /// The live pictures, where a front end can move them.
    live: Option<Hub>,
    /// Those that cells can load under no other path.
    crates: OnlyCrates,
    /// The path of the notebook, where Jupyter has told it.
    notebook: Option<PathBuf>,
    /// What cargo does for a cell.
    progress: Progress,
    /// For the relay's socket and the interrupt's flag.
    folder: PathBuf,
    /// The source that evcxr made of the last cell.
    compiled: PathBuf,
}

/// The process that was killed, and when.
type Killed = (u32, Instant);

/// In the place of a process that was not killed.
const NO_PROCESS: u32 = 0;

/// What evcxr still does for a cell that has its answer.
#[derive(Clone, Copy, PartialEq)]
enum Leftover {
    /// It analyses or compiles the cell, which will not run.
    Cell,
    /// It starts another process after this one.
    Process(Killed),
}

/// How far a cell came.
enum End {
    /// evcxr is done with it; whether the process was killed for that.
    Done(Box<Done>, bool),
    /// evcxr is not, but nobody waits for that.
    Left(Leftover),
}

impl Session {
    /// Starts an evaluator in the folder of a [`CellWorkspace`](crate::CellWorkspace).
    ///
    /// `first` is evaluated together with the prelude, which saves a compilation;
    /// if it fails, it is as if it were empty. Cells can use `own_commands` besides evcxr's.
    ///
    /// # Errors
    ///
    /// If evcxr cannot be started, as where cargo is missing.
    pub fn start(workspace: &Path, first: &str, own_commands: &[CellCommand]) -> Result<Session> {
        Session::start_with(workspace, first, own_commands, false)
    }

    /// The same; with live pictures, if there is a front end that can move them.
    pub(crate) fn start_with(
        workspace: &Path,
        first: &str,
        own_commands: &[CellCommand],
        is_live: bool,
    ) -> Result<Session> {
        let folder = workspace.join("session");
        {
            let _writing = WRITERS.begin()?;
            fs::create_dir_all(&folder)?;
        }
        let interrupt_file = flag(workspace);
        let interrupter = Interrupter::new(interrupt_file.clone());
        let (sender, events) = crossbeam_channel::bounded(MOST_WAITING);
        let mut command = Command::new(running_program()?);
        command
            .arg0(std::env::current_exe()?)
            .env(INTERRUPT_FILE_VARIABLE, &interrupt_file)
            .env(LIVE_DISPLAY_VARIABLE, "1");
        of_user::give_to(&mut command);
        let mut live = None;
        if is_live {
            let socket = folder.join("live");
            live = Some(Hub::open(&socket).context("live pictures cannot be registered")?);
            command.env(LIVE_VARIABLE, socket);
        }
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
            let asked = Asked {
                first: first.to_owned(),
                own_commands: own_commands.to_owned(),
            };
            let worker = Worker::start(command, asked, sender, &relay, interrupter.clone());
            drop(started);
            worker
        })?;
        while events.try_recv().is_ok() {}
        Ok(Session {
            worker,
            events,
            relay,
            interrupter,
            variables: Vec::new(),
            memory: Memory::default(),
            leftover: None,
            own_commands: own_commands.to_owned(),
            live,
            crates: OnlyCrates::of(workspace),
            compiled: workspace.join("ctx/src/lib.rs"),
            notebook: Place::default().notebook(),
            progress: Progress::of(workspace),
            folder,
        })
    }

    /// From now on cells run in another folder, and with other variables of Jupyter's.
    pub(crate) fn move_to(&mut self, place: Place) -> Result<()> {
        self.notebook = place.notebook();
        let moved = self.relay.move_to(place);
        moved.context("the process that runs the cells does not answer")
    }

    /// The path of the notebook, where Jupyter has told it.
    pub(crate) fn notebook(&self) -> Option<&Path> {
        self.notebook.as_deref()
    }

    /// Whether the process that runs the cells is there.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(locked(self.worker.process()).try_wait(), Ok(None))
    }

    /// What stops its cells, for other threads.
    pub fn controls(&self) -> Controls {
        let process = Arc::clone(self.worker.process());
        Controls::new(self.interrupter.clone(), process, self.live.clone())
    }

    /// Runs one cell to its end. Outputs go to `show` as they are made; `answer`
    /// is asked for lines of text, `None` where there is nobody to ask.
    ///
    /// # Errors
    ///
    /// How the cell failed.
    pub fn execute(
        &mut self,
        cell: &str,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Input) -> Option<String>,
    ) -> Result<(), Failure> {
        nesting::check(cell)?;
        first_lines::check(cell)?;
        own_commands::called(cell, &self.own_commands)?;
        self.interrupter.begin();
        let executed = self.execute_begun(cell, show, answer);
        self.interrupter.end(); // however the cell ended
        executed
    }

    fn execute_begun(
        &mut self,
        cell: &str,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Input) -> Option<String>,
    ) -> Result<(), Failure> {
        let mut run = CellRun::new(show);
        self.wait_for_leftover(&mut run)?;
        let written = cell;
        let made = own_commands::called(cell, &self.own_commands)?
            .map(|call| own_commands::expand(call, &self.variables(), self.notebook()))
            .transpose()?;
        let cell = made.as_deref().unwrap_or(written);
        let source = CellSource::new(cell);
        self.show_idle_text(&mut run);
        self.progress.begin();
        self.worker.request(Request::Execute(
            source.text(&self.crates),
            source.activity(),
        ))?;
        let (done, was_killed) = match self.run_to_end(&mut run, answer)? {
            End::Done(done, was_killed) => (*done, was_killed),
            End::Left(leftover) => {
                run.finish(false);
                let before = self.variables.clone();
                let failure = self.leave(leftover);
                let end = memory::End::Failure;
                self.memory.note(cell, end, &before, &self.variables);
                return Err(failure);
            }
        };
        // What the cell printed came before its end on the same way.
        let was_interrupted = self.interrupter.end();
        let Done { outcome, variables } = done;
        let before = std::mem::replace(&mut self.variables, variables);
        let last_words = run.last_words.take();
        let failed = run.finish(source.ends_in_value());
        let end = match (&outcome, &failed) {
            (Err(evcxr::Error::SubprocessTerminated(_)), _) => memory::End::ProcessEnded,
            (Ok(_), None) => memory::End::Success,
            _ => memory::End::Failure,
        };
        let result = match outcome {
            Err(evcxr::Error::SubprocessTerminated(_)) if was_killed => {
                Err(Failure::killed(&before))
            }
            Err(evcxr::Error::SubprocessTerminated(how)) => {
                let why = crash::reason(&how, &last_words.unwrap_or_default());
                Err(Failure::process_ended(&how, why.as_deref(), &before))
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
                    let (mut suspects, mut of_literals) = (None, None);
                    let mut failure = match failed {
                        Failed::Panic(panic) => {
                            let line = panic.line(cell, &self.compiled);
                            suspects = Suspects::of(&panic.message, cell, line, &before);
                            of_literals = literal_shapes::about(&panic.message, cell, line);
                            panic.into_failure(cell, &self.compiled)
                        }
                        Failed::Err(message) => Failure::new("Err", message),
                    };
                    let moved = self.take_back(&before);
                    let asked = suspects.and_then(|suspects| self.ask_for_shapes(suspects));
                    if let Some(why) = asked.or(of_literals) {
                        failure.message = why;
                    }
                    Err(failure.and_moved(&moved))
                }
                None => {
                    let mut values = outputs.content_by_mime_type;
                    own_commands::add_help(cell, &mut values, &self.own_commands);
                    if !values.is_empty() {
                        show(Output::Result(values.into_iter().collect()));
                    }
                    if let Some(remark) = remarks::about(cell) {
                        show(Output::Text(Stream::Stderr, remark));
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
                let cell_crate = self.compiled.ancestors().nth(2);
                let missing = cell_crate.and_then(|folder| missing_crate::failure(folder, cell));
                Err(missing
                    .unwrap_or_else(|| compile_error::failure(error, &known, source.added_line())))
            }
        };
        self.memory.note(cell, end, &before, &self.variables);
        result
    }

    /// The variables of the notebook by their names, each with its type as evcxr writes it;
    /// without those whose names begin with `_`.
    pub fn variables(&self) -> Vec<(String, String)> {
        let pair = |one: &Variable| (one.name.clone(), one.type_name.clone());
        self.variables.iter().map(pair).collect()
    }

    /// The number that the front end shows beside the next cell.
    pub fn number_next_cell(&mut self, number: u64) {
        self.memory.number_next(number);
    }

    /// Remembers a cell that was to run, and did not because one before it had failed.
    pub fn note_aborted(&mut self, cell: &str) {
        let variables = &self.variables;
        self.memory
            .note(cell, memory::End::NotRun, variables, variables);
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
    fn ask_for_shapes(&mut self, suspects: Suspects) -> Option<String> {
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
        self.worker.request(Request::Execute(
            source.text(&self.crates),
            source.activity(),
        ))?;
        let mut printed = String::new();
        let mut hide = |output| {
            if let Output::Text(_, text) = output {
                printed += &text;
            }
        };
        let mut run = CellRun::new(&mut hide);
        let done = match self.run_to_end(&mut run, &mut |_| None)? {
            End::Done(done, _) => *done,
            End::Left(leftover) => return Err(self.leave(leftover)),
        };
        self.interrupter.end();
        self.variables = done.variables;
        match (done.outcome, run.finish(false)) {
            (Ok(_), None) => Ok(printed),
            _ => Err(Failure::new("Err", "")),
        }
    }

    /// Until evcxr is done with the cell, or the cell was stopped.
    fn run_to_end(
        &mut self,
        run: &mut CellRun<'_>,
        answer: &mut dyn FnMut(&Input) -> Option<String>,
    ) -> Result<End, Failure> {
        let mut killed = None;
        let mut looked = Instant::now();
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Done(done)) => {
                    self.show_progress(run);
                    return Ok(End::Done(done, killed.is_some()));
                }
                Ok(Event::Input(mut input)) => {
                    run.show_held_back(Duration::ZERO);
                    // evcxr's prompt ends at the first colon.
                    input.prompt = run.prompt.take().unwrap_or_default();
                    let text = self.ask(&input, run, answer);
                    input.answer(text);
                }
                Ok(event) => run.handle(event),
                Err(RecvTimeoutError::Timeout) if self.worker.has_ended() => {
                    return Err(Failure::no_evaluator());
                }
                Err(RecvTimeoutError::Timeout) => run.show_held_back(HOLD),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::no_evaluator()),
            }
            if looked.elapsed() > TICK {
                looked = Instant::now();
                self.show_progress(run);
                self.serve_standard_input(run, answer);
            }
            let demand = self.interrupter.demand();
            if demand == Demand::Nothing {
                continue;
            }
            run.stop();
            if let Some(leftover) = self.stop(&demand, &mut killed) {
                return Ok(End::Left(leftover));
            }
        }
    }

    /// Shows what was printed while no cell ran. Of a process that is about to end it says why, in
    /// place of the last words.
    fn show_idle_text(&self, run: &mut CellRun<'_>) {
        let mut text = self.relay.take_idle_text().into_text();
        let words = crash::last_words(&text).filter(|_| self.ends_soon());
        let words = words.map(|place| text.split_off(place));
        run.handle(Event::Part(Part::Text(text)));
        if let Some(words) = words {
            self.relay.take_idle_text(); // more of them
            run.tell(&crash::between_cells(&words));
        }
    }

    /// Whether the process of the cells ends, as one does that has said its last words; it may take
    /// seconds to say them.
    fn ends_soon(&self) -> bool {
        let began = Instant::now();
        while self.is_alive() && began.elapsed() < DYING {
            if self.interrupter.demand() != Demand::Nothing {
                break;
            }
            std::thread::sleep(TICK);
        }
        !self.is_alive()
    }

    /// Shows what cargo has begun since the last look.
    fn show_progress(&mut self, run: &mut CellRun<'_>) {
        if let Some(news) = self.progress.news() {
            run.tell(&news);
        }
    }

    /// The learner's answer, unless the cell should stop.
    fn ask(
        &self,
        input: &Input,
        run: &mut CellRun<'_>,
        answer: &mut dyn FnMut(&Input) -> Option<String>,
    ) -> Option<String> {
        if self.interrupter.demand() != Demand::Nothing {
            return None;
        }
        let text = answer(input);
        if text.is_none() && self.interrupter.demand() == Demand::Nothing {
            run.say_once(CANNOT_ASK);
        }
        text
    }

    /// Gives a cell what it waits for that reads its standard input by itself.
    fn serve_standard_input(
        &self,
        run: &mut CellRun<'_>,
        answer: &mut dyn FnMut(&Input) -> Option<String>,
    ) {
        let commands = self.relay.commands();
        // Else what is waited for may be on its way: evcxr's answer to what the cell has asked.
        if !commands.can_be_waited_for() {
            return;
        }
        // Asked before: whoever answers holds what says it.
        let cells = commands.process_id();
        let who_waits = || cells.and_then(waiting_reader);
        let Some(reader) = who_waits() else {
            return;
        };
        if !commands.can_be_waited_for() {
            return;
        }
        let still_waits = || who_waits() == Some(reader);
        match reader {
            Reader::Cell => {
                run.show_held_back(Duration::ZERO);
                let (input, _) = Input::new(String::new(), false);
                let text = self.ask(&input, run, answer);
                let line = text.as_ref().map(|text| text.lines().next().unwrap_or(""));
                commands.answer(line, still_waits);
            }
            Reader::Child(_) => {
                run.say_once(NO_INPUT_FOR_CHILDREN);
                commands.answer(None, still_waits);
            }
        }
    }

    /// Stops the cell as far as that is due. What evcxr goes on with is not waited for.
    fn stop(&self, demand: &Demand, killed: &mut Option<Killed>) -> Option<Leftover> {
        if let Some(killed) = *killed {
            return (killed.1.elapsed() > LAST_WORDS).then_some(Leftover::Process(killed));
        }
        let commands = self.relay.commands();
        if commands.are_in_preparation() {
            let is_due = *demand != Demand::Stop;
            return is_due.then(|| Leftover::Process((NO_PROCESS, Instant::now())));
        }
        if !commands.are_at_work() {
            kill_compilers(self.worker.process());
        }
        match demand {
            Demand::Leave | Demand::Kill if commands.shut() => Some(Leftover::Cell),
            Demand::Kill => {
                let mut process = locked(self.worker.process());
                *killed = Some((process.id(), Instant::now()));
                kill_cells(&mut process);
                None
            }
            _ => None,
        }
    }

    /// The failure of a stopped cell with which evcxr is not done.
    fn leave(&mut self, leftover: Leftover) -> Failure {
        self.leftover = Some(leftover);
        match leftover {
            Leftover::Cell => {
                self.interrupter.keep_flag();
                Failure::new("Interrupted", "stopped; all variables are kept")
            }
            Leftover::Process(_) => Failure::killed(&std::mem::take(&mut self.variables)),
        }
    }

    /// Until evcxr is done with a cell that was stopped.
    fn wait_for_leftover(&mut self, run: &mut CellRun<'_>) -> Result<(), Failure> {
        let began = Instant::now();
        while let Some(leftover) = self.leftover {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Done(done)) => {
                    if self.end_leftover(*done) {
                        run.handle(Event::Stderr(PROCESS_HAD_ENDED.to_owned()));
                    }
                }
                // What a killed cell has printed was not shown any more.
                Ok(event) if leftover == Leftover::Cell => run.handle(text_only(event)),
                Ok(_) => {}
                Err(_) if self.worker.has_ended() => return Err(Failure::no_evaluator()),
                Err(_) if leftover == Leftover::Cell && began.elapsed() > SILENCE => {
                    run.say_once(WAITING);
                }
                Err(_) => run.show_held_back(HOLD),
            }
            match leftover {
                Leftover::Cell if self.relay.commands().are_in_preparation() => {}
                Leftover::Cell => kill_compilers(self.worker.process()),
                // What the cell started holds the streams open, so evcxr sees no end.
                Leftover::Process((id, when)) if when.elapsed() > HANG_UP => {
                    let is_the_same = locked(self.worker.process()).id() == id;
                    if is_the_same {
                        self.relay.hang_up();
                    }
                }
                Leftover::Process(_) => {}
            }
            if self.leftover.is_some() && self.interrupter.demand() != Demand::Nothing {
                let message = "stopped before it ran; all variables are kept";
                return Err(Failure::new("Interrupted", message));
            }
        }
        Ok(())
    }

    /// evcxr is done with a cell that was stopped. Says whether the process has ended
    /// meanwhile, which nobody knows yet.
    fn end_leftover(&mut self, done: Done) -> bool {
        let leftover = self.leftover.take();
        self.variables = done.variables;
        self.relay.commands().open();
        self.interrupter.release_flag();
        let has_ended = matches!(done.outcome, Err(evcxr::Error::SubprocessTerminated(_)));
        has_ended && leftover == Some(Leftover::Cell)
    }

    /// Whether evcxr has nothing left to do for a cell that was stopped.
    fn is_free(&mut self) -> bool {
        while self.leftover.is_some() {
            match self.events.try_recv() {
                Ok(Event::Done(done)) => {
                    if self.end_leftover(*done) {
                        self.relay.keep_idle_text(PROCESS_HAD_ENDED);
                    }
                }
                Ok(event) => {
                    if let Event::Part(Part::Text(text)) | Event::Stderr(text) = event {
                        self.relay.keep_idle_text(&text);
                    }
                }
                Err(_) => return false,
            }
        }
        true
    }

    /// Asks about code; the answer comes when evcxr has time. `None` if there will be none.
    pub(crate) fn ask_about(&mut self, analysis: Analysis) -> Option<Answer> {
        nesting::check(analysis.code()).ok()?;
        if !self.is_free() {
            return None;
        }
        let (sender, answer) = mpsc::channel();
        self.worker
            .request(Request::Analyse(analysis, sender))
            .ok()?;
        Some(answer)
    }

    /// Asks about code; `None` without an answer.
    pub fn analyse(&mut self, analysis: Analysis) -> Option<Analysed> {
        self.ask_about(analysis)?.recv().ok()?
    }
}

/// The text in an event of a process whose cell was stopped.
fn text_only(event: Event) -> Event {
    match event {
        Event::Part(Part::Text(text)) | Event::Stderr(text) => Event::Part(Part::Text(text)),
        _ => Event::Part(Part::Text(String::new())),
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.worker.end();
        let _ = fs::remove_dir_all(&self.folder); // it may be gone with its workspace
    }
}
