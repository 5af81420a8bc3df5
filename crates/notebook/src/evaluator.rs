//! What a kernel asks of an evaluator, and all that the two know of each other. A kernel knows the protocol of its
//! front end and no language; an evaluator knows its language and no protocol.

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
    /// A figure or table shown on the way.
    Display(Bundle),
    /// A figure that later ones of the same name replace, such as a progress bar.
    Updatable(String, Bundle),
    /// The value of the last expression.
    Result(Bundle),
    /// What the cell has shown so far should go.
    Clear,
}

impl Output {
    /// Whether it is the value of an expression that has none, `()`.
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
    /// What was wrong, in plain text.
    pub message: String,
    /// Below the message: where in the cell, and what to do; plain text.
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
            // Its messages carry their own headings.
            "CompileError" => self.message.lines().map(coloured_heading).collect(),
            kind => vec![format!("{BOLD_RED}{kind}:{NORMAL} {}", self.message)],
        };
        lines.extend(self.details.iter().cloned());
        lines
    }

    /// The same in plain text.
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

/// A cell that is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Its text.
    pub code: &'a str,
    /// The number that the front end shows beside it, if it does.
    pub number: Option<u64>,
    /// What the front end knows it by, which stays the same when it is edited, if it says so.
    pub key: Option<&'a str>,
}

impl<'a> Cell<'a> {
    /// A cell of which only the text is known.
    pub fn of(code: &'a str) -> Cell<'a> {
        Cell {
            code,
            number: None,
            key: None,
        }
    }
}

/// A cell wants a line of text from the learner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What it asks.
    pub prompt: String,
    /// Whether the text should not be seen.
    pub is_password: bool,
}

/// How the name at a place could go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The texts, the best first, each with its kind: "function", "field" and the like.
    pub texts: Vec<(String, String)>,
    /// The first byte of the code that they replace.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// What the name at a place means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// In plain text.
    pub text: String,
    /// As Markdown.
    pub markdown: String,
}

/// Whether a cell can be run as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can.
    Complete,
    /// More could follow, in a line that begins with this.
    Incomplete(String),
    /// Whatever follows, it cannot.
    Invalid,
}

/// Runs cells, one after the other, in the thread that has started it. Dropped, it leaves nothing running.
pub trait Evaluator {
    /// Runs one cell to its end. Outputs go to `show` as they are made; `answer` is asked for lines
    /// of text, and says `None` where it cannot get one.
    ///
    /// # Errors
    ///
    /// How the cell failed.
    fn execute(
        &mut self,
        cell: Cell<'_>,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Question) -> Option<String>,
    ) -> Result<(), Failure>;

    /// Takes note of a cell that was to run and did not, because one before it had failed.
    fn skipped(&mut self, code: &str);

    /// What other threads can do meanwhile.
    fn remote(&self) -> Arc<dyn Remote>;
}

/// What can be asked of an evaluator from any thread, also while it runs a cell.
pub trait Remote: Send + Sync {
    /// A cell begins. From now on it can be stopped.
    fn begin(&self);

    /// The cell has ended; it cannot be stopped any more.
    fn end(&self);

    /// Asks the cell that runs to stop, and sees to it that it does; `false` if none runs.
    fn interrupt(&self) -> bool;

    /// Whether the cell should stop.
    fn is_stopping(&self) -> bool;

    /// Asks, or no longer asks, what earlier cells have left running to stop what it does.
    fn interrupt_rest(&self, should_stop: bool);

    /// Ends the process of the cells, and with it all variables. The next cell begins another one.
    fn kill(&self);

    /// Ends all processes. No other will begin.
    fn shut_down(&self);

    /// How the name at a byte of a cell could go on, if that is known soon.
    fn complete(&self, code: &str, place: usize) -> Option<Completions>;

    /// What the name at a byte of a cell means, if that is known soon.
    fn describe(&self, code: &str, place: usize) -> Option<Description>;

    /// Whether a cell can be run as it stands; `None` if that is not known.
    fn completeness(&self, code: &str) -> Option<Completeness>;
}
