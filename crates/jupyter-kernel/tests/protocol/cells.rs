//! The outputs of cells, their outcomes, and the input they ask for.

use crate::client::Message;
use crate::start;
use serde_json::{Value, json};

fn text(text: &str) -> Value {
    json!({ "text/plain": text })
}

fn printed(text: &str) -> (String, Value) {
    let content = json!({ "name": "stdout", "text": text });
    ("stream".to_owned(), content)
}

fn kinds(published: &[Message]) -> Vec<&str> {
    published.iter().map(Message::kind).collect()
}

#[test]
fn what_a_cell_shows_comes_in_its_order_between_busy_and_idle() {
    let mut client = start().client;
    let code = "print a\nwarn b\nshow c\nbar 1\nbar 2\nclear\nvalue 5";
    let request = client.send("execute_request", json!({ "code": code }));
    let published = client.published(&request);
    let shown: Vec<(&str, &Value)> = (published.iter())
        .map(|message| (message.kind(), &message.content))
        .collect();
    let bar = |done| json!({ "data": text(done), "metadata": {}, "transient": { "display_id": "a bar" } });
    let expected = [
        ("status", json!({ "execution_state": "busy" })),
        (
            "execute_input",
            json!({ "code": code, "execution_count": 1 }),
        ),
        ("stream", json!({ "name": "stdout", "text": "a" })),
        ("stream", json!({ "name": "stderr", "text": "b" })),
        (
            "display_data",
            json!({ "data": text("c"), "metadata": {}, "transient": {} }),
        ),
        ("display_data", bar("1")),
        ("update_display_data", bar("2")),
        ("clear_output", json!({ "wait": false })),
        (
            "execute_result",
            json!({ "data": text("5"), "metadata": {}, "execution_count": 1 }),
        ),
        ("status", json!({ "execution_state": "idle" })),
    ];
    assert_eq!(
        shown,
        expected.each_ref().map(|(kind, content)| (*kind, content))
    );
    let reply =
        json!({ "status": "ok", "execution_count": 1, "user_expressions": {}, "payload": [] });
    assert_eq!(client.reply(&request), reply);

    let (_, outputs) = client.execute("bar 3");
    assert_eq!(outputs, [("update_display_data".to_owned(), bar("3"))]);
}

#[test]
fn a_cell_knows_its_number_and_what_the_front_end_calls_it() {
    let mut client = start().client;
    for (options, number, count) in [
        (
            json!({ "silent": true, "user_expressions": { "a": "which" } }),
            None,
            0,
        ),
        (json!({}), Some("Some(1)"), 1),
        (json!({ "store_history": false }), Some("None"), 1),
        (json!({}), Some("Some(2)"), 2),
    ] {
        let mut content = options;
        content["code"] = json!("which");
        let request = client.send("execute_request", content);
        let cell = request.rsplit('-').next().unwrap_or_default();
        let (reply, outputs) = client.executed(&request);
        assert_eq!(reply["execution_count"], count);
        let shown = number.map(|number| printed(&format!("{number} Some(\"cell {cell}\")")));
        assert_eq!(outputs, Vec::from_iter(shown));
    }
}

#[test]
fn a_silent_cell_shows_nothing_and_its_reply_says_how_it_ended() {
    let mut client = start().client;
    let content = json!({ "code": "print a\nvalue 1\nfail b", "silent": true });
    let request = client.send("execute_request", content);
    assert_eq!(kinds(&client.published(&request)), ["status", "status"]);
    assert_eq!(client.reply(&request)["evalue"], "b");
}

#[test]
fn expressions_are_evaluated_after_the_cell_and_not_shown() {
    let mut client = start().client;
    let expressions = json!({ "one": "print x\nvalue 1", "bad": "fail b", "asks": "ask name" });
    let cell = |code| json!({ "code": code, "user_expressions": expressions });
    let request = client.send("execute_request", cell("print a"));
    let (reply, outputs) = client.executed(&request);
    assert_eq!(outputs, [printed("a")]);
    let values = &reply["user_expressions"];
    let one = json!({ "status": "ok", "data": text("1"), "metadata": {} });
    assert_eq!(values["one"], one);
    assert_eq!(values["bad"]["status"], "error");
    assert_eq!(values["bad"]["evalue"], "b");
    assert_eq!(values["asks"]["status"], "ok");
    let request = client.send("execute_request", cell("fail"));
    assert_eq!(client.reply(&request)["user_expressions"], json!({}));
}

