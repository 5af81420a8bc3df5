//! How a kernel starts and ends.

use crate::client::{Client, Connection, PATIENCE};
use crate::fake::Fake;
use crate::{kernel, start, start_with};
use jupyter_kernel::serve;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[test]
fn a_kernel_ends_when_it_is_asked_to_also_while_a_cell_runs() {
    let mut started = start();
    started
        .client
        .send("execute_request", json!({ "code": "print a\nhold" }));
    started
        .client
        .iopub
        .wait_for(|message| message.kind() == "stream");
    let reply = started
        .client
        .command("shutdown_request", json!({ "restart": false }));
    assert_eq!(reply, json!({ "status": "ok", "restart": false }));
    started.served.join().expect("no panic").expect("its end");
    assert!(started.fake.state().is_shut_down);
}

#[test]
fn a_kernel_is_restarted_on_its_ports() {
    let mut started = start();
    started.client.execute("value 1");
    let reply = started
        .client
        .command("shutdown_request", json!({ "restart": true }));
    assert_eq!(reply, json!({ "status": "ok", "restart": true }));
    started.served.join().expect("no panic").expect("its end");

    let (kernel, file) = (kernel(&Arc::default()), started.connection_file.clone());
    thread::spawn(move || serve(kernel, &file));
    let mut client = Client::connect(&started.connection_file);
    assert_eq!(client.execute("value 1").0["execution_count"], 1);
}

#[test]
fn a_malformed_request_to_end_ends_nothing() {
    let mut client = start().client;
    let reply = client.command("shutdown_request", json!({ "restart": 1 }));
    assert_eq!(reply["status"], "error");
    thread::sleep(Duration::from_millis(200)); // a kernel sends its last messages first
    assert_eq!(client.execute("value 1").0["status"], "ok");
}

#[test]
fn an_evaluator_that_does_not_start_says_why_in_each_cell_until_it_does() {
    let fake = Arc::new(Fake::default());
    fake.state().refusals = 3;
    let mut client = start_with(Arc::clone(&fake)).client;
    for starts in [2, 3] {
        let (reply, outputs) = client.execute("value 1");
        assert_eq!(
            (&reply["status"], &reply["ename"]),
            (&json!("error"), &json!("EvaluatorError"))
        );
        let [(kind, error)] = &outputs[..] else {
            panic!("{outputs:?}");
        };
        assert_eq!(
            (&**kind, &error["evalue"]),
            ("error", &json!("there is no compiler"))
        );
        assert_eq!(fake.state().starts, starts);
    }
    let unknown = json!({ "status": "unknown" });
    assert_eq!(
        client.ask("is_complete_request", json!({ "code": ")" })),
        unknown
    );
    client.command("interrupt_request", json!({}));
    assert_eq!(client.execute("value 1").0["execution_count"], 1);
    client.execute("value 1");
    assert_eq!(fake.state().starts, 4);
}

#[test]
fn the_heart_beats() {
    let started = start();
    let connection = fs::read(&started.connection_file).expect("a file");
    let connection: Value = serde_json::from_slice(&connection).expect("JSON");
    let mut heart = Connection::new(&connection["hb_port"], "REQ", "");
    // A REQ socket puts an empty frame before its message.
    let beat = ["", "ping"].map(str::to_owned);
    heart.send(&beat);
    assert_eq!(heart.receive_within(PATIENCE).expect("a beat"), beat);
}

#[test]
fn what_stands_where_a_kernel_should_listen_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, mine) = (
        folder.path().join("connection.json"),
        folder.path().join("k-4"),
    );
    let connection = json!({
        "transport": "ipc", "ip": folder.path().join("k"), "key": "", "shell_port": 1, "control_port": 2,
        "stdin_port": 3, "iopub_port": 4, "hb_port": 5,
    });
    fs::write(&file, connection.to_string()).expect("a file");
    fs::write(&mine, "mine").expect("a file");
    let error = serve(kernel(&Arc::default()), &file).expect_err("no kernel");
    let message = format!("cannot listen at {} for the iopub socket", mine.display());
    assert_eq!(error.to_string(), message);
    assert_eq!(fs::read_to_string(&mine).expect("still there"), "mine");
}

#[test]
fn a_connection_file_that_cannot_be_used_is_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("connection.json");
    let refused = |text: &str| {
        fs::write(&file, text).expect("a file");
        let served = serve(kernel(&Arc::default()), &file);
        served.expect_err("no kernel").to_string()
    };
    assert!(refused("{}").ends_with("connection.json is not a connection file"));
    let connection = json!({
        "transport": "udp", "ip": "a", "key": "", "shell_port": 1, "control_port": 2,
        "stdin_port": 3, "iopub_port": 4, "hb_port": 5,
    });
    let reason = "asks for the transport \"udp\", but this kernel supports only tcp and ipc";
    assert!(refused(&connection.to_string()).ends_with(reason));
    fs::remove_file(&file).expect("a file");
    let missing = serve(kernel(&Arc::default()), &file).expect_err("no kernel");
    assert!(
        missing
            .to_string()
            .starts_with("cannot read the connection file")
    );
}
