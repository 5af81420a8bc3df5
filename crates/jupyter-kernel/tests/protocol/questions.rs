//! Questions about code and the history.

use crate::client::Client;
use crate::fake::Fake;
use crate::{start, start_with};
use serde_json::{Value, json};
use std::sync::Arc;

/// An emoji, and a letter with a combining accent: three characters, seven bytes.
const LONG: &str = "😀e\u{301}";

fn complete(client: &mut Client, code: &str, cursor: Value) -> Value {
    let content = json!({ "code": code, "cursor_pos": cursor });
    client.ask("complete_request", content)
}

#[test]
fn completions_replace_characters_and_not_bytes() {
    let mut client = start().client;
    client.execute("print a"); // by then the evaluator has started
    let code = format!("{LONG} {LONG} c");
    for (cursor, start, end, before) in [
        (json!(7), 4, 7, LONG),
        (json!(6), 4, 6, "😀e"),
        (json!(3), 0, 3, LONG),
        (json!(null), 8, 9, "c"),
        (json!(1_000_000), 8, 9, "c"),
    ] {
        let matches = ["_a", "_b"].map(|end| format!("{before}{end}"));
        let types = (matches.each_ref())
            .map(|text| json!({ "text": text, "type": "function", "start": start, "end": end }));
        let expected = json!({
            "status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end,
            "metadata": { "_jupyter_types_experimental": types },
        });
        assert_eq!(complete(&mut client, &code, cursor), expected);
    }
    let unknown = json!({
        "status": "ok", "matches": [], "cursor_start": 7, "cursor_end": 7, "metadata": {},
    });
    assert_eq!(complete(&mut client, "unknown", json!(7)), unknown);
}

#[test]
fn what_the_notebook_is_about_is_completed_first() {
    let mut client = start().client;
    client.execute("print a");
    for (code, first) in [("first", "first_b"), ("other", "other_a")] {
        assert_eq!(complete(&mut client, code, json!(5))["matches"][0], first);
    }
}

#[test]
fn an_inspection_is_of_the_whole_name_at_the_cursor() {
    let mut client = start().client;
    client.execute("print a");
    let code = format!("{LONG} a_あ1.b");
    for (cursor, place) in [
        (json!(5), format!("{LONG} a_あ1")),
        (json!(8), format!("{LONG} a_あ1")),
        (json!(9), code.clone()),
        (json!(null), code.clone()),
        (json!(1), "😀e".to_owned()),
    ] {
        let content = json!({ "code": code, "cursor_pos": cursor });
        let reply = client.ask("inspect_request", content);
        let data = json!({ "text/plain": place, "text/markdown": format!("`{place}`") });
        let expected = json!({ "status": "ok", "found": true, "data": data, "metadata": {} });
        assert_eq!(reply, expected);
    }
    let reply = client.ask("inspect_request", json!({ "code": "" }));
    assert_eq!(
        (&reply["found"], &reply["data"]),
        (&json!(false), &json!({}))
    );
}

#[test]
fn whether_code_is_complete_is_what_the_evaluator_says() {
    let mut client = start().client;
    client.execute("print a");
    for (code, expected) in [
        ("value 1", json!({ "status": "complete" })),
        ("value", json!({ "status": "incomplete", "indent": "  " })),
        (")", json!({ "status": "invalid" })),
        ("what", json!({ "status": "unknown" })),
    ] {
        let reply = client.ask("is_complete_request", json!({ "code": code }));
        assert_eq!(reply, expected);
    }
}

