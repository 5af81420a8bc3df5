//! What happens while a cell runs.

use crate::evaluation::stream::Part;
use evcxr::EvalOutputs;
use std::sync::mpsc::{self, Receiver, Sender};

/// So many events wait at most; then who prints has to.
pub const MOST_WAITING: usize = 64;

pub enum Event {
    Part(Part),
    Stderr(String),
    Input(Input),
    Done(Box<Done>),
}

/// A cell wants a line of text from the learner.
pub struct Input {
    /// The question.
    pub prompt: String,
    /// Whether the text should not be seen.
    pub is_password: bool,
    answer: Sender<Option<String>>,
}

impl Input {
    /// The wish, and where the answer to it comes; `None` if there is none.
    pub(crate) fn new(prompt: String, is_password: bool) -> (Input, Receiver<Option<String>>) {
        let (answer, line) = mpsc::channel();
        let input = Input {
            prompt,
            is_password,
            answer,
        };
        (input, line)
    }

    pub(crate) fn answer(&self, text: Option<String>) {
        let _ = self.answer.send(text); // the cell ended meanwhile
    }
}

/// A variable of the notebook.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// Its type, as evcxr writes it.
    pub type_name: String,
}

/// The end of a cell.
pub struct Done {
    pub outcome: Result<EvalOutputs, evcxr::Error>,
    /// All variables by their names, without those whose names begin with `_`.
    pub variables: Vec<Variable>,
}
