//! One evaluation of a notebook: cells go in, outputs and failures come out.

use super::interrupt::{Demand, FLAG, Interrupter, kill_compilers};
use super::output::{Assembler, Output, Stream};
use super::relay::Relay;
use super::stream::{self, Part};
use super::{Failure, compile_error};
use crate::locked::locked;
use anyhow::{Context, Result};
use evcxr::{CommandContext, EvalCallbacks, EvalContext, EvalOutputs};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often a running cell is looked after.
const TICK: Duration = Duration::from_millis(50);
/// How long the last value is held back that a cell showed: when the cell ends
/// before, it is the cell's result.
const HOLD: Duration = Duration::from_millis(200);
/// After a kill, how long the streams may stay open.
const HANG_UP: Duration = Duration::from_secs(1);
/// How the prelude shows a panic of a cell.
const PANIC_BLOCK: &str = "application/x-attention-panic";
/// How a cell clears its outputs.
const CLEAR_BLOCK: &str = "application/x-attention-clear-output";
/// How the prelude shows what a cell prints on standard error.
const STDERR_BLOCK: &str = "application/x-attention-stderr";
/// The variable that tells cells that a display with a name can be replaced.
const LIVE: &str = "NOTEBOOK_LIVE_DISPLAY";
/// Put before the first line of a cell: the macro of the prelude.
const ADDED: &str = "attention_notebooks_flush!();";

/// What the process that runs cells does first, under this kernel and under
/// evcxr's own: a panic prints its message without a backtrace. Under this kernel
/// text without a newline is shown soon, and at the end of its cell, and what a
/// cell prints on standard error takes the way of standard output, which keeps the
/// order of both.
pub const PRELUDE: &str = r#"
std::panic::set_hook(Box::new({
    let cells = std::thread::current().id();
    let relayed = std::env::var_os("ATTENTION_NOTEBOOKS_RELAY").is_some();
    move |panic| {
        let message = panic.payload_as_str().unwrap_or("without a message");
        if relayed && std::thread::current().id() == cells {
            let line = panic.location().map_or(0, |place| if place.file() == "ctx/src/lib.rs" { place.line() } else { 0 });
            println!("EVCXR_BEGIN_CONTENT application/x-attention-panic\n{line} {message}\nEVCXR_END_CONTENT");
        } else {
            eprintln!("panic: {message}");
        }
    }
}));
if std::env::var_os("ATTENTION_NOTEBOOKS_RELAY").is_some() {
    std::thread::spawn(|| loop {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = std::io::Write::flush(&mut std::io::stdout());
    });
}
macro_rules! attention_notebooks_flush {
    () => {
        struct Flush;
        impl Drop for Flush {
            fn drop(&mut self) {
                let _ = std::io::Write::flush(&mut std::io::stdout());
            }
        }
        let _flush = Flush;
    };
}
fn attention_notebooks_stderr(text: std::fmt::Arguments) {
    if std::env::var_os("ATTENTION_NOTEBOOKS_RELAY").is_some() {
        println!("EVCXR_BEGIN_CONTENT application/x-attention-stderr\n{text}\nEVCXR_END_CONTENT");
    } else {
        std::eprint!("{text}");
    }
}
macro_rules! eprint {
    ($($text:tt)*) => { crate::attention_notebooks_stderr(std::format_args!($($text)*)) };
}
macro_rules! eprintln {
    () => { eprint!("\n") };
    ($($text:tt)*) => { eprint!("{}\n", std::format_args!($($text)*)) };
}
"#;

/// What happens while a cell runs.
pub enum Event {
    Part(Part),
    Stderr(String),
    Input(Input),
    Done(Box<Done>),
}

/// A cell wants a line of text from the learner.
pub struct Input {
    pub prompt: String,
    pub is_password: bool,
    answer: Sender<String>,
}

/// The end of a cell.
pub struct Done {
    outcome: Result<EvalOutputs, evcxr::Error>,
    /// The names of all variables, without those that begin with `_`.
    variables: Vec<String>,
}

enum Request {
    Execute(String),
    Analyse(Analysis, Sender<Option<Analysed>>),
}

/// A question about code at a place, a byte offset.
pub enum Analysis {
    Complete { code: String, place: usize },
    Inspect { code: String, place: usize },
}

