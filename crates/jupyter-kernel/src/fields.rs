//! Validates the content of requests: required fields, and the type of each field.

use crate::message::Message;
use serde_json::Value;

#[derive(Clone, Copy)]
enum Type {
    Text,
    Number,
    YesOrNo,
    Object,
}

use Type::{Number, Object, Text, YesOrNo};

/// The required field, if any, and the optional ones, which may be missing or null.
type Fields = (
    Option<(&'static str, Type)>,
    &'static [(&'static str, Type)],
);

fn fields(kind: &str) -> Fields {
    let code = Some(("code", Text));
    match kind {
        "execute_request" => (
            code,
            &[
                ("silent", YesOrNo),
                ("store_history", YesOrNo),
                ("user_expressions", Object),
                ("allow_stdin", YesOrNo),
                ("stop_on_error", YesOrNo),
            ],
        ),
        "complete_request" => (code, &[("cursor_pos", Number)]),
        "inspect_request" => (code, &[("cursor_pos", Number), ("detail_level", Number)]),
        "is_complete_request" => (code, &[]),
        "history_request" => (
            None,
            &[
                ("output", YesOrNo),
                ("raw", YesOrNo),
                ("hist_access_type", Text),
                ("session", Number),
                ("start", Number),
                ("stop", Number),
                ("n", Number),
                ("pattern", Text),
                ("unique", YesOrNo),
            ],
        ),
        "comm_info_request" => (None, &[("target_name", Text)]),
        "comm_open" => (
            Some(("comm_id", Text)),
            &[("target_name", Text), ("data", Object)],
        ),
        "comm_msg" | "comm_close" => (Some(("comm_id", Text)), &[("data", Object)]),
        "shutdown_request" => (None, &[("restart", YesOrNo)]),
        "debug_request" => (
            Some(("command", Text)),
            &[("seq", Number), ("arguments", Object)],
        ),
        "input_reply" => (Some(("value", Text)), &[]),
        _ => (None, &[]),
    }
}

/// Checks the content of a request.
///
/// # Errors
///
/// If it is malformed; the sentence says what is wrong.
pub fn check(request: &Message) -> Result<(), String> {
    let kind = request.kind();
    if let Some(fault) = &request.fault {
        return Err(format!("{kind}: {fault}"));
    }
    let (needed, others) = fields(kind);
    if let Some((name, _)) = needed
        && request.content[name].is_null()
    {
        return Err(format!("{kind}: its content has no `{name}`"));
    }
    for (name, wanted) in needed.iter().chain(others) {
        let value = &request.content[name];
        if !value.is_null() && !wanted.is_of(value) {
            let (found, wanted) = (description(value), wanted.name());
            return Err(format!("{kind}: `{name}` is {found}, but must be {wanted}"));
        }
    }
    Ok(())
}

impl Type {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            Number => value.is_number(),
            YesOrNo => value.is_boolean(),
            Object => value.is_object(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Text => "a string",
            Number => "a number",
            YesOrNo => "true or false",
            Object => "an object",
        }
    }
}

fn description(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checked(kind: &str, content: Value) -> Result<(), String> {
        check(&Message {
            identities: Vec::new(),
            header: json!({ "msg_type": kind }),
            metadata: Value::Null,
            content,
            fault: None,
        })
    }

    #[test]
    fn what_is_left_out_or_null_has_a_default() {
        assert_eq!(checked("execute_request", json!({ "code": "1" })), Ok(()));
        let null = json!({ "hist_access_type": "tail", "n": null, "stop": null });
        assert_eq!(checked("history_request", null), Ok(()));
        assert_eq!(checked("kernel_info_request", json!({ "code": 1 })), Ok(()));
    }

    #[test]
    fn wrong_types_are_named() {
        let wrong = [
            (
                "execute_request",
                json!({ "code": 5 }),
                "execute_request: `code` is a number, but must be a string",
            ),
            (
                "execute_request",
                json!({ "code": "1", "silent": "no" }),
                "execute_request: `silent` is a string, but must be true or false",
            ),
            (
                "complete_request",
                json!({ "code": "1", "cursor_pos": [1] }),
                "complete_request: `cursor_pos` is a list, but must be a number",
            ),
            (
                "inspect_request",
                json!({}),
                "inspect_request: its content has no `code`",
            ),
        ];
        for (kind, content, sentence) in wrong {
            assert_eq!(checked(kind, content), Err(sentence.to_owned()));
        }
    }
}
