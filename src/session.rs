//! One evaluation of a notebook: cells go in, outputs and failures come out.

use anyhow::{Context, Result};
use evcxr::{CommandContext, CompilationError, Error, EvalContextOutputs, EvalOutputs};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait for a line of output before looking whether the cell is done.
const POLL: Duration = Duration::from_millis(2);
/// evcxr hands on the error stream from another thread; after a failure its last
/// lines may come a little later than the end of the cell.
const LATE_LINES: Duration = Duration::from_millis(300);

/// A fresh evaluator: no variable, no function, no crate.
pub struct Session {
    context: CommandContext,
    outputs: EvalContextOutputs,
    executed: usize,
}

/// What a cell put out.
#[derive(Default)]
pub struct Executed {
    pub stdout: String,
    pub stderr: String,
    /// The value of the last expression, by MIME type.
    pub result: BTreeMap<String, String>,
    /// Why the cell failed: the compiler's or the program's message.
    pub failure: Option<String>,
}

impl Session {
    /// Starts an evaluator in the workspace that the environment names.
    pub fn start() -> Result<Session> {
        let (context, outputs) = CommandContext::new()
            .map_err(readable)
            .context("the evaluator for cells did not start")?;
        let mut session = Session {
            context,
            outputs,
            executed: 0,
        };
        let configured = session.evaluate(":load_config --quiet");
        match configured.failure {
            None => Ok(session),
            Some(failure) => anyhow::bail!("the evaluator's configuration failed: {failure}"),
        }
    }

    /// Runs one cell to its end.
    ///
    /// evcxr reports success also when the cell panicked or left through `?`. But
    /// then it forgets the variables that the cell defined, so the cell is given
    /// one to define.
    pub fn execute(&mut self, cell: &str) -> Executed {
        self.executed += 1;
        let marker = format!("cell_{}_completed", self.executed);
        let Some(marked) = with_marker(cell, &marker) else {
            return self.evaluate(cell); // no Rust in it
        };
        let mut executed = self.evaluate(&marked);
        let completed = self
            .context
            .variables_and_types()
            .any(|(name, _)| name == marker);
        if executed.failure.is_none() && !completed {
            executed.read(&self.outputs, LATE_LINES);
            let message = executed.stderr.trim();
            executed.failure = Some(match message {
                "" => "the cell ended early, without a message".to_owned(),
                message => message.to_owned(),
            });
        }
        executed
    }

    fn evaluate(&mut self, source: &str) -> Executed {
        let Session {
            context, outputs, ..
        } = self;
        let mut executed = Executed::default();
        let evaluated = std::thread::scope(|scope| {
            // evcxr waits for its output to be read, so reading goes on meanwhile.
            let evaluation = scope.spawn(|| context.execute(source));
            while !evaluation.is_finished() {
                executed.read(outputs, POLL);
            }
            evaluation
                .join()
                .unwrap_or_else(|_| Err("evcxr itself panicked".to_owned().into()))
        });
        executed.read(outputs, POLL);
        match evaluated {
            Ok(EvalOutputs {
                content_by_mime_type,
                ..
            }) => {
                executed.result = content_by_mime_type.into_iter().collect();
            }
            Err(error) => executed.failure = Some(readable(error).to_string()),
        }
        executed
    }
}

impl Executed {
    /// Takes over the lines that have arrived, and those of the next `wait`.
    fn read(&mut self, outputs: &EvalContextOutputs, wait: Duration) {
        let late = outputs.stdout.recv_timeout(wait);
        for line in late.into_iter().chain(outputs.stdout.try_iter()) {
            self.stdout += &(line + "\n");
        }
        for line in outputs.stderr.try_iter() {
            self.stderr += &(line + "\n");
        }
    }
}

/// `cell` with the definition of `marker` before its first line of Rust; `None`
/// if it has none, only commands (`:dep ...`), comments and empty lines.
fn with_marker(cell: &str, marker: &str) -> Option<String> {
    let mut lines: Vec<&str> = cell.lines().collect();
    let is_rust = |line: &&str| {
        let command = line.trim_start().starts_with(':') || line.starts_with('!');
        !(command || line.starts_with("//") || line.trim().is_empty())
    };
    let first = lines.iter().position(is_rust)?;
    let definition = format!("let {marker}: () = ();");
    lines.insert(first, &definition);
    Some(lines.join("\n"))
}

/// An evaluator's error as a learner can read it.
fn readable(error: Error) -> anyhow::Error {
    match error {
        Error::CompilationErrors(errors) => {
            let errors: Vec<String> = errors.iter().map(readable_compilation_error).collect();
            anyhow::anyhow!(errors.join("\n"))
        }
        error => anyhow::anyhow!(error.to_string()),
    }
}

/// The message, the lines it is about with the place marked, and the help.
fn readable_compilation_error(error: &CompilationError) -> String {
    let code = error
        .code()
        .map(|code| format!("[{code}]"))
        .unwrap_or_default();
    let mut text = format!("{}{code}: {}", error.level(), error.message());
    let mut shown = Vec::new();
    for spanned in error.spanned_messages() {
        let Some(span) = spanned.span else { continue };
        let mut lines = spanned.lines.clone();
        lines.dedup(); // evcxr adds them again each time it tries to help itself
        if lines != shown {
            lines
                .iter()
                .for_each(|line| text += &format!("\n    {line}"));
            shown = lines;
        }
        if span.start_line != span.end_line {
            text += &format!("\n    {}", spanned.label);
        } else {
            let indent = " ".repeat(span.start_column - 1);
            let mark = "^".repeat((span.end_column - span.start_column).max(1));
            text += &format!("\n    {indent}{mark} {}", spanned.label);
        }
    }
    for help in error.help() {
        text += &format!("\n  help: {}", help.replace("\n\n", "\n    "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_stands_after_commands_and_comments() {
        let cell =
            ":dep attention = { path = \"x\" }\n// comment\n\nuse attention::softmax;\nsoftmax(&x)";
        let expected = ":dep attention = { path = \"x\" }\n// comment\n\nlet m: () = ();\nuse attention::softmax;\nsoftmax(&x)";
        assert_eq!(with_marker(cell, "m").as_deref(), Some(expected));
    }

    #[test]
    fn a_cell_without_rust_gets_no_marker() {
        assert_eq!(with_marker(":help\n// nothing\n", "m"), None);
        assert_eq!(with_marker("", "m"), None);
    }
}
