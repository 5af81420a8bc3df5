//! Compiles and runs the Rust code of a cell.

use super::{AskForInput, Session};
use crate::compile_error;
use crate::crash;
use crate::earlier_cells::CellOutcome;
use crate::failure;
use crate::first_lines;
use crate::hints::Known;
use crate::interrupt::Demand;
use crate::remote::SessionRemote;
use crate::session::cell_run::{CellRun, HOLD};
use crate::stale_cells::StaleCells;
use crate::variable::Variable;
use cell_evaluator::{CellError, CompiledCell, Ending, Process, StdinReader};
use crossbeam_channel::RecvTimeoutError;
use jupyter_kernel::locked;
use notebook::evaluator::{Failure, Output, Question, Remote};
use std::time::{Duration, Instant};

/// Poll interval while a cell runs.
const TICK: Duration = Duration::from_millis(20);
const CANNOT_ASK: &str = "[This front end cannot ask for text: the cell gets none.]\n";
const NO_INPUT_FOR_CHILDREN: &str = "[A program that this cell has started reads its standard \
    input. It is empty: the program has reached the end of the input.]\n";

impl Session {
    /// Compiles and runs the Rust code of a cell.
    pub(super) fn run_code(
        &mut self,
        code: &str,
        key: Option<&str>,
        mut run: CellRun<'_>,
        answer: AskForInput<'_>,
        before: &[Variable],
    ) -> (CellOutcome, Result<(), Failure>) {
        let rust = first_lines::only_rust(code);
        if let Some(number) = self.number.take() {
            self.cell_compiler.number_next(number);
        }
        let began = Instant::now();
        let compiled = self.cell_compiler.compile(&rust, key);
        self.compiled_in = Some(began.elapsed());
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(failure) => {
                run.finish(false);
                return (
                    CellOutcome::Failure,
                    Err(self.compile_failure(failure, code, before)),
                );
            }
        };
        if self.remote.is_stopping() {
            run.finish(false);
            return (CellOutcome::Failure, Err(failure::stopped()));
        }
        let has_value = compiled.has_value();
        let (ending, was_killed) = self.run_to_end(&compiled, &mut run, answer);
        let was_stopped = self.remote.is_stopping();
        let last_words = run.last_words.take();
        run.finish(has_value && ending == Ending::Done);
        let not_loaded = matches!(ending, Ending::NotLoaded(_)).then_some(crash::NOT_LOADED);
        if not_loaded.is_some() {
            self.remote.running.kill(); // it cannot load another cell either
        }
        let is_gone = ending == Ending::Gone || not_loaded.is_some();
        let ending = if is_gone { Ending::Gone } else { ending };
        locked(&self.remote.stale_cells).end(key, compiled.uses(&ending));
        let ran = self.cell_compiler.ran(compiled, ending);
        if is_gone {
            *locked(&self.remote.stale_cells) = StaleCells::default();
            let status = self.remote.running.wait();
            let how = status.map_or("it does not answer".to_owned(), |how| how.to_string());
            self.process = None;
            let failure = match was_killed {
                true => failure::killed(before),
                false => {
                    let why = crash::reason(status, &last_words.unwrap_or_default());
                    let why = not_loaded.map(str::to_owned).or(why);
                    failure::process_ended(&how, why.as_deref(), before)
                }
            };
            return (CellOutcome::ProcessEnded, Err(failure));
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
                    CellOutcome::Failure,
                    Err(failure::and_moved(failure, &lost)),
                )
            }
            Ok(()) => (CellOutcome::Success, Ok(())),
            Err(failed) => {
                let failure = self.run_failure(failed, code, before);
                (
                    CellOutcome::Failure,
                    Err(failure::and_moved(failure, &lost)),
                )
            }
        }
    }

    /// Runs a compiled cell to its end; also returns whether its process had to be killed.
    fn run_to_end(
        &mut self,
        compiled: &CompiledCell,
        run: &mut CellRun<'_>,
        answer: AskForInput<'_>,
    ) -> (Ending, bool) {
        let Some(process) = &mut self.process else {
            return (Ending::Gone, false);
        };
        if process.run(&compiled.library, &compiled.symbol).is_err() {
            return (Ending::Gone, false);
        }
        let mut was_killed = false;
        let mut looked = Instant::now();
        let mut waiting_since = None;
        loop {
            match process.events().recv_timeout(TICK) {
                Ok(cell_evaluator::Event::Ended(ending)) => return (ending, was_killed),
                Ok(event) => run.handle(event),
                Err(RecvTimeoutError::Timeout) if process.status().is_some() => {
                    // Its last output may still be in flight. Do not wait for the end of its
                    // streams: another process may hold them open.
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
                let reader = process.waiting_reader();
                waiting_since = reader.as_ref().and(waiting_since.or(Some(looked)));
                // The prompt that a cell printed may still be on its way.
                let has_no_prompt = waiting_since.is_some_and(|since| since.elapsed() > HOLD);
                if let Some(reader) = reader
                    && (run.prompt.is_some() || has_no_prompt)
                {
                    serve_standard_input(&reader, process, &self.remote, run, answer);
                    waiting_since = None;
                }
            }
            match self.remote.interrupter.demand() {
                Demand::Nothing => {}
                Demand::Stop => run.stop(),
                Demand::Kill => {
                    run.stop();
                    was_killed = true;
                    self.remote.running.kill();
                }
            }
        }
    }

    fn compile_failure(&mut self, failed: CellError, code: &str, before: &[Variable]) -> Failure {
        if self.remote.is_stopping() {
            return failure::stopped();
        }
        if !self.folder.exists() {
            return failure::no_folder(&self.folder);
        }
        if let CellError::Compile(errors) = &failed {
            self.last_errors = errors.iter().filter_map(|one| one.code.clone()).collect();
        }
        let known = Known {
            cell: code,
            variables: before,
            earlier_cells: &self.earlier_cells,
        };
        compile_error::failure(failed, self.cell_compiler.number(), &known)
    }

    fn run_failure(&mut self, failed: CellError, code: &str, before: &[Variable]) -> Failure {
        match failed {
            CellError::Err(message) => Failure::new("Err", message),
            CellError::Panic(message, place) => self.panicked(&message, place, code, before),
            other => {
                let known = Known {
                    cell: code,
                    variables: before,
                    earlier_cells: &self.earlier_cells,
                };
                compile_error::failure(other, self.cell_compiler.number(), &known)
            }
        }
    }

    /// Runs code that fails if a value is not the expected one. The notebook then continues as if
    /// this code had not been run.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub fn check(&mut self, code: &str) -> Result<(), Failure> {
        match self.run_hidden(code) {
            Ok(_) => Ok(()),
            Err(failed) => Err(self.run_failure(failed, code, &self.all_variables())),
        }
    }

    /// Runs code, and returns the text it prints instead of showing it.
    pub(super) fn run_hidden(&mut self, code: &str) -> Result<String, CellError> {
        let compiled = self.cell_compiler.compile_hidden(code)?;
        let mut printed = String::new();
        let mut hide = |output| {
            if let Output::Text(_, text) = output {
                printed += &text;
            }
        };
        let mut run = CellRun::new(&mut hide);
        let (ending, _) = self.run_to_end(&compiled, &mut run, &mut |_| None);
        run.finish(false);
        self.cell_compiler.ran(compiled, ending)?;
        Ok(printed)
    }
}

/// Answers a read of standard input: a cell gets the learner's line; a program started by the cell
/// gets end-of-file.
fn serve_standard_input(
    reader: &StdinReader,
    process: &Process,
    remote: &SessionRemote,
    run: &mut CellRun<'_>,
    answer: AskForInput<'_>,
) {
    match reader {
        StdinReader::Cell => {
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
            let text = match remote.is_stopping() {
                true => None,
                false => answer(&question),
            };
            if text.is_none() && !remote.is_stopping() {
                run.say_once(CANNOT_ASK);
            }
            process.answer(
                text.as_deref()
                    .map(|text| text.lines().next().unwrap_or("")),
            );
        }
        StdinReader::Child(_) => {
            run.say_once(NO_INPUT_FOR_CHILDREN);
            process.answer(None);
        }
    }
}