#[test]
fn a_failure_is_published_and_replied_with_its_traceback() {
    let mut client = start().client;
    let (mut reply, outputs) = client.execute("print a\nfail out of paper");
    let error = json!({
        "ename": "Panic", "evalue": "out of paper",
        "traceback": ["\u{1b}[1;31mPanic:\u{1b}[0m out of paper", "in line 1"],
    });
    assert_eq!(outputs, [printed("a"), ("error".to_owned(), error.clone())]);
    for (name, value) in error.as_object().expect("an object") {
        assert_eq!(reply[name].take(), *value);
    }
    assert_eq!(
        (&reply["status"], &reply["execution_count"]),
        (&json!("error"), &json!(1))
    );
}

#[test]
fn cells_that_wait_are_aborted_when_one_fails_unless_they_should_not_be() {
    let started = start();
    let mut client = started.client;
    for (options, are_aborted) in [
        (json!({}), true), // the default
        (json!({ "stop_on_error": true }), true),
        (json!({ "stop_on_error": false }), false),
    ] {
        let mut first = options;
        first["code"] = json!("hold\nfail a");
        let first = client.send("execute_request", first);
        let others = ["print b", "print c"]
            .map(|code| client.send("execute_request", json!({ "code": code })));
        client.ask("kernel_info_request", json!({})); // by then the cells have arrived
        started.fake.release();
        assert_eq!(client.reply(&first)["status"], "error");
        for request in &others {
            let published = client.published(request);
            let reply = client.reply(request);
            match are_aborted {
                true => {
                    assert_eq!(reply, json!({ "status": "aborted" }));
                    assert_eq!(kinds(&published), ["status", "status"]);
                }
                false => assert_eq!(reply["status"], "ok"),
            }
        }
        let (reply, _) = client.execute("print d");
        assert_eq!(reply["status"], "ok", "a cell that is sent later runs");
        let skipped = std::mem::take(&mut started.fake.state().skipped);
        let expected: &[&str] = if are_aborted {
            &["print b", "print c"]
        } else {
            &[]
        };
        assert_eq!(skipped, expected);
    }
}

#[test]
fn a_cell_asks_the_front_end_that_sent_it() {
    let mut client = start().client;
    let request = client.send(
        "execute_request",
        json!({ "code": "ask name:\npassword key:" }),
    );
    for (prompt, password, answer) in [("name:", false, "あ b"), ("key:", true, "")] {
        let question = client.stdin.wait_for(|message| message.is_of(&request));
        assert_eq!(question.kind(), "input_request");
        assert_eq!(
            question.content,
            json!({ "prompt": prompt, "password": password })
        );
        let (_, answer) = client.frames("input_reply", json!({ "value": answer }));
        client.stdin.send(answer);
    }
    let (_, outputs) = client.executed(&request);
    assert_eq!(outputs, [printed("Some(\"あ b\")"), printed("Some(\"\")")]);
}

#[test]
fn a_front_end_that_cannot_ask_is_not_asked() {
    let mut client = start().client;
    let content = json!({ "code": "ask name:", "allow_stdin": false });
    let request = client.send("execute_request", content);
    assert_eq!(client.executed(&request).1, [printed("None")]);
}

#[test]
fn a_cell_can_be_given_a_new_text() {
    let mut client = start().client;
    for silent in [false, true] {
        let content = json!({ "code": "rewrite value 1", "silent": silent });
        let reply = client.ask("execute_request", content);
        let payload = json!([{ "source": "set_next_input", "text": "value 1", "replace": true }]);
        assert_eq!(reply["payload"], payload);
    }
}
