//! The part of the debug protocol that front ends need to show variables. There are no breakpoints.

use crate::debug_reply::{self, Command};
use crate::executor::Executor;
use crate::message::Message;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Debugger {
    executor: Arc<Executor>,
    /// Reported to front ends, so that one that is reloaded continues to show variables.
    is_started: AtomicBool,
}

impl Debugger {
    pub fn new(executor: Arc<Executor>) -> Debugger {
        Debugger {
            executor,
            is_started: AtomicBool::new(false),
        }
    }

    /// Whether the evaluator must be asked, in which case the request must wait in the queue of
    /// cells.
    pub fn must_look(&self, request: &Message) -> bool {
        match Command::of(request) {
            Command::ListVariables => self.executor.has_new_variables(),
            Command::ShowVariable(name) => is_name(name),
            _ => false,
        }
    }

    /// The content of the reply to a `debug_request` that does not need the evaluator.
    pub fn answer(&self, request: &Message) -> Value {
        match Command::of(request) {
            Command::Info => debug_reply::info(request, self.is_started.load(Ordering::Relaxed)),
            Command::Start => {
                self.is_started.store(true, Ordering::Relaxed);
                debug_reply::capabilities(request)
            }
            Command::Stop => {
                self.is_started.store(false, Ordering::Relaxed);
                debug_reply::success(request, json!({}))
            }
            Command::Breakpoints => debug_reply::no_breakpoints(request),
            Command::ListVariables => debug_reply::variables(request, &self.executor.variables()),
            Command::ShowVariable(name) => {
                debug_reply::failure(request, &format!("{name:?} is not a variable"))
            }
            Command::Other(command) => {
                let message = format!(
                    "this kernel's debugger only shows variables; it does not support {command:?}"
                );
                debug_reply::failure(request, &message)
            }
        }
    }
}

/// Whether this is a single word, and not an expression that could have side effects.
fn is_name(text: &str) -> bool {
    let is_of_word = |character: char| character.is_alphanumeric() || character == '_';
    !text.is_empty() && text.chars().all(is_of_word) && !text.starts_with(|c: char| c.is_numeric())
}
