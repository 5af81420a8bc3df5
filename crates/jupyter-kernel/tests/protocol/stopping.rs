//! Interrupts.

use crate::client::Client;
use crate::fake::Fake;
use crate::{start, start_with};
use notebook::evaluator::Remote;
use serde_json::json;
use std::sync::Arc;

/// Sends an interrupt after everything sent on the shell has arrived.
fn interrupt(client: &mut Client) {
    client.ask("kernel_info_request", json!({}));
    let reply = client.command("interrupt_request", json!({}));
    assert_eq!(reply, json!({ "status": "ok" }));
}

fn cell(client: &mut Client, code: &str, stop_on_error: bool) -> String {
    let content = json!({ "code": code, "stop_on_error": stop_on_error });
    client.send("execute_request", content)
}

#[test]
fn an_interrupt_stops_the_cell_that_runs_and_those_that_wait() {
    let started = start();
    let mut client = started.client;
    let [running, waiting] = ["print a\nwait", "print b"].map(|code| cell(&mut client, code, true));
    client.iopub.wait_for(|message| message.kind() == "stream");
    interrupt(&mut client);
    assert_eq!(client.reply(&running)["ename"], "Interrupted");
    assert_eq!(client.reply(&waiting)["status"], "aborted");
    assert_eq!(
        started
            .fake
            .wait_until(|state| !state.skipped.is_empty())
            .skipped,
        ["print b"]
    );
}

#[test]
fn an_interrupt_stops_a_cell_that_is_about_to_run() {
    let fake = Arc::new(Fake::default());
    fake.state().is_held = true;
    let mut client = start_with(Arc::clone(&fake)).client;
    let [first, second] = ["wait", "print b"].map(|code| cell(&mut client, code, true));
    interrupt(&mut client);
    fake.let_start();
    assert_eq!(client.reply(&first)["ename"], "Interrupted");
    assert_eq!(client.reply(&second)["status"], "aborted");
    assert_eq!(client.execute("print c").0["status"], "ok");
}

#[test]
fn the_cell_after_a_stopped_one_is_not_stopped() {
    let mut client = start().client;
    let [running, waiting] =
        ["print a\nwait", "print b"].map(|code| cell(&mut client, code, false));
    client.iopub.wait_for(|message| message.kind() == "stream");
    interrupt(&mut client);
    assert_eq!(client.reply(&running)["ename"], "Interrupted");
    assert_eq!(client.reply(&waiting)["status"], "ok");
}

#[test]
fn an_interrupt_without_a_cell_stops_nothing() {
    let started = start();
    let mut client = started.client;
    client.execute("print a");
    interrupt(&mut client);
    interrupt(&mut client);
    assert!(!started.fake.is_stopping());
    assert_eq!(client.execute("print b").0["status"], "ok");
}

#[test]
fn a_cell_that_asks_can_be_interrupted_and_asks_no_more() {
    let mut client = start().client;
    let request = cell(&mut client, "ask a\nask b", true);
    let question = client.stdin.wait_for(|message| message.is_of(&request));
    assert_eq!(question.content["prompt"], "a");
    interrupt(&mut client);
    let (reply, outputs) = client.executed(&request);
    assert_eq!(reply["ename"], "Interrupted");
    let shown: Vec<_> = outputs
        .iter()
        .map(|(_, content)| &content["text"])
        .collect();
    assert_eq!(shown[..2], ["None", "None"]);
}
