//! Live pictures whose messages come as cells.

use crate::client::Client;
use crate::{Started, start};
use notebook::convention::LIVE_CELL;
use notebook::live::wire;
use serde_json::{Value, json};
use std::io;
use std::os::unix::net::UnixStream;
use std::thread;

/// Registers a picture with one control, as a cell's process would.
fn connect(started: &Started, id: &str) -> io::Result<UnixStream> {
    let mut process = UnixStream::connect(started.connection_file.with_file_name("live"))?;
    wire::write(&mut process, &[id, "1"])?;
    wire::write(&mut process, &["text", "sentence", "a b"])?;
    assert_eq!(wire::read(&mut process)?, [wire::READY]);
    Ok(process)
}

/// Registers a picture and draws it, until its control has the value `ends`.
fn register(started: &Started, id: &str) -> io::Result<()> {
    let mut process = connect(started, id)?;
    thread::spawn(move || -> io::Result<()> {
        loop {
            let texts = wire::read(&mut process)?;
            match texts[0].as_str() {
                "ends" => return Ok(()),
                "fails" => wire::write(&mut process, &[wire::FAILED, "no words"])?,
                text => wire::write(&mut process, &[wire::PICTURE, "text/html", text])?,
            }
        }
    });
    Ok(())
}

/// The kernel's answer to a cell with a message.
fn say(client: &mut Client, data: &Value) -> Value {
    let (reply, outputs) = client.execute(&format!("{LIVE_CELL}{data}"));
    assert_eq!(reply["status"], "ok");
    let [(kind, content)] = &outputs[..] else {
        panic!("{outputs:?}");
    };
    assert_eq!(kind, "display_data");
    content["data"]["application/json"].clone()
}

#[test]
fn cells_move_a_picture_even_while_another_cell_runs() -> io::Result<()> {
    let mut started = start();
    register(&started, "p")?;
    let client = &mut started.client;
    let running = client.send("execute_request", json!({ "code": "ask a" }));
    client.stdin.wait_for(|message| message.is_of(&running));

    let controls = json!([{ "kind": "text", "label": "sentence" }]);
    let begin = json!({ "controls": controls, "values": ["a b"], "moved": false });
    assert_eq!(say(client, &json!({ "id": "p" })), begin);
    for (message, answer) in [
        (json!({ "values": ["c"] }), json!({ "html": "c" })),
        (
            json!({ "values": ["fails"] }),
            json!({ "failed": "no words" }),
        ),
        (
            json!({ "values": [] }),
            json!({ "refused": "0 values for 1 controls" }),
        ),
        (
            json!({ "forms": true }),
            json!({ "forms": { "text/html": "<div data-notebook-live=\"p\">c</div>" } }),
        ),
        (json!({ "values": ["ends"] }), json!({ "gone": true })),
        (json!({ "values": ["d"] }), json!({ "gone": true })),
        (json!({}), json!({ "gone": true })),
    ] {
        let mut message = message;
        message["id"] = json!("p");
        assert_eq!(say(client, &message), answer, "{message}");
    }

    let (_, frames) = client.frames("input_reply", json!({ "value": "b" }));
    client.stdin.send(frames);
    assert_eq!(client.executed(&running).0["execution_count"], 1);
    // These messages do not count as cells of the notebook.
    assert_eq!(client.execute("print c").0["execution_count"], 2);
    let asked = json!({ "hist_access_type": "tail", "n": 9 });
    let history = client.ask("history_request", asked)["history"].clone();
    assert_eq!(history, json!([[1, 1, "ask a"], [1, 2, "print c"]]));
    Ok(())
}

#[test]
fn the_kernel_is_busy_until_a_picture_is_drawn() -> io::Result<()> {
    let mut started = start();
    let mut process = connect(&started, "p")?;
    let client = &mut started.client;
    let message = json!({ "id": "p", "values": ["c"] });
    let code = format!("{LIVE_CELL}{message}");
    let drawn = client.send("execute_request", json!({ "code": code }));
    assert_eq!(wire::read(&mut process)?, ["c"]);
    client.ask("kernel_info_request", json!({}));
    client.execute("print a");
    wire::write(&mut process, &[wire::PICTURE, "text/html", "c"])?;
    let mut published = client.published(&drawn);
    published.retain(|message| message.kind() == "status");
    let states: Vec<_> = (published.iter())
        .map(|message| &message.content["execution_state"])
        .collect();
    // After each of the two other requests, it is still busy with this one.
    assert_eq!(states, ["busy", "busy", "busy", "idle"]);
    Ok(())
}

#[test]
fn other_comments_are_cells() {
    let mut client = start().client;
    for (count, rest) in ["", "{", "[]", "{\"id\": 5}"].iter().enumerate() {
        let (reply, _) = client.execute(&format!("{LIVE_CELL}{rest}"));
        assert_eq!(reply["execution_count"], count + 1, "{rest}");
    }
}