pub enum Analysed {
    /// Replacements for the bytes from the start to the end.
    Completions {
        texts: Vec<(String, &'static str)>,
        start: usize,
        end: usize,
    },
    /// Plain text and HTML.
    Description(String, String),
}

/// A fresh evaluator: no variable, no function, no crate.
pub struct Session {
    requests: Option<Sender<Request>>,
    events: Receiver<Event>,
    process: Arc<Mutex<Child>>,
    relay: Relay,
    interrupter: Interrupter,
    variables: Vec<String>,
    worker: Option<std::thread::JoinHandle<()>>,
    /// For the relay's socket and the interrupt's flag.
    folder: PathBuf,
    /// The source that evcxr made of the last cell.
    generated: PathBuf,
}

impl Session {
    /// Starts an evaluator in a cell workspace that the environment names, too.
    ///
    /// `first` is evaluated together with the prelude, which saves a compilation;
    /// if it fails, it is as if it were empty.
    pub fn start(workspace: &Path, first: &str) -> Result<Session> {
        let folder = workspace.join("session");
        fs::create_dir_all(&folder)?;
        let interrupter = Interrupter::new(folder.join("interrupt"));
        let (requests, received) = mpsc::channel();
        let (sender, events) = mpsc::channel();
        let mut command = Command::new(std::env::current_exe()?);
        command.env(FLAG, folder.join("interrupt")).env(LIVE, "1");
        let relay = Relay::open(&folder.join("relay"), &mut command, sender.clone())
            .context("the streams of the cells cannot be read")?;
        // evcxr stays in one thread: the evaluation process ends with the thread
        // that started it.
        let (ready, started) = mpsc::channel();
        let first = first.to_owned();
        let worker = std::thread::spawn(move || match start_evcxr(command, &first) {
            Ok(context) => {
                let _ = ready.send(Ok(context.process_handle()));
                work(context, &received, &sender);
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        });
        let process = started
            .recv()
            .context("the evaluator for cells did not start")?
            .context("the evaluator for cells did not start")?;
        while events.try_recv().is_ok() {} // what the first steps printed
        Ok(Session {
            requests: Some(requests),
            events,
            process,
            relay,
            interrupter,
            variables: Vec::new(),
            worker: Some(worker),
            generated: workspace.join("ctx/src/lib.rs"),
            folder,
        })
    }

    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The process that runs the cells; the handle stays valid when another one
    /// takes its place.
    pub fn process(&self) -> Arc<Mutex<Child>> {
        Arc::clone(&self.process)
    }

    /// Runs one cell to its end. Outputs go to `show` as they are made; `answer`
    /// is asked for lines of text.
    pub fn execute(
        &mut self,
        cell: &str,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Input) -> String,
    ) -> Result<(), Failure> {
        let added = first_line_of_rust(cell);
        let source = match added {
            Some(line) => with_line(cell, line),
            None => cell.to_owned(),
        };
        self.interrupter.begin();
        self.request(Request::Execute(source))?;
        let mut run = Run::new(show);
        let done = loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Done(done)) => break done,
                Ok(Event::Input(input)) => {
                    run.show_held_back(Duration::ZERO);
                    let prompt = run.prompt.take().unwrap_or_default();
                    let input = Input { prompt, ..input };
                    let _ = input.answer.send(answer(&input)); // the cell ended meanwhile
                }
                Ok(event) => run.take(event),
                Err(RecvTimeoutError::Timeout) => run.show_held_back(HOLD),
                Err(RecvTimeoutError::Disconnected) => return Err(evaluator_ended()),
            }
            self.meet(self.interrupter.demand(), &mut run);
        };
        // What the cell printed came before its end on the same way.
        let interrupted = self.interrupter.end();
        let Done { outcome, variables } = *done;
        let lost = std::mem::replace(&mut self.variables, variables);
        let failed = run.failed.take();
        let was_killed = run.killed.is_some();
        let ends_in_value = !cell.trim_end().ends_with([';', '}']) && failed.is_none();
        run.finish(ends_in_value);
        let failure = match outcome {
            Err(evcxr::Error::SubprocessTerminated(how)) => process_ended(&how, &lost, was_killed),
            _ if interrupted => Failure::new("Interrupted", "stopped; all variables are kept"),
            Ok(outputs) => match failed {
                Some(Failed::Panic(panic)) => self.panicked(panic, cell),
                Some(Failed::Err(message)) => Failure::new("Err", message),
                None => {
                    if !outputs.content_by_mime_type.is_empty() {
                        show(Output::Result(
                            outputs.content_by_mime_type.into_iter().collect(),
                        ));
                    }
                    return Ok(());
                }
            },
            Err(_) if !self.folder.exists() => Failure::new(
                "EvaluatorError",
                format!(
                    "the folder in which cells are compiled is gone: {}; start the kernel again \
                     (Kernel, Restart)",
                    self.folder.display()
                ),
            ),
            Err(error) => compile_error::failure(error, cell, added.map(|line| line + 1)),
        };
        Err(failure)
    }

    /// Asks about code; `None` without an answer.
    pub fn analyse(&self, analysis: Analysis) -> Option<Analysed> {
        let (sender, answer) = mpsc::channel();
        self.request(Request::Analyse(analysis, sender)).ok()?;
        answer.recv().ok()?
    }

    fn request(&self, request: Request) -> Result<(), Failure> {
        let requests = self.requests.as_ref().ok_or_else(evaluator_ended)?;
        requests.send(request).map_err(|_| evaluator_ended())
    }

    fn meet(&self, demand: Demand, run: &mut Run<'_>) {
        if demand == Demand::Nothing {
            return;
        }
        let mut process = locked(&self.process);
        match run.killed {
            None if demand == Demand::Kill => {
                run.killed = Some((process.id(), Instant::now()));
                let _ = process.kill(); // it may have ended by itself meanwhile
            }
            None => {
                drop(process);
                kill_compilers(&self.process);
            }
            // What the cell started holds the streams open, so evcxr sees no end.
            Some((id, when)) if id == process.id() && when.elapsed() > HANG_UP => {
                self.relay.hang_up();
            }
            Some(_) => {}
        }
    }

    /// The failure that a panic is, with the line of the cell, if that is known.
    fn panicked(&self, panic: Panic, cell: &str) -> Failure {
        let line = fs::read_to_string(&self.generated).ok().and_then(|source| {
            let generated = source.lines().nth(panic.line.checked_sub(1)?)?.to_owned();
            let is_it = |line: &str| !line.trim().is_empty() && generated.contains(line.trim());
            let mut places = cell.lines().enumerate().filter(|(_, line)| is_it(line));
            let (index, line) = places.next()?;
            let is_certain = places.next().is_none();
            is_certain.then(|| format!("{:4} | {line}", index + 1))
        });
        let mut failure = Failure::new("Panic", panic.message);
        failure.details.extend(line);
        failure
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// How the program in a cell failed.
enum Failed {
    Panic(Panic),
    /// The message of an `Err` that met a `?`.
    Err(String),
}

/// A panic, as the prelude shows it.
#[derive(Default)]
struct Panic {
    /// The line of the generated source; 0 if it was elsewhere.
    line: usize,
    message: String,
}

impl Panic {
    fn read(block: &str) -> Panic {
        let (line, message) = block.split_once(' ').unwrap_or(("", block));
        Panic {
            line: line.parse().unwrap_or(0),
            message: message.to_owned(),
        }
    }
}

/// The outputs of one cell.
struct Run<'a> {
    show: &'a mut dyn FnMut(Output),
    values: Assembler,
    values_since: Instant,
    /// The last lines of standard error: those of a failing `?` are its message.
    errors: String,
    errors_since: Instant,
    panic: Option<Panic>,
    prompt: Option<String>,
    failed: Option<Failed>,
    /// The process that was killed, and when.
    killed: Option<(u32, Instant)>,
}

