//! The debug protocol, as JupyterLab uses it to show variables.

use crate::client::Client;
use crate::start;
use serde_json::{Value, json};

fn debug(client: &mut Client, command: &str, arguments: Value) -> Value {
    let content = json!({
        "type": "request", "seq": 7, "command": command, "arguments": arguments,
    });
    let reply = client.command("debug_request", content);
    let fixed = ["type", "request_seq", "command"].map(|field| reply[field].clone());
    assert_eq!(
        fixed,
        [json!("response"), json!(7), json!(command)],
        "{reply}"
    );
    reply
}

fn list(client: &mut Client) -> Value {
    debug(client, "inspectVariables", json!({}))["body"]["variables"].clone()
}

/// The fake evaluator's variable when it is listed for the nth time.
fn seen(times: usize) -> Value {
    json!([{
        "name": "q", "evaluateName": "q", "type": "Array2<f32> (6, 3)", "value": times.to_string(),
        "variablesReference": 0,
    }])
}

#[test]
fn the_debugger_starts_and_stops_but_sets_no_breakpoints() {
    let mut client = start().client;
    let is_started =
        |client: &mut Client| debug(client, "debugInfo", json!({}))["body"]["isStarted"].clone();
    assert_eq!(is_started(&mut client), false);
    for command in ["initialize", "attach", "dumpCell", "configurationDone"] {
        let reply = debug(&mut client, command, json!({}));
        assert_eq!(reply["success"], true, "{reply}");
    }
    assert_eq!(is_started(&mut client), true);
    let asked = json!({ "breakpoints": [{ "line": 1 }], "source": { "path": "1.rs" } });
    let reply = debug(&mut client, "setBreakpoints", asked);
    assert_eq!(
        (&reply["success"], &reply["body"]["breakpoints"]),
        (&json!(true), &json!([]))
    );
    let refused = debug(&mut client, "stackTrace", json!({ "threadId": 1 }));
    assert_eq!(refused["success"], false);
    assert!(
        refused["message"]
            .as_str()
            .expect("text")
            .contains("\"stackTrace\""),
        "{refused}"
    );
    debug(&mut client, "disconnect", json!({ "restart": false }));
    assert_eq!(is_started(&mut client), false);
}

#[test]
fn variables_are_looked_at_once_after_each_cell() {
    let mut client = start().client;
    assert_eq!(list(&mut client), seen(1));
    assert_eq!(list(&mut client), seen(1), "no cell has run since");
    client.execute("print a");
    assert_eq!(list(&mut client), seen(2));
}

#[test]
fn while_a_cell_runs_they_are_shown_as_they_were() {
    let mut started = start();
    let client = &mut started.client;
    assert_eq!(list(client), seen(1));
    let request = client.send("execute_request", json!({ "code": "print a\nhold" }));
    client.iopub.wait_for(|message| message.kind() == "stream");
    assert_eq!(list(client), seen(1));
    started.fake.release();
    client.executed(&request);
    assert_eq!(list(client), seen(2));
}

#[test]
fn a_failed_cell_does_not_abort_a_waiting_question() {
    let mut started = start();
    let client = &mut started.client;
    let failing = client.send("execute_request", json!({ "code": "print a\nhold\nfail" }));
    client.iopub.wait_for(|message| message.kind() == "stream");
    let content = json!({
        "type": "request", "seq": 1, "command": "richInspectVariables",
        "arguments": { "variableName": "q" },
    });
    let (request, frames) = client.frames("debug_request", content);
    client.control.send(frames);
    client.command("kernel_info_request", json!({})); // by now the question is waiting
    started.fake.release();
    assert_eq!(client.executed(&failing).0["status"], "error");
    let reply = client.control.wait_for(|message| message.is_of(&request));
    // The fake evaluator has no cell `q`.
    assert_eq!(reply.content["success"], false);
    assert_eq!(reply.content["message"], "error: q");
}

#[test]
fn one_variable_is_shown_in_all_its_forms() {
    let mut client = start().client;
    let mut show = |name: &str| {
        debug(
            &mut client,
            "richInspectVariables",
            json!({ "variableName": name }),
        )
    };
    // A cell of the fake evaluator without a value.
    let reply = show("clear");
    assert_eq!(
        (&reply["success"], &reply["body"]),
        (&json!(true), &json!({ "data": {}, "metadata": {} }))
    );
    for name in ["", "1", "clear()", "value 1"] {
        assert_eq!(show(name)["success"], false, "{name}");
    }
}
