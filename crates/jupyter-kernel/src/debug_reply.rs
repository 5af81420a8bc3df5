//! Requests of the debug protocol, and the replies to them.
//!
//! Front ends use this protocol to show variables, even if nothing is being debugged. A request is
//! the content of a `debug_request`:
//! `{"type": "request", "seq": 5, "command": "...", "arguments": {}}`.

use crate::message::Message;
use notebook::evaluator::VariableSummary;
use serde_json::{Value, json};

/// The command in a request.
#[derive(Debug, PartialEq)]
pub enum Command<'a> {
    /// The state of the debugger.
    Info,
    Start,
    Stop,
    /// All variables.
    ListVariables,
    /// One variable in all its forms.
    ShowVariable(&'a str),
    /// Front ends set up breakpoints before they show variables, even if there are none.
    Breakpoints,
    Other(&'a str),
}

impl Command<'_> {
    pub fn of(request: &Message) -> Command<'_> {
        let name = request.content["arguments"]["variableName"].as_str();
        match request.text("command") {
            "debugInfo" => Command::Info,
            "initialize" => Command::Start,
            "disconnect" => Command::Stop,
            "inspectVariables" => Command::ListVariables,
            "richInspectVariables" => Command::ShowVariable(name.unwrap_or_default()),
            "attach"
            | "configurationDone"
            | "dumpCell"
            | "setBreakpoints"
            | "setExceptionBreakpoints" => Command::Breakpoints,
            other => Command::Other(other),
        }
    }
}

/// A reply that says whether the debugger has been started.
pub fn info(request: &Message, is_started: bool) -> Value {
    let body = json!({
        "isStarted": is_started,
        "hashMethod": "Murmur2",
        "hashSeed": 0,
        "tmpFilePrefix": "",
        "tmpFileSuffix": ".rs",
        "breakpoints": [],
        "stoppedThreads": [],
        "richRendering": true,
        "exceptionPaths": [],
        "copyToGlobals": false,
    });
    success(request, body)
}

/// The reply to a request to start the debugger, which lists what it can do.
pub fn capabilities(request: &Message) -> Value {
    success(request, json!({ "exceptionBreakpointFilters": [] }))
}

/// The reply to a request to set breakpoints: none were set.
pub fn no_breakpoints(request: &Message) -> Value {
    success(request, json!({ "sourcePath": "", "breakpoints": [] }))
}

/// A reply that lists variables. Front ends show the type first, so the shape is next to it.
pub fn variables(request: &Message, variables: &[VariableSummary]) -> Value {
    let variable = |one: &VariableSummary| {
        json!({
            "name": one.name,
            "evaluateName": one.name,
            "type": format!("{} {}", one.type_name, one.shape).trim_end(),
            "value": one.preview,
            "variablesReference": 0, // it cannot be expanded
        })
    };
    let variables: Vec<Value> = variables.iter().map(variable).collect();
    success(request, json!({ "variables": variables }))
}

/// A reply that shows one variable: the value of an expression, or why there is none.
pub fn value(request: &Message, value: &Value) -> Value {
    match value["status"] == "ok" {
        true => success(
            request,
            json!({ "data": value["data"], "metadata": value["metadata"] }),
        ),
        false => failure(request, value["evalue"].as_str().unwrap_or_default()),
    }
}

pub fn success(request: &Message, body: Value) -> Value {
    let mut reply = response(request, true);
    reply["body"] = body;
    reply
}

pub fn failure(request: &Message, message: &str) -> Value {
    let mut reply = response(request, false);
    reply["message"] = json!(message);
    reply["body"] = json!({});
    reply
}

fn response(request: &Message, is_success: bool) -> Value {
    let seq = request.content["seq"].as_i64().unwrap_or_default();
    json!({
        "type": "response",
        "seq": seq,
        "request_seq": seq,
        "success": is_success,
        "command": request.text("command"),
    })
}
