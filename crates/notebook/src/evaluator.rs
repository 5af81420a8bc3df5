//! The interface between a kernel and an evaluator. A kernel knows the protocol of its front end
//! but no language; an evaluator knows its language but no protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

/// One value in several forms: MIME type to content.
pub type Bundle = BTreeMap<String, String>;

/// A stream that a cell prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Something that a cell shows.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// Printed text, in pieces of any size.
    Text(Stream, String),
    /// A figure or table shown while the cell is still running.
    Display(Bundle),
    /// A figure that is replaced by later ones of the same name, such as a progress bar.
    Updatable(String, Bundle),
    /// The value of the last expression.
    Result(Bundle),
    /// Clears what the cell has shown so far.
    Clear,
    /// New text for the cell itself.
    Rewritten(String),
}

impl Output {
    /// Whether it is the value `()` of an expression without a result.
    pub fn is_unit(&self) -> bool {
        match self {
            Output::Result(bundle) | Output::Display(bundle) => {
                bundle.len() == 1 && bundle.get("text/plain").is_some_and(|text| text == "()")
            }
            _ => false,
        }
    }
}

/// A failed cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind: `CompileError`, `Panic`, `Err`, `Interrupted`, `ProcessEnded` or
    /// `EvaluatorError`.
    pub kind: &'static str,
    /// What went wrong, in plain text.
    pub message: String,
    /// Lines below the message, in plain text: where in the cell, and what to do.
    pub details: Vec<String>,
}

const BOLD_RED: &str = "\x1b[1;31m";
const NORMAL: &str = "\x1b[0m";

impl Failure {
    /// A failure without details.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// The lines that a notebook shows, with colours.
    pub fn traceback(&self) -> Vec<String> {
        let mut lines = match self.kind {
            // Its messages have their own headings.
            "CompileError" => self.message.lines().map(coloured_heading).collect(),
            kind => vec![format!("{BOLD_RED}{kind}:{NORMAL} {}", self.message)],
        };
        lines.extend(self.details.iter().cloned());
        lines
    }

    /// The failure in plain text.
    pub fn text(&self) -> String {
        let mut text = match self.kind {
            "CompileError" => self.message.clone(),
            kind => format!("{kind}: {}", self.message),
        };
        for line in &self.details {
            text += &format!("\n{line}");
        }
        text
    }
}

fn coloured_heading(line: &str) -> String {
    if line.starts_with("error") || line.trim_start().starts_with('^') {
        format!("{BOLD_RED}{line}{NORMAL}")
    } else {
        line.to_owned()
    }
}

/// A cell to run.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Its text.
    pub code: &'a str,
    /// The number that the front end shows next to it, if any.
    pub number: Option<u64>,
    /// The front end's id for it, if any, which does not change when it is edited.
    pub key: Option<&'a str>,
}

impl<'a> Cell<'a> {
    /// A cell without a number or an id.
    pub fn of(code: &'a str) -> Cell<'a> {
        Cell {
            code,
            number: None,
            key: None,
        }
    }
}

/// A cell's request for a line of text from the learner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The text to show.
    pub prompt: String,
    /// Whether the input should be hidden.
    pub is_password: bool,
}

/// A variable, as shown in a list of all variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableSummary {
    /// Its name.
    pub name: String,
    /// Its type, in the form that learners write.
    pub type_name: String,
    /// Its dimensions or its length, such as `(6, 3)`; empty if it has none.
    pub shape: String,
    /// The beginning of its value, on one line; empty if it cannot be shown.
    pub preview: String,
}

/// A cell whose outputs are out of date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaleCell {
    /// The front end's id for it.
    pub key: String,
    /// Names of variables and definitions that it has used and that have changed since.
    pub changed: Vec<String>,
    /// Names that it has used and that come from a cell that is itself stale.
    pub outdated: Vec<String>,
}

/// Possible completions of the name at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The completions, best first, each with its kind: "function", "field" and the like.
    pub texts: Vec<(String, String)>,
    /// The first byte of the code to replace.
    pub start: usize,
    /// The byte after the last one to replace.
    pub end: usize,
}

/// The meaning of the name at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// In plain text.
    pub text: String,
    /// As Markdown.
    pub markdown: String,
}

/// Whether a cell is ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It is ready.
    Complete,
    /// More may follow, on a line with this indentation.
    Incomplete(String),
    /// It is not valid, whatever follows.
    Invalid,
}

/// Runs cells, one after another, in the thread that started it. Dropping it stops everything it
/// has started.
pub trait Evaluator {
    /// Runs one cell to completion. Outputs go to `show` as they are produced; `answer` is called
    /// when the cell asks for a line of text, and returns `None` if it cannot get one.
    ///
    /// # Errors
    ///
    /// If the cell fails.
    fn execute(
        &mut self,
        cell: Cell<'_>,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Question) -> Option<String>,
    ) -> Result<(), Failure>;

    /// All variables. Called only between cells.
    fn variables(&mut self) -> Vec<VariableSummary>;

    /// Records a cell that was skipped because one before it failed.
    fn skipped(&mut self, code: &str);

    /// The operations available to other threads.
    fn remote(&self) -> Arc<dyn Remote>;
}

/// Operations on an evaluator that any thread can call, even while a cell is running.
pub trait Remote: Send + Sync {
    /// Marks the beginning of a cell, which can be stopped from now on.
    fn begin(&self);

    /// Marks the end of the cell, which can no longer be stopped.
    fn end(&self);

    /// Asks the running cell to stop, and makes sure that it does; `false` if none is running.
    fn interrupt(&self) -> bool;

    /// Whether the cell should stop.
    fn is_stopping(&self) -> bool;

    /// Sets or clears the request to stop for whatever earlier cells have left running.
    fn interrupt_rest(&self, should_stop: bool);

    /// Ends the cells' process, and with it all variables. The next cell starts a new one.
    fn kill(&self);

    /// Ends all processes and starts no more.
    fn shut_down(&self);

    /// Completions for the name at byte `place` of a cell, if they are available soon.
    fn complete(&self, code: &str, place: usize) -> Option<Completions>;

    /// The meaning of the name at byte `place` of a cell; `None` if it has none, or if
    /// finding it takes too long.
    fn describe(&self, code: &str, place: usize) -> Option<Description>;

    /// Whether a cell is ready to run; `None` if unknown.
    fn completeness(&self, code: &str) -> Option<Completeness>;

    /// The stale cells of the notebook whose cells have the ids `order`, from top to bottom.
    fn stale_cells(&self, order: &[String]) -> Vec<StaleCell>;
}