#[test]
fn questions_are_answered_while_a_cell_runs_and_leave_the_kernel_busy() {
    let started = start();
    let mut client = started.client;
    let cell = client.send("execute_request", json!({ "code": "print a\nhold" }));
    client.iopub.wait_for(|message| message.kind() == "stream");
    let questions = [
        (
            "complete_request",
            json!({ "code": "a" }),
            "matches",
            json!(["a_a", "a_b"]),
        ),
        (
            "inspect_request",
            json!({ "code": "a" }),
            "found",
            json!(true),
        ),
        (
            "is_complete_request",
            json!({ "code": ")" }),
            "status",
            json!("invalid"),
        ),
        (
            "history_request",
            json!({ "hist_access_type": "tail" }),
            "history",
            json!([]),
        ),
        ("comm_info_request", json!({}), "comms", json!({})),
        ("kernel_info_request", json!({}), "banner", json!("A fake")),
    ];
    let mut states = vec!["busy"];
    for (kind, content, name, expected) in questions {
        assert_eq!(client.ask(kind, content)[name], expected, "{kind}");
        states.push("busy"); // front ends show the last state they received
    }
    states.push("idle");
    started.fake.release();
    let mut published = client.published(&cell);
    published.retain(|message| message.kind() == "status");
    let said: Vec<_> = (published.iter())
        .map(|message| &message.content["execution_state"])
        .collect();
    assert_eq!(said, states);
}

#[test]
fn a_question_that_takes_long_keeps_no_other_request_waiting() {
    let started = start();
    let mut client = started.client;
    client.execute("print a");
    let slow = client.send("complete_request", json!({ "code": "slow" }));
    assert_eq!(client.execute("print b").0["status"], "ok");
    assert_eq!(client.ask("kernel_info_request", json!({}))["status"], "ok");
    started.fake.release();
    assert_eq!(client.reply(&slow)["matches"][0], "slow_a");
}

#[test]
fn the_history_has_what_was_run_and_its_values() {
    let mut client = start().client;
    for code in ["print a", "print a", "value 2", "fail b"] {
        client.execute(code);
    }
    for options in [json!({ "silent": true }), json!({ "store_history": false })] {
        let mut content = options;
        content["code"] = json!("print unseen");
        let request = client.send("execute_request", content);
        client.reply(&request);
    }
    for (content, expected) in [
        (
            json!({ "hist_access_type": "tail", "n": 2, "output": true }),
            json!([[1, 3, ["value 2", "2"]], [1, 4, ["fail b", null]],]),
        ),
        (
            json!({ "hist_access_type": "range", "session": 0, "start": 1, "stop": 3 }),
            json!([[1, 1, "print a"], [1, 2, "print a"]]),
        ),
        (
            json!({ "hist_access_type": "search", "pattern": "pr?nt*", "unique": true }),
            json!([[1, 2, "print a"]]),
        ),
    ] {
        let reply = client.ask("history_request", content);
        assert_eq!(reply, json!({ "status": "ok", "history": expected }));
    }
}

#[test]
fn a_front_end_asks_through_a_comm_which_cells_are_stale() {
    let started = start();
    let mut client = started.client;
    client.execute("print a");
    let mut stale = |data: Value| {
        let content = json!({ "comm_id": "c", "target_name": "notebook.stale", "data": data });
        let request = client.send("comm_open", content);
        let published = client.published(&request);
        let kinds: Vec<_> = published.iter().map(|message| message.kind()).collect();
        assert_eq!(kinds, ["status", "comm_msg", "status"]);
        assert_eq!(published[1].content["comm_id"], "c");
        published[1].content["data"].clone()
    };
    let cell = json!({ "cell": "y", "changed": ["q"], "outdated": [] });
    assert_eq!(
        stale(json!({ "cells": ["x", "y"] })),
        json!({ "stale": [cell] })
    );
    for nonsense in [
        json!({}),
        json!({ "cells": 1 }),
        json!({ "cells": [1, null] }),
    ] {
        assert_eq!(stale(nonsense), json!({ "stale": [] }));
    }
    let info = json!({ "status": "ok", "comms": {} }); // none stays open
    assert_eq!(client.ask("comm_info_request", json!({})), info);
}

#[test]
fn no_cell_is_stale_before_the_evaluator_has_started() {
    let fake = Arc::new(Fake::default());
    fake.state().is_held = true;
    let mut client = start_with(Arc::clone(&fake)).client;
    let content =
        json!({ "comm_id": "c", "target_name": "notebook.stale", "data": { "cells": ["x", "y"] } });
    let request = client.send("comm_open", content);
    assert_eq!(
        client.published(&request)[1].content["data"],
        json!({ "stale": [] })
    );
    fake.let_start();
}
