//! The thread that evcxr works in.

use crate::config::CellCommand;
use crate::evaluation::analysis::{Analysed, Analysis, usable};
use crate::evaluation::commands::Commands;
use crate::evaluation::compile_error;
use crate::evaluation::event::{Done, Event, Input, Variable};
use crate::evaluation::failure::{Failure, PROCESS_HAD_ENDED};
use crate::evaluation::first_lines::{Anew, begins_anew};
use crate::evaluation::hints::Known;
use crate::evaluation::interrupt::{Interrupter, kill_cells};
use crate::evaluation::memory::Memory;
use crate::evaluation::nesting::STACK;
use crate::evaluation::own_commands;
use crate::evaluation::prelude::prelude;
use crate::evaluation::private_fields::{PrivateFields, is_private, without_private_fields};
use crate::evaluation::relay::{CurrentActivity, Relay};
use crate::evaluation::stream::Activity;
use crate::locked::locked;
use crate::workspace::rust_sources;
use crate::workspace::writers::{WRITERS, Writing};
use anyhow::{Context, Result};
use crossbeam_channel::Sender as EventSender;
use evcxr::{CommandContext, CompilationError, EvalCallbacks, EvalContext, EvalOutputs};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

/// A level of optimisation of the cells' own manifest, which is not the one it begins with. Cargo
/// takes that of the workspace.
const ANOTHER_LEVEL: &str = "0";
/// How often it is tried to make a process ready.
const MOST_TRIES: usize = 5;

pub enum Request {
    /// Source, and what evcxr does while it runs.
    Execute(String, Activity),
    Analyse(Analysis, Sender<Option<Analysed>>),
}

/// What a session is asked to begin with.
pub struct Asked {
    /// What is evaluated together with the prelude.
    pub first: String,
    pub own_commands: Vec<CellCommand>,
}

pub struct Worker {
    requests: Option<Sender<Request>>,
    process: Arc<Mutex<Child>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts evcxr, whose process for cells is `command`, and evaluates what is asked and the
    /// prelude in it.
    ///
    /// evcxr stays in one thread: the process ends with the thread that started it.
    pub fn start(
        command: Command,
        asked: Asked,
        events: EventSender<Event>,
        relay: &Relay,
        interrupter: Interrupter,
    ) -> Result<Worker> {
        let all = All {
            asked,
            events,
            activity: relay.activity(),
            commands: relay.commands().clone(),
            interrupter,
        };
        let (requests, received) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        let thread = Builder::new().stack_size(STACK);
        let thread = thread.spawn(move || match start_evcxr(command, &all.asked.first) {
            Ok(context) => {
                all.activity.set(Activity::Idle);
                let _ = ready.send(Ok(context.process_handle())); // nobody waits any more
                all.work(context, &received);
            }
            Err(error) => {
                let _ = ready.send(Err(error)); // nobody waits any more
            }
        })?;
        let did_not_start = "the evaluator for cells did not start";
        let process = started.recv().context(did_not_start)?;
        Ok(Worker {
            requests: Some(requests),
            process: process.context(did_not_start)?,
            thread: Some(thread),
        })
    }

    pub fn request(&self, request: Request) -> Result<(), Failure> {
        let requests = self.requests.as_ref().ok_or_else(Failure::no_evaluator)?;
        requests.send(request).map_err(|_| Failure::no_evaluator())
    }

    /// The process that runs the cells; the handle stays valid when another one
    /// takes its place.
    pub fn process(&self) -> &Arc<Mutex<Child>> {
        &self.process
    }

    /// Whether evcxr's thread is gone, which only a defect of evcxr's can bring about.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends evcxr, after what it does now.
    pub fn end(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic has been printed
        }
    }
}

