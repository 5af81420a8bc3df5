//! Runs one cell in the evaluator and describes the outcome as the protocol does.

use crate::message::Message;
use crate::outbox;
use notebook::evaluator::{Cell, Evaluator, Failure, Output, Question};
use serde_json::{Map, Value, json};

pub struct Execution<'a> {
    pub evaluator: &'a mut dyn Evaluator,
    pub show: &'a mut dyn FnMut(Output),
    pub answer: &'a mut dyn FnMut(&Question) -> Option<String>,
}

impl Execution<'_> {
    /// Runs a cell; returns its outcome, and its value as plain text.
    pub fn run(&mut self, cell: Cell<'_>) -> (Result<(), Failure>, Option<String>) {
        let mut result = None;
        let mut show = |output: Output| {
            if let Output::Result(bundle) = &output {
                result = bundle.get("text/plain").cloned();
            }
            (self.show)(output);
        };
        let executed = self.evaluator.execute(cell, &mut show, self.answer);
        (executed, result)
    }

    /// Evaluates the expressions whose values the front end wants after the cell.
    pub fn user_expressions(&mut self, request: &Message) -> Map<String, Value> {
        let expressions = request.content["user_expressions"].as_object();
        let value = |(name, expression): (&String, &Value)| {
            let expression = expression.as_str().unwrap_or("");
            (name.clone(), value_of(self.evaluator, expression))
        };
        expressions.into_iter().flatten().map(value).collect()
    }
}

/// The value of an expression in all its forms, or why it failed.
pub fn value_of(evaluator: &mut dyn Evaluator, expression: &str) -> Value {
    let mut value = Map::new();
    let mut show = |output: Output| {
        if let Output::Result(bundle) = output {
            value = outbox::data(&bundle);
        }
    };
    match evaluator.execute(Cell::of(expression), &mut show, &mut |_| None) {
        Ok(()) => json!({ "status": "ok", "data": value, "metadata": {} }),
        Err(failure) => {
            let mut error = error(&failure);
            error["status"] = json!("error");
            error
        }
    }
}

/// The content of the reply to an `execute_request`. `rewritten` is the cell's new text, if any.
pub fn reply(
    outcome: &Result<Map<String, Value>, Failure>,
    count: u64,
    rewritten: Option<String>,
) -> Value {
    let (mut reply, expressions) = match outcome {
        Ok(expressions) => (json!({ "status": "ok" }), expressions.clone()),
        Err(failure) => {
            let mut reply = error(failure);
            reply["status"] = json!("error");
            (reply, Map::new())
        }
    };
    reply["execution_count"] = json!(count);
    reply["user_expressions"] = Value::Object(expressions);
    let payload = |text| json!({ "source": "set_next_input", "text": text, "replace": true });
    reply["payload"] = rewritten.into_iter().map(payload).collect();
    reply
}

/// The content of an error, for both the message to all clients and the reply.
pub fn error(failure: &Failure) -> Value {
    json!({
        "ename": failure.kind, "evalue": failure.message, "traceback": failure.traceback(),
    })
}
