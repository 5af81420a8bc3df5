//! Executes the commands in the first lines of a cell.

use super::Session;
use crate::commands;
use crate::earlier_cells::EarlierCells;
use crate::failure;
use crate::first_lines::{self, Anew};
use crate::session::cell_run::CellRun;
use cell_evaluator::Trouble;
use notebook::evaluator::{Bundle, Failure, Remote};
use std::process::Command;

const HAS_CHANGED: &str = "A crate of this notebook has changed on disk and is being recompiled.\n";
const BEGINS_AGAIN: &str = "Cells have used what has changed, so the notebook starts over: all \
    variables, functions and types are lost.\n";

impl Session {
    /// Executes the commands in the first lines of a cell; returns their output.
    pub(super) fn run_commands(
        &mut self,
        cell: &str,
        run: &mut CellRun<'_>,
    ) -> Result<Bundle, Failure> {
        match first_lines::resets(cell) {
            Some(Anew::Process) => {
                self.cell_compiler.forget_variables();
                self.start_process()?;
                return Ok(Bundle::new());
            }
            Some(Anew::Everything) => {
                self.crates = self.prepared.crates.clone();
                self.remote.assistance.use_crates(&self.crates);
                self.cell_compiler = self.new_cell_compiler();
                self.earlier_cells = EarlierCells::default();
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

    /// Loads the crates requested by `:dep` lines, and recompiles those that have changed on disk.
    fn load(&mut self, lines: &[&str], run: &mut CellRun<'_>) -> Result<(), Failure> {
        let (cargo, offline) = (&self.prepared.cargo, self.settings.is_offline);
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
        self.remote.assistance.use_crates(&self.crates);
        if !goes_on {
            self.cell_compiler = self.new_cell_compiler();
            self.start_process()?;
            run.tell(BEGINS_AGAIN);
        }
        self.cell_compiler.compiler_mut().use_crates(&self.crates);
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
                    match self.run_hidden(&set) {
                        Ok(_) => Ok(Bundle::new()),
                        Err(_) => fault(format!("the variable {name:?} cannot be set")),
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
                self.cell_compiler.set_format(format);
                Ok(Bundle::new())
            }
            ":help" => Ok(commands::help(&self.own_commands)),
            ":offline" => {
                self.settings.is_offline = arguments == "1";
                text(format!("Offline mode: {}", self.settings.is_offline))
            }
            ":time" => {
                self.settings.shows_its_time = true;
                Ok(Bundle::new())
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
            word => fault(format!(
                "there is no command `{word}`: `:help` lists all commands"
            )),
        }
    }

    fn ask_rustc(&self, question: &[&str]) -> String {
        let mut rustc = Command::new(&self.prepared.compiler.rustc);
        rustc.args(question);
        let output = self.remote.compilers.run(&mut rustc, &mut |_| ());
        output.map_or_else(
            |error| error.to_string(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    }

    /// Runs a `!` line as a shell command, and shows its output.
    fn shell(&self, line: &str, run: &mut CellRun<'_>) -> Result<(), Failure> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        let output = self
            .remote
            .compilers
            .run(&mut shell, &mut |line| run.tell(line));
        match output {
            Ok(output) => {
                run.text(&String::from_utf8_lossy(&output.stdout));
                Ok(())
            }
            Err(_) if self.remote.is_stopping() => Err(failure::stopped()),
            Err(error) => Err(Failure::new("EvaluatorError", error.to_string())),
        }
    }
}