fn start_evcxr(command: Command, first: &str) -> Result<CommandContext> {
    let _writing = WRITERS.begin()?;
    let known = Known {
        cell: "",
        variables: &[],
        memory: &Memory::default(),
    };
    let readable =
        |error: evcxr::Error| anyhow::anyhow!(compile_error::failure(error, &known, None).message);
    if first.is_empty() {
        rust_sources::show()?;
    }
    let (context, outputs) = EvalContext::with_subprocess_command(command).map_err(readable)?;
    std::mem::forget(outputs); // stay empty: see `relay`; closed they would stop evcxr
    let mut context = CommandContext::with_eval_context(context);
    rust_sources::show()?;
    let configured = configure(&mut context, first).map_err(readable);
    configured.context("the evaluator's configuration failed")?;
    Ok(context)
}

/// Evaluates the prelude, and `first` with it, unless that fails.
fn configure(context: &mut CommandContext, first: &str) -> Result<EvalOutputs, evcxr::Error> {
    let prelude = prelude();
    if !first.is_empty() {
        if let Ok(outputs) = context.execute(&format!("{first}\n{prelude}")) {
            return Ok(outputs);
        }
        // Another manifest has rust-analyzer read everything again, now with the standard library;
        // nobody else reads this line of it.
        context.set_opt_level(ANOTHER_LEVEL)?;
    }
    context.execute(&prelude)
}

/// What evcxr's thread works with.
struct All {
    asked: Asked,
    events: EventSender<Event>,
    activity: CurrentActivity,
    commands: Commands,
    interrupter: Interrupter,
}

impl All {
    /// Does what is asked, one thing after the other, until nobody can ask any more.
    fn work(&self, mut context: CommandContext, requests: &Receiver<Request>) {
        let mut private = PrivateFields::default();
        for request in requests {
            match request {
                Request::Execute(source, activity) => {
                    // The cell was stopped while something else was done.
                    let outcome = match self.commands.are_shut() {
                        true => Err("stopped".to_owned().into()),
                        false => self.execute(&mut context, &source, activity),
                    };
                    self.activity.set(Activity::Idle);
                    let mut variables: Vec<Variable> = context
                        .variables_and_types()
                        .filter(|(name, _)| !name.starts_with('_'))
                        .map(|(name, type_name)| Variable {
                            name: name.to_owned(),
                            type_name: type_name.to_owned(),
                        })
                        .collect();
                    variables.sort_by(|one, other| one.name.cmp(&other.name));
                    let done = Box::new(Done { outcome, variables });
                    if self.events.send(Event::Done(done)).is_err() {
                        return;
                    }
                }
                Request::Analyse(analysis, answer) => {
                    let analysed = catch_unwind(AssertUnwindSafe(|| {
                        self.analyse(&mut context, &mut private, &analysis)
                    }));
                    let _ = answer.send(analysed.ok().flatten()); // nobody waits any more
                }
            }
        }
    }