impl<'a> Run<'a> {
    fn new(show: &'a mut dyn FnMut(Output)) -> Run<'a> {
        Run {
            show,
            values: Assembler::default(),
            values_since: Instant::now(),
            errors: String::new(),
            errors_since: Instant::now(),
            panic: None,
            prompt: None,
            failed: None,
            killed: None,
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Stderr(text) => {
                self.show_value();
                if self.errors.is_empty() {
                    self.errors_since = Instant::now();
                }
                self.errors += &text;
            }
            Event::Part(Part::Text(text)) => {
                self.show_held_back(Duration::ZERO);
                (self.show)(Output::Text(Stream::Stdout, text));
            }
            Event::Part(Part::Block(mime, message)) if mime == PANIC_BLOCK => {
                self.show_held_back(Duration::ZERO);
                self.show_caught_panic();
                self.panic = Some(Panic::read(&message));
            }
            Event::Part(Part::Block(mime, text)) if mime == STDERR_BLOCK => {
                self.take(Event::Stderr(text));
            }
            Event::Part(Part::Block(mime, _)) if mime == CLEAR_BLOCK => {
                self.show_held_back(Duration::ZERO);
                (self.show)(Output::Clear);
            }
            Event::Part(Part::Block(mime, content)) => {
                self.show_errors();
                self.values_since = Instant::now();
                if let Some(output) = self.values.block(&mime, content) {
                    (self.show)(output);
                }
            }
            Event::Part(Part::Runtime(line)) => self.runtime(&line),
            Event::Input(_) | Event::Done(_) => {}
        }
    }

    fn runtime(&mut self, line: &str) {
        if line == stream::PANIC {
            self.failed = Some(Failed::Panic(self.panic.take().unwrap_or_default()));
        } else if line == stream::ERROR {
            let message = std::mem::take(&mut self.errors);
            self.failed = Some(Failed::Err(message.trim_end().to_owned()));
        } else if line.starts_with(stream::INPUT) {
            let prompt = line.split_once(':').map_or("", |(_, prompt)| prompt);
            self.prompt = Some(prompt.to_owned());
        }
    }

    /// A panic that the cell caught itself.
    fn show_caught_panic(&mut self) {
        if let Some(panic) = self.panic.take() {
            let text = format!("panic: {}\n", panic.message);
            (self.show)(Output::Text(Stream::Stderr, text));
        }
    }

    /// Shows what has been held back for so long.
    fn show_held_back(&mut self, held: Duration) {
        if self.errors_since.elapsed() >= held {
            self.show_errors();
        }
        if self.values_since.elapsed() >= held {
            self.show_value();
        }
    }

    fn show_errors(&mut self) {
        if !self.errors.is_empty() {
            let errors = std::mem::take(&mut self.errors);
            (self.show)(Output::Text(Stream::Stderr, errors));
        }
    }

    fn show_value(&mut self) {
        if let Some(output) = self.values.finish(false) {
            (self.show)(output);
        }
    }

    fn finish(&mut self, ends_in_value: bool) {
        self.show_caught_panic();
        self.show_errors();
        match self.values.finish(ends_in_value) {
            // A cell that ends in a loop has the value `()`: nothing to show.
            Some(Output::Display(value))
                if value.len() == 1 && value.get("text/plain").is_some_and(|text| text == "()") => {
            }
            Some(output) => (self.show)(output),
            None => {}
        }
    }
}

fn start_evcxr(command: Command, first: &str) -> Result<CommandContext> {
    let readable =
        |error: evcxr::Error| anyhow::anyhow!(compile_error::failure(error, "", None).message);
    let (context, outputs) = EvalContext::with_subprocess_command(command).map_err(readable)?;
    std::mem::forget(outputs); // stay empty: see `relay`; closed they would stop evcxr
    let mut context = CommandContext::with_eval_context(context);
    if first.is_empty() || context.execute(&format!("{first}\n{PRELUDE}")).is_err() {
        let configured = context.execute(PRELUDE).map_err(readable);
        configured.context("the evaluator's configuration failed")?;
    }
    Ok(context)
}

/// Does what is asked, one thing after the other, until nobody can ask any more.
fn work(mut context: CommandContext, requests: &Receiver<Request>, events: &Sender<Event>) {
    for request in requests {
        match request {
            Request::Execute(source) => {
                let outcome = execute(&mut context, &source, events);
                let variables = context
                    .variables_and_types()
                    .map(|(name, _)| name.to_owned())
                    .filter(|name| !name.starts_with('_'))
                    .collect();
                let done = Box::new(Done { outcome, variables });
                if events.send(Event::Done(done)).is_err() {
                    return;
                }
            }
            Request::Analyse(analysis, answer) => {
                let analysed = catch_unwind(AssertUnwindSafe(|| analyse(&mut context, &analysis)));
                let _ = answer.send(analysed.ok().flatten()); // nobody waits any more
            }
        }
    }
}

fn execute(
    context: &mut CommandContext,
    source: &str,
    events: &Sender<Event>,
) -> Result<EvalOutputs, evcxr::Error> {
    if has_ended(context) {
        // evcxr notices by failing once; then another process is there.
        let _ = context.execute("()");
        let _ = context.execute(PRELUDE);
        let notice = "The process that runs the cells had ended; all variables are lost.\n";
        let _ = events.send(Event::Stderr(notice.to_owned()));
    }
    let mut callbacks = EvalCallbacks {
        input_reader: &|request| {
            let (answer, line) = mpsc::channel();
            let _ = events.send(Event::Input(Input {
                prompt: request.prompt,
                is_password: request.is_password,
                answer,
            }));
            line.recv().unwrap_or_default()
        },
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        context.execute_with_callbacks(source, &mut callbacks)
    }));
    let outcome = outcome.unwrap_or_else(|_| {
        Err("evcxr itself failed on this cell; write it in another way"
            .to_owned()
            .into())
    });
    if matches!(outcome, Err(evcxr::Error::SubprocessTerminated(_))) {
        let _ = context.execute(PRELUDE); // another process is there already
    }
    outcome
}

