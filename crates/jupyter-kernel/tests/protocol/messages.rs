//! Valid requests, and malformed or unsigned ones.

use crate::client::{Client, signed};
use crate::start;
use serde_json::{Value, json};

#[test]
fn the_kernel_says_what_it_is_on_both_sockets() {
    let mut client = start().client;
    let info = json!({
        "status": "ok", "protocol_version": "5.4", "implementation": "scripts",
        "implementation_version": "1.2.3", "banner": "A fake", "debugger": true, "help_links": [],
        "language_info": { "name": "script", "file_extension": ".script" },
    });
    assert_eq!(client.ask("kernel_info_request", json!({})), info);
    assert_eq!(client.command("kernel_info_request", json!({})), info);
}

#[test]
fn every_message_says_whose_it_is_and_what_it_answers() {
    let mut client = start().client;
    let (request, frames) = client.frames("kernel_info_request", json!({}));
    let header: Value = serde_json::from_str(&frames[2]).expect("a header");
    client.shell.send(frames);
    let mut messages = client.published(&request);
    let states: Vec<_> = messages
        .iter()
        .map(|message| message.content.clone())
        .collect();
    let state = |name| json!({ "execution_state": name });
    assert_eq!(states, ["busy", "idle"].map(state));
    messages.push(client.shell.wait_for(|message| message.is_of(&request)));
    assert_eq!(messages[2].kind(), "kernel_info_reply");
    let session = messages[0].header["session"].clone();
    assert_ne!(session, header["session"]);
    for message in &messages {
        assert_eq!(message.parent, header);
        assert_eq!(message.header["session"], session);
        assert_eq!(message.header["version"], "5.4");
    }
    assert_ne!(messages[0].header["msg_id"], messages[1].header["msg_id"]);
}

#[test]
fn two_front_ends_hear_of_all_cells_and_get_their_own_replies() {
    let started = start();
    let mut one = started.client;
    let mut other = Client::connect(&started.connection_file);
    let requests = [&mut one, &mut other]
        .map(|client| client.send("execute_request", json!({ "code": "print a\nask b" })));
    for (asker, request) in requests.iter().enumerate() {
        let asking = [&mut one, &mut other].into_iter().nth(asker).expect("two");
        asking.stdin.wait_for(|message| message.is_of(request));
        let (_, answer) = asking.frames("input_reply", json!({ "value": "c" }));
        asking.stdin.send(answer);
        assert_eq!(asking.reply(request)["status"], "ok");
        let heard = [&mut one, &mut other].map(|client| client.published(request).len());
        assert_eq!(heard, [5, 5]); // busy, the code, its two prints, idle
    }
}

#[test]
fn what_is_not_signed_or_no_message_is_dropped() {
    let mut client = start().client;
    let (_, whole) = client.frames("execute_request", json!({ "code": "print a" }));
    let changed = |frame: usize, text: &str| {
        let mut frames = whole.clone();
        frames[frame] = text.to_owned();
        frames
    };
    let again_signed = |frame, text: &str| signed(&changed(frame, text)[2..]);
    for frames in [
        changed(1, &"0".repeat(64)),
        changed(1, ""),
        changed(1, "no hexadecimal"),
        changed(5, "{\"code\": \"print b\"}"),
        whole[1..].to_vec(),
        whole[..1].to_vec(),
        whole[..4].to_vec(),
        again_signed(2, "{"),
        again_signed(2, "[]"),
        again_signed(2, "{\"msg_type\": 5}"),
        again_signed(2, "{\"msg_type\": \"execute\"}"),
    ] {
        client.shell.send(frames);
    }
    let (reply, _) = client.execute("print c");
    assert_eq!(reply["execution_count"], 1, "nothing has run before");
}

#[test]
fn the_same_message_twice_is_two_requests() {
    let mut client = start().client;
    let (request, frames) = client.frames("execute_request", json!({ "code": "print a" }));
    for count in [1, 2] {
        client.shell.send(frames.clone());
        assert_eq!(client.reply(&request)["execution_count"], count);
        assert_eq!(client.published(&request).len(), 4);
    }
}

#[test]
fn what_is_signed_and_wrong_is_answered_with_a_sentence() {
    let mut client = start().client;
    for (kind, content, fault) in [
        (
            "execute_request",
            "{}",
            "execute_request: its content has no `code`",
        ),
        (
            "execute_request",
            "{\"code\": 5}",
            "execute_request: `code` is a number, but must be a string",
        ),
        (
            "inspect_request",
            "[]",
            "inspect_request: its content is not an object",
        ),
        (
            "shutdown_request",
            "{\"restart\": 1}",
            "shutdown_request: `restart` is a number, but must be true or false",
        ),
        (
            "comm_info_request",
            "{",
            "comm_info_request: its content cannot be read: EOF while parsing an object at line 1 column 1",
        ),
        (
            "debug_request",
            "{}",
            "debug_request: its content has no `command`",
        ),
        (
            "connect_request",
            "{}",
            "this kernel does not know connect_request",
        ),
    ] {
        let (request, mut frames) = client.frames(kind, json!({}));
        frames[5] = content.to_owned();
        client.shell.send(signed(&frames[2..]));
        let ename = match kind {
            "connect_request" => "UnknownRequest",
            _ => "MalformedRequest",
        };
        let error = json!({ "status": "error", "ename": ename, "evalue": fault, "traceback": [] });
        assert_eq!(client.reply(&request), error);
        assert_eq!(client.published(&request).len(), 2);
    }
}

#[test]
fn broken_metadata_spoil_no_cell() {
    let mut client = start().client;
    let (request, mut frames) = client.frames("execute_request", json!({ "code": "which" }));
    frames[4] = "{".to_owned();
    client.shell.send(signed(&frames[2..]));
    let (_, outputs) = client.executed(&request);
    assert_eq!(outputs[0].1["text"], "Some(1) None");
}

#[test]
fn what_is_no_answer_does_not_reach_the_cell_that_asks() {
    let mut client = start().client;
    let request = client.send("execute_request", json!({ "code": "ask a" }));
    client.stdin.wait_for(|message| message.is_of(&request));
    for (kind, content) in [
        (
            "execute_request",
            json!({ "code": "print b", "value": "wrong" }),
        ),
        ("input_reply", json!({ "value": 5 })),
        ("input_reply", json!({ "value": "right" })),
    ] {
        let (_, frames) = client.frames(kind, content);
        client.stdin.send(frames);
    }
    let (_, outputs) = client.executed(&request);
    assert_eq!(outputs[0].1["text"], "Some(\"right\")");
}

#[test]
fn a_comm_of_another_target_is_closed() {
    let mut client = start().client;
    let content = json!({ "comm_id": "c", "target_name": "widget", "data": {} });
    let request = client.send("comm_open", content);
    let published = client.published(&request);
    let kinds: Vec<_> = published.iter().map(|message| message.kind()).collect();
    assert_eq!(kinds, ["status", "comm_close", "status"]);
    assert_eq!(published[1].content, json!({ "comm_id": "c", "data": {} }));
    for kind in ["comm_msg", "comm_close"] {
        let request = client.send(kind, json!({ "comm_id": "c", "data": {} }));
        assert_eq!(client.published(&request).len(), 2, "busy and idle");
    }
    let info = json!({ "status": "ok", "comms": {} });
    assert_eq!(client.ask("comm_info_request", json!({})), info);
}