    fn execute(
        &self,
        context: &mut CommandContext,
        source: &str,
        activity: Activity,
    ) -> Result<EvalOutputs, evcxr::Error> {
        let writing = RefCell::new(Some(begin_writing()?));
        self.activity.set(Activity::Unmarked);
        match begins_anew(source) {
            Some(Anew::Process) => {
                let process = context.process_handle();
                kill_cells(&mut locked(&process));
                let _ = locked(&process).wait();
                self.prepare(context, configure_again);
                return Ok(EvalOutputs::default());
            }
            Some(Anew::Everything) => {
                let cleared = context.execute(":clear");
                self.prepare(context, |context| configure(context, &self.asked.first));
                return cleared;
            }
            None => {}
        }
        if has_ended(context) {
            self.prepare(context, configure_again);
            let notice = PROCESS_HAD_ENDED.to_owned();
            let _ = self.events.send(Event::Stderr(notice));
        }
        let mut callbacks = EvalCallbacks {
            input_reader: &|request| {
                let (input, line) = Input::new(request.prompt, request.is_password);
                let _ = self.events.send(Event::Input(input));
                *writing.borrow_mut() = None; // who ends the process waits for no user
                let answer = line.recv().ok().flatten().unwrap_or_default();
                *writing.borrow_mut() = begin_writing().ok();
                // A second line would be a command for the process that runs the cells.
                answer.lines().next().unwrap_or_default().to_owned()
            },
        };
        self.activity.set(activity);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            context.execute_with_callbacks(source, &mut callbacks)
        }));
        let outcome = outcome.unwrap_or_else(|_| {
            Err("evcxr itself failed on this cell; write it in another way"
                .to_owned()
                .into())
        });
        match outcome {
            Err(evcxr::Error::SubprocessTerminated(_)) => {
                self.activity.set(Activity::Unmarked);
                self.prepare(context, configure_again);
                outcome
            }
            Err(evcxr::Error::CompilationErrors(said)) => {
                Err(errors_themselves(context, source, said))
            }
            outcome => outcome,
        }
    }

    /// Makes a process ready for cells. That a process has ended evcxr notices by failing
    /// once; then another one is there. And whoever stops a cell must not stop this.
    fn prepare(
        &self,
        context: &mut CommandContext,
        configure: impl Fn(&mut CommandContext) -> Result<EvalOutputs, evcxr::Error>,
    ) {
        self.commands.set_in_preparation(true);
        for _ in 0..MOST_TRIES {
            self.interrupter.lower_flag();
            if configure(context).is_ok() {
                break;
            }
        }
        self.commands.set_in_preparation(false);
    }

    fn analyse(
        &self,
        context: &mut CommandContext,
        private: &mut PrivateFields,
        analysis: &Analysis,
    ) -> Option<Analysed> {
        match analysis {
            Analysis::Complete { code, place } => {
                let found = context.completions(code, *place).ok()?;
                let before = code.get(..found.start_offset).unwrap_or("");
                let texts = found.completions.into_iter();
                let texts = texts.map(|found| (found.code, found.kind, found.label));
                let mut texts = usable(texts, before);
                if before.trim_end().ends_with('.') {
                    let mut describe = |field: &str| {
                        let code = format!("{before}{field}");
                        let described = context.hover_at(&code, code.len());
                        described.ok().map(|(text, _)| text)
                    };
                    texts = private.removed(texts, &mut describe);
                }
                let typed = code.get(found.start_offset..*place).unwrap_or("");
                let own = own_commands::completions(typed, &self.asked.own_commands);
                texts.extend(own.into_iter().map(|text| (text, "magic")));
                Some(Analysed::Completions {
                    texts,
                    start: found.start_offset,
                    end: found.end_offset,
                })
            }
            Analysis::Inspect { code, place } => {
                let (text, html) = described(context, code, *place)?;
                let [text, html] = [text, html].map(|one| without_private_fields(&one));
                Some(Analysed::Description(text, html))
            }
        }
    }
}

/// What the name before a place means. Before its parentheses the name of a method is taken for
/// that of a field; then it is asked once more with the first of them.
fn described(context: &mut CommandContext, code: &str, place: usize) -> Option<(String, String)> {
    let described = context.hover_at(code, place).ok()?;
    if !is_private(&described.0) {
        return Some(described);
    }
    let called = format!("{}(", code.get(..place)?);
    let method = context.hover_at(&called, called.len()).ok()?;
    (!is_private(&method.0)).then_some(method)
}

/// evcxr has kept what the cells have defined, but for variables.
fn configure_again(context: &mut CommandContext) -> Result<EvalOutputs, evcxr::Error> {
    context.execute(&prelude())
}

/// What the compiler said about a cell. Where an error is about the last expression, and a note to
/// it about what an earlier cell has defined, evcxr hands on that note alone; then the compiler is
/// asked once more, without the code that shows the value.
fn errors_themselves(
    context: &mut CommandContext,
    source: &str,
    said: Vec<CompilationError>,
) -> evcxr::Error {
    let is_error = |one: &CompilationError| one.level() == "error";
    if !said.iter().any(is_error)
        && let Ok(again) = context.check(source)
        && again.iter().any(is_error)
    {
        return evcxr::Error::CompilationErrors(again);
    }
    evcxr::Error::CompilationErrors(said)
}

fn begin_writing() -> Result<Writing, evcxr::Error> {
    WRITERS.begin().map_err(|error| error.to_string().into())
}

fn has_ended(context: &CommandContext) -> bool {
    let process = context.process_handle();
    let mut process = locked(&process);
    !matches!(process.try_wait(), Ok(None))
}
