//! A notebook: cells go in, outputs and failures come out.

use crate::array_types;
use crate::assistance::Assistance;
use crate::cell_run::{CellRun, HOLD};
use crate::commands;
use crate::compile_error;
use crate::config::{CellCommand, Config};
use crate::crash;
use crate::failure::{self, PROCESS_HAD_ENDED};
use crate::first_lines::{self, Anew};
use crate::hints::Known;
use crate::index::Suspects;
use crate::interrupt::{Demand, Interrupter};
use crate::literal_shapes;
use crate::memory::{self, Memory};
use crate::nesting;
use crate::notebook_path::notebook;
use crate::own_commands;
use crate::remarks;
use crate::remote::Shared;
use crate::variable::Variable;
#[cfg(target_os = "linux")]
use crate::workspace::guardian;
use crate::workspace::set_up::{self, Made};
use cell_evaluator::assist::Surroundings;
use cell_evaluator::{
    CellPlace, CompiledCell, Crates, Ending, Evaluator, Process, Reader, Trouble,
};
use crossbeam_channel::RecvTimeoutError;
use notebook::convention::{
    INTERRUPT_FILE_VARIABLE, LIVE_DISPLAY_VARIABLE, LIVE_VARIABLE, SECRET_VARIABLE,
};
use notebook::evaluator::{Bundle, Cell, Failure, Output, Question, Remote, Stream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The file that exists while a cell should stop.
const INTERRUPT: &str = "interrupt";
/// The folder for what answers questions about code.
const ASSIST: &str = "assist";
/// How often a running cell is looked after.
const TICK: Duration = Duration::from_millis(20);
const CANNOT_ASK: &str = "[This front end cannot ask for text: the cell gets none.]\n";
const NO_INPUT_FOR_CHILDREN: &str = "[A program that this cell has started reads its standard \
    input. That is empty: it has got the end of the input.]\n";

const HAS_CHANGED: &str = "A crate of this notebook has changed on disk, and is compiled again.\n";
const BEGINS_AGAIN: &str = "Cells have used what has changed, so the notebook begins again: all \
    variables, functions and types are lost.\n";

type Show<'a> = &'a mut dyn FnMut(Output);
type Answer<'a> = &'a mut dyn FnMut(&Question) -> Option<String>;

/// A notebook. At its beginning there is no variable and no function.
pub struct Session {
    folder: PathBuf,
    made: Made,
    imports: String,
    own_commands: Vec<CellCommand>,
    notebook: Option<PathBuf>,
    live: Option<PathBuf>,
    evaluator: Evaluator,
    process: Option<Process>,
    shared: Shared,
    secret: String,
    memory: Memory,
    /// What the front end shows beside the cell that runs.
    number: Option<u64>,
    settings: Settings,
    crates: Crates,
    /// The numbers of the errors that the compiler has reported last.
    last_errors: Vec<String>,
}

/// What commands have set.
struct Settings {
    shows_time: bool,
    is_offline: bool,
}

impl Session {
    /// Starts one in the folder of a kernel, with a process for its cells, and the socket where they
    /// register live pictures, if a front end can move them.
    ///
    /// # Errors
    ///
    /// Why cells cannot be run.
    pub fn start(
        config: &Config,
        folder: &Path,
        live: Option<PathBuf>,
    ) -> Result<Session, Failure> {
        let made = set_up::made(config, folder);
        let made = made.map_err(|error| failure::no_evaluator(&format!("{error:#}")))?;
        let shared = Shared {
            interrupter: Interrupter::new(folder.join(INTERRUPT)),
            compilers: made.compiler.compilers.clone(),
            running: Default::default(),
            is_shut_down: Arc::default(),
            assistance: Assistance::new(&folder.join(ASSIST), &made.sysroot, &config.commands),
        };
        let mut session = Session {
            evaluator: evaluator(folder, &made, &config.imports),
            process: None,
            shared,
            secret: uuid::Uuid::new_v4().simple().to_string(),
            memory: Memory::default(),
            number: None,
            settings: Settings {
                shows_time: false,
                is_offline: true,
            },
            crates: made.crates.clone(),
            last_errors: Vec::new(),
            made,
            folder: folder.to_owned(),
            imports: config.imports.clone(),
            own_commands: config.commands.clone(),
            notebook: notebook(),
            live,
        };
        session.shared.assistance.use_crates(&session.crates);
        session.tell_assistance();
        session.start_process()?;
        Ok(session)
    }

    /// Has questions about code know what there is now.
    fn tell_assistance(&self) {
        let around = Surroundings::of(&self.evaluator);
        self.shared.assistance.use_surroundings(around);
    }

    /// The variables of the notebook by their names, each with its type.
    pub fn variables(&self) -> Vec<(String, String)> {
        let pair = |one: Variable| (one.name, one.type_name);
        self.all_variables().into_iter().map(pair).collect()
    }

    fn all_variables(&self) -> Vec<Variable> {
        let variables = self.evaluator.variables().values();
        let named = variables.filter(|one| !one.name.starts_with('_'));
        let readable = named.map(|one| Variable {
            name: one.name.clone(),
            type_name: array_types::shortened(&self.evaluator.type_name(one)),
        });
        readable.collect()
    }

    fn new_evaluator(&self) -> Evaluator {
        evaluator(&self.folder, &self.made, &self.imports)
    }

    fn start_process(&mut self) -> Result<(), Failure> {
        if self.shared.is_shut_down.load(Ordering::Relaxed) {
            return Err(failure::no_evaluator("the kernel ends"));
        }
        self.process = None; // ends the one before it
        let mut command = command(&self.made.tools.program, &self.folder);
        let flag = self.folder.join(INTERRUPT);
        command
            .env(SECRET_VARIABLE, &self.secret)
            .env(INTERRUPT_FILE_VARIABLE, flag)
            .env(LIVE_DISPLAY_VARIABLE, "1");
        if let Some(live) = &self.live {
            command.env(LIVE_VARIABLE, live);
        }
        let (folder, running) = (&self.folder, &self.shared.running);
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
        answer: Answer<'_>,
    ) -> Result<(), Failure> {
        let own = own_commands::called(cell.code, &self.own_commands)?;
        let notebook = self.notebook.as_deref();
        let made = own.map(|call| own_commands::expand(call, &self.variables(), notebook));
        let made = made.transpose()?;
        let code = made.as_deref().unwrap_or(cell.code);
        let mut run = CellRun::new(show);
        self.begin_process(&mut run)?;
        if let Some(number) = cell.number {
            self.memory.number_next(number);
            self.number = Some(number);
        }
        let before = match first_lines::begins_anew(code) {
            Some(Anew::Everything) => Vec::new(), // these are lost by intention
            _ => self.all_variables(),
        };
        let began = Instant::now();
        let commanded = self.obey(code, &mut run);
        let (end, ended) = match commanded {
            Ok(values) if first_lines::first_line_of_rust(code).is_none() => {
                run.finish(false);
                if !values.is_empty() {
                    show(Output::Result(values));
                }
                (memory::End::Success, Ok(()))
            }
            Ok(values) => {
                if let Some(text) = values.get("text/plain") {
                    run.tell(text);
                }
                let (end, ended) = self.run_code(code, cell.key, run, answer, &before);
                if ended.is_ok()
                    && let Some(remark) = remarks::about(code)
                {
                    show(Output::Text(Stream::Stderr, remark));
                }
                (end, ended)
            }
            Err(failure) => {
                run.finish(false);
                (memory::End::Failure, Err(failure))
            }
        };
        if self.settings.shows_time {
            let took = format!("Took {:.0} ms\n", began.elapsed().as_secs_f64() * 1e3);
            show(Output::Text(Stream::Stdout, took));
        }
        self.memory.note(code, end, &before, &self.all_variables());
        ended
    }

    /// Sees to it that there is a process, and shows what it has printed since the last cell.
    fn begin_process(&mut self, run: &mut CellRun<'_>) -> Result<(), Failure> {
        let Some(process) = &self.process else {
            return self.start_process();
        };
        let mut text = process.take_idle_text();
        let last_words = crash::last_words(&text);
        let ended = match last_words {
            Some(_) => self.shared.running.wait(),
            None => process.status(),
        };
        let words = match last_words {
            Some(place) if ended.is_some() => text.split_off(place),
            _ => String::new(),
        };
        run.text(&text);
        if let Some(how) = ended {
            if let Some(sentence) = crash::between_cells(&how.to_string(), &words) {
                run.tell(&sentence);
            }
            self.evaluator.forget_variables();
            self.start_process()?;
            run.tell(PROCESS_HAD_ENDED);
        }
        Ok(())
    }

    /// Obeys the commands in the first lines of a cell; returns what they show.
    fn obey(&mut self, cell: &str, run: &mut CellRun<'_>) -> Result<Bundle, Failure> {
        match first_lines::begins_anew(cell) {
            Some(Anew::Process) => {
                self.evaluator.forget_variables();
                self.start_process()?;
                return Ok(Bundle::new());
            }
            Some(Anew::Everything) => {
                self.crates = self.made.crates.clone();
                self.shared.assistance.use_crates(&self.crates);
                self.evaluator = self.new_evaluator();
                self.memory = Memory::default();
                self.start_process()?;
                return Ok(Bundle::new());
            }
            None => {}
        }
        let dependencies: Vec<&str> = first_lines::commands(cell)
            .filter(|(word, _)| *word == ":dep")
            .map(|(_, arguments)| arguments)
            .collect();
        let mut shown = Bundle::new();
        for (word, arguments) in first_lines::commands(cell) {
            let values = match word.strip_prefix('!') {
                Some(_) => {
                    let line = [word, arguments].join(" ");
                    self.shell(line.trim_start_matches('!'), run)?;
                    Bundle::new()
                }
                None => self.command(word, arguments.trim())?,
            };
            for (mime, text) in values {
                *shown.entry(mime).or_default() += &text;
            }
        }
        let is_outdated = self.crates.is_outdated();
        if is_outdated {
            run.tell(HAS_CHANGED);
        }
        if is_outdated || !dependencies.is_empty() {
            self.load(&dependencies, run)?;
        }
        Ok(shown)
    }

    /// Loads crates.
    fn load(&mut self, lines: &[&str], run: &mut CellRun<'_>) -> Result<(), Failure> {
        let (cargo, offline) = (&self.made.cargo, self.settings.is_offline);
        let added = self
            .crates
            .add(lines, offline, cargo, &mut |line| run.tell(line));
        let added = added.map_err(|trouble| match trouble {
            Trouble::Stopped => failure::stopped(),
            Trouble::Failed(error) => Failure::new("EvaluatorError", error.to_string()),
            refused => Failure::new("CompileError", refused.to_string()),
        })?;
        let goes_on = added.goes_on_from(&self.crates);
        self.crates = added;
        self.shared.assistance.use_crates(&self.crates);
        if !goes_on {
            self.evaluator = self.new_evaluator();
            self.start_process()?;
            run.tell(BEGINS_AGAIN);
        }
        self.evaluator.compiler_mut().use_crates(&self.crates);
        Ok(())
    }

    fn command(&mut self, word: &str, arguments: &str) -> Result<Bundle, Failure> {
        let text = |text: String| Ok(Bundle::from([("text/plain".to_owned(), text)]));
        let fault = |sentence: String| Err(Failure::new("CompileError", sentence));
        match word {
            ":dep" => Ok(Bundle::new()),
            ":env" => match arguments.split_once('=') {
                Some((name, value)) => {
                    let set = format!("unsafe {{ std::env::set_var({name:?}, {value:?}) }}");
                    match self.execute_hidden(&set) {
                        Some(_) => Ok(Bundle::new()),
                        None => fault(format!("the variable {name:?} cannot be set")),
                    }
                }
                None => fault("`:env` is written `:env NAME=value`".to_owned()),
            },
            ":explain" => match self.last_errors.first() {
                Some(code) => text(self.ask_rustc(&["--explain", code])),
                None => text("The compiler has not reported an error yet.".to_owned()),
            },
            ":fmt" => {
                let format = if arguments.is_empty() {
                    "{:?}"
                } else {
                    arguments
                };
                self.evaluator.set_format(format);
                Ok(Bundle::new())
            }
            ":help" => Ok(commands::help(&self.own_commands)),
            ":offline" => {
                self.settings.is_offline = arguments == "1";
                text(format!("Offline mode: {}", self.settings.is_offline))
            }
            ":timing" => {
                self.settings.shows_time = !self.settings.shows_time;
                text(format!("Timing: {}", self.settings.shows_time))
            }
            ":type" | ":t" => {
                let variables = self.all_variables();
                let found = variables.iter().find(|one| one.name == arguments);
                match found {
                    Some(variable) => text(format!("{arguments}: {}", variable.type_name)),
                    None => fault(format!("there is no variable `{arguments}`")),
                }
            }
            ":vars" => Ok(commands::variables(&self.all_variables())),
            ":version" => text(self.ask_rustc(&["--version"])),
            word if let Some(why) = commands::needless(word) => {
                fault(format!("`{word}` does nothing here: {why}"))
            }
            word => fault(format!("there is no command `{word}`: `:help` lists all")),
        }
    }

    fn ask_rustc(&self, question: &[&str]) -> String {
        let mut rustc = Command::new(&self.made.compiler.rustc);
        rustc.args(question);
        let output = self.shared.compilers.run(&mut rustc, &mut |_| ());
        output.map_or_else(
            |error| error.to_string(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    }

    /// Runs a line for the shell.
    fn shell(&self, line: &str, run: &mut CellRun<'_>) -> Result<(), Failure> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        let output = self
            .shared
            .compilers
            .run(&mut shell, &mut |line| run.tell(line));
        match output {
            Ok(output) => {
                run.text(&String::from_utf8_lossy(&output.stdout));
                Ok(())
            }
            Err(_) if self.shared.is_stopping() => Err(failure::stopped()),
            Err(error) => Err(Failure::new("EvaluatorError", error.to_string())),
        }
    }

    /// Compiles and runs the Rust of a cell.
    fn run_code(
        &mut self,
        code: &str,
        key: Option<&str>,
        mut run: CellRun<'_>,
        answer: Answer<'_>,
        before: &[Variable],
    ) -> (memory::End, Result<(), Failure>) {
        let rust = first_lines::only_rust(code);
        if let Some(number) = self.number.take() {
            self.evaluator.number_next(number);
        }
        let compiled = match self.evaluator.compile(&rust, key) {
            Ok(compiled) => compiled,
            Err(failure) => {
                run.finish(false);
                return (
                    memory::End::Failure,
                    Err(self.compile_failure(failure, code, before)),
                );
            }
        };
        if self.shared.is_stopping() {
            run.finish(false);
            return (memory::End::Failure, Err(failure::stopped()));
        }
        let has_value = compiled.has_value();
        let (ending, was_killed) = self.run_to_end(&compiled, &mut run, answer);
        let was_stopped = self.shared.is_stopping();
        let last_words = run.last_words.take();
        run.finish(has_value && ending == Ending::Done);
        let not_loaded = matches!(ending, Ending::NotLoaded(_)).then_some(crash::NOT_LOADED);
        if not_loaded.is_some() {
            self.shared.running.kill(); // it can load no other cell, either
        }
        let is_gone = ending == Ending::Gone || not_loaded.is_some();
        let ending = if is_gone { Ending::Gone } else { ending };
        let ran = self.evaluator.ran(compiled, ending);
        if is_gone {
            let how = self.shared.running.wait();
            let how = how.map_or("it does not answer".to_owned(), |how| how.to_string());
            self.process = None;
            let failure = match was_killed {
                true => failure::killed(before),
                false => {
                    let why = crash::reason(&how, &last_words.unwrap_or_default());
                    let why = not_loaded.map(str::to_owned).or(why);
                    failure::process_ended(&how, why.as_deref(), before)
                }
            };
            return (memory::End::ProcessEnded, Err(failure));
        }
        let left = self.all_variables();
        let is_lost = |one: &&Variable| !left.iter().any(|left| left.name == one.name);
        let lost: Vec<Variable> = before.iter().filter(is_lost).cloned().collect();
        match ran {
            _ if was_stopped => {
                let failure = match lost.is_empty() {
                    true => failure::stopped(),
                    false => Failure::new("Interrupted", "stopped"),
                };
                (
                    memory::End::Failure,
                    Err(failure::and_moved(failure, &lost)),
                )
            }
            Ok(()) => (memory::End::Success, Ok(())),
            Err(failed) => {
                let failure = self.run_failure(failed, code, before);
                (
                    memory::End::Failure,
                    Err(failure::and_moved(failure, &lost)),
                )
            }
        }
    }

    /// Until the cell has ended; also says whether its process was killed for that.
    fn run_to_end(
        &mut self,
        compiled: &CompiledCell,
        run: &mut CellRun<'_>,
        answer: Answer<'_>,
    ) -> (Ending, bool) {
        let Some(process) = &mut self.process else {
            return (Ending::Gone, false);
        };
        if process.run(&compiled.library, &compiled.symbol).is_err() {
            return (Ending::Gone, false);
        }
        let mut was_killed = false;
        let mut looked = Instant::now();
        loop {
            match process.events().recv_timeout(TICK) {
                Ok(cell_evaluator::Event::Ended(ending)) => return (ending, was_killed),
                Ok(event) => run.handle(event),
                Err(RecvTimeoutError::Timeout) if process.status().is_some() => {
                    // What it has printed last is on its way, unless something holds its streams.
                    match process.events().recv_timeout(HOLD) {
                        Ok(cell_evaluator::Event::Ended(ending)) => return (ending, was_killed),
                        Ok(event) => run.handle(event),
                        Err(_) => return (Ending::Gone, was_killed),
                    }
                }
                Err(RecvTimeoutError::Timeout) => run.show_held_back(HOLD),
                Err(RecvTimeoutError::Disconnected) => return (Ending::Gone, was_killed),
            }
            if looked.elapsed() > TICK {
                looked = Instant::now();
                serve_standard_input(process, &self.shared, run, answer);
            }
            match self.shared.interrupter.demand() {
                Demand::Nothing => {}
                Demand::Stop => run.stop(),
                Demand::Kill => {
                    run.stop();
                    was_killed = true;
                    self.shared.running.kill();
                }
            }
        }
    }

    fn compile_failure(
        &mut self,
        failed: cell_evaluator::Failure,
        code: &str,
        before: &[Variable],
    ) -> Failure {
        if self.shared.is_stopping() {
            return failure::stopped();
        }
        if !self.folder.exists() {
            return failure::no_folder(&self.folder);
        }
        if let cell_evaluator::Failure::Compile(errors) = &failed {
            self.last_errors = errors.iter().filter_map(|one| one.code.clone()).collect();
        }
        let known = Known {
            cell: code,
            variables: before,
            memory: &self.memory,
        };
        compile_error::failure(failed, self.evaluator.number(), &known)
    }

    fn run_failure(
        &mut self,
        failed: cell_evaluator::Failure,
        code: &str,
        before: &[Variable],
    ) -> Failure {
        match failed {
            cell_evaluator::Failure::Err(message) => Failure::new("Err", message),
            cell_evaluator::Failure::Panic(message, place) => {
                let line = place.map(|place| line_number(&place, code));
                let mut failure = Failure::new("Panic", &message);
                let text = |number: usize| {
                    let line = code.lines().nth(number - 1).unwrap_or_default();
                    format!("{number:4} | {line}")
                };
                failure.details.extend(line.map(text));
                let suspects = Suspects::of(&message, code, line, before);
                let asked = suspects.and_then(|suspects| self.ask_for_shapes(suspects));
                let why = asked.or_else(|| literal_shapes::about(&message, code, line));
                if let Some(why) = why {
                    failure.message = why;
                }
                failure
            }
            other => {
                let known = Known {
                    cell: code,
                    variables: before,
                    memory: &self.memory,
                };
                compile_error::failure(other, self.evaluator.number(), &known)
            }
        }
    }

    /// Which index was out of bounds, as far as the variables can still say.
    fn ask_for_shapes(&mut self, suspects: Suspects) -> Option<String> {
        let suspects = suspects.among(&self.all_variables());
        let answer = |with_indices| {
            let printed = self.execute_hidden(&suspects.question(with_indices));
            suspects.conclusion(&printed?)
        };
        [true, false].into_iter().find_map(answer)
    }

    /// Runs code of our own, and shows nothing of it; returns what it prints.
    fn execute_hidden(&mut self, code: &str) -> Option<String> {
        let compiled = self.evaluator.compile(code, None).ok()?;
        let mut printed = String::new();
        let mut hide = |output| {
            if let Output::Text(_, text) = output {
                printed += &text;
            }
        };
        let mut run = CellRun::new(&mut hide);
        let (ending, _) = self.run_to_end(&compiled, &mut run, &mut |_| None);
        run.finish(false);
        self.evaluator.ran(compiled, ending).ok()?;
        Some(printed)
    }
}

impl notebook::evaluator::Evaluator for Session {
    fn execute(
        &mut self,
        cell: Cell<'_>,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Question) -> Option<String>,
    ) -> Result<(), Failure> {
        nesting::check(cell.code)?;
        first_lines::check(cell.code)?;
        let begins = self.shared.begin_cell();
        let executed = self.execute_begun(cell, show, answer);
        self.tell_assistance();
        if begins {
            self.shared.interrupter.end();
        }
        executed
    }

    fn skipped(&mut self, code: &str) {
        let variables = self.all_variables();
        self.memory
            .note(code, memory::End::NotRun, &variables, &variables);
    }

    fn remote(&self) -> Arc<dyn Remote> {
        Arc::new(self.shared.clone())
    }
}

/// An evaluator at its beginning.
fn evaluator(folder: &Path, made: &Made, imports: &str) -> Evaluator {
    let mut compiler = made.compiler.clone();
    compiler.use_crates(&made.crates);
    let mut evaluator = Evaluator::new(folder, compiler);
    evaluator.import(imports);
    evaluator
}

/// The program that runs cells, with a guardian in front of it where there can be one.
#[cfg(target_os = "linux")]
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new("/proc/self/exe");
    let kernel = folder.parent().unwrap_or(folder);
    command.args(guardian::arguments(kernel)).arg(program);
    command
}

#[cfg(not(target_os = "linux"))]
fn command(program: &Path, _folder: &Path) -> Command {
    Command::new(program)
}

/// Gives a cell what it waits for on its standard input.
fn serve_standard_input(
    process: &Process,
    shared: &Shared,
    run: &mut CellRun<'_>,
    answer: Answer<'_>,
) {
    match process.waiting_reader() {
        Some(Reader::Cell) => {
            run.show_held_back(Duration::ZERO);
            let line = run.prompt.take().unwrap_or_default();
            let prompt = line
                .split_once(':')
                .map_or("", |(_, prompt)| prompt)
                .to_owned();
            let question = Question {
                prompt,
                is_password: false,
            };
            let text = match shared.is_stopping() {
                true => None,
                false => answer(&question),
            };
            if text.is_none() && !shared.is_stopping() {
                run.say_once(CANNOT_ASK);
            }
            process.answer(
                text.as_deref()
                    .map(|text| text.lines().next().unwrap_or("")),
            );
        }
        Some(Reader::Child(_)) => {
            run.say_once(NO_INPUT_FOR_CHILDREN);
            process.answer(None);
        }
        None => {}
    }
}

/// The number of the line of a cell.
fn line_number(place: &CellPlace, code: &str) -> usize {
    let before = &code[..place.range.start.min(code.len())];
    before.matches('\n').count() + 1
}