fn has_ended(context: &CommandContext) -> bool {
    let process = context.process_handle();
    let mut process = locked(&process);
    !matches!(process.try_wait(), Ok(None))
}

fn analyse(context: &mut CommandContext, analysis: &Analysis) -> Option<Analysed> {
    match analysis {
        Analysis::Complete { code, place } => {
            let found = context.completions(code, *place).ok()?;
            let texts = found.completions.into_iter();
            Some(Analysed::Completions {
                texts: texts.map(|found| (found.code, found.kind)).collect(),
                start: found.start_offset,
                end: found.end_offset,
            })
        }
        Analysis::Inspect { code, place } => {
            let (text, html) = context.hover_at(code, *place).ok()?;
            Some(Analysed::Description(text, html))
        }
    }
}

fn evaluator_ended() -> Failure {
    Failure::new(
        "EvaluatorError",
        "the evaluator has ended; start the kernel again (Kernel, Restart)",
    )
}

/// The failure that the end of the evaluation process is.
fn process_ended(how: &str, lost: &[String], was_killed: bool) -> Failure {
    let lost = match lost {
        [] => "There were no variables to lose.".to_owned(),
        _ => format!("Its variables are lost: {}.", lost.join(", ")),
    };
    let kept = "Functions, types and crates are still there; run the cells that define the \
                variables again.";
    if was_killed {
        let message = format!(
            "the cell did not stop by itself, so the process that runs the cells was ended. \
             {lost} {kept}"
        );
        return Failure::new("Interrupted", message);
    }
    let status = how
        .split_once("terminated with status: ")
        .map_or(how, |(_, status)| status);
    let message = format!("the process that runs the cells has ended ({status}). {lost} {kept}");
    Failure::new("ProcessEnded", message)
}

/// The index of the first line of Rust; `None` if there are only commands
/// (`:dep ...`), comments and empty lines.
fn first_line_of_rust(cell: &str) -> Option<usize> {
    cell.lines().position(|line| {
        let command = line.trim_start().starts_with(':') || line.starts_with('!');
        !(command || line.starts_with("//") || line.trim().is_empty())
    })
}

fn with_line(cell: &str, line: usize) -> String {
    let mut lines: Vec<&str> = cell.lines().collect();
    lines.insert(line, ADDED);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_added_line_stands_after_commands_and_comments() {
        let cell =
            ":dep attention = { path = \"x\" }\n// comment\n\nuse attention::softmax;\nsoftmax(&x)";
        let line = first_line_of_rust(cell).expect("there is Rust");
        let expected = format!(
            ":dep attention = {{ path = \"x\" }}\n// comment\n\n{ADDED}\nuse attention::softmax;\nsoftmax(&x)"
        );
        assert_eq!(with_line(cell, line), expected);
    }

    #[test]
    fn a_cell_without_rust_gets_no_line() {
        assert_eq!(first_line_of_rust(":help\n// nothing\n"), None);
        assert_eq!(first_line_of_rust(""), None);
    }
}
