//! Messages about a variable that a cell has moved, told so that evcxr draws the right conclusion.
//!
//! evcxr puts every variable back after a cell. Of one that the cell has moved the compiler says
//! so, and evcxr forgets the variable and tries again. But where the last expression has moved it,
//! as `inputs * 2.0` does, the message has a note about that expression, too, and evcxr concludes
//! besides that the value cannot show itself: it would print it as `{:?}` does. So the message gets
//! only the place of the variable.

use serde_json::{Value, json};

/// The error "use of moved value".
const MOVED: &str = "E0382";
/// How evcxr puts a variable back.
const PUT: &str = "evcxr_variable_store.put_variable::<";

/// The output of cargo or rustc, one message a line, with such messages about the variable alone.
pub fn about_variables_alone(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output);
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| about_variable_alone(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<String>().into_bytes()
}

/// This message, if it has to be another one.
fn about_variable_alone(line: &str) -> Option<String> {
    if !(line.contains(MOVED) && line.contains(PUT)) {
        return None; // most are not even read
    }
    let mut message: Value = serde_json::from_str(line).ok()?;
    // Cargo wraps those of rustc.
    let diagnostic = match message.get("message") {
        Some(Value::Object(_)) => &mut message["message"],
        _ => &mut message,
    };
    let is_put = |span: &Value| {
        let text = span["text"][0]["text"].as_str().unwrap_or_default();
        span["is_primary"] == true && text.trim_start().starts_with(PUT)
    };
    if diagnostic["code"]["code"] != MOVED {
        return None;
    }
    let spans = diagnostic["spans"].as_array_mut()?;
    spans.retain(is_put);
    if spans.is_empty() {
        return None; // it is the cell that uses what it has moved
    }
    diagnostic["children"] = json!([]);
    Some(format!("{message}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(code: &str, primary: &str) -> Value {
        let span = |text: &str, is_primary: bool| json!({"is_primary": is_primary, "text": [{"text": text}], "line_start": 1});
        json!({
            "message": "borrow of moved value",
            "code": {"code": code},
            "spans": [span("(inputs * 2.0).evcxr_display();", false), span(primary, true)],
            "children": [{"spans": [span("(inputs * 2.0).evcxr_display();", true)]}],
        })
    }

    fn told(message: &Value) -> Value {
        let line = format!("{message}\n");
        let told = about_variables_alone(line.as_bytes());
        serde_json::from_slice(&told).expect("a message")
    }

    const PUT_INPUTS: &str =
        "evcxr_variable_store.put_variable::<Array2<f32>>(stringify!(inputs), inputs);";

    #[test]
    fn a_variable_that_cannot_be_put_back_is_what_the_message_is_about() {
        let of_rustc = message(MOVED, PUT_INPUTS);
        let of_cargo = json!({"reason": "compiler-message", "message": of_rustc});
        for told in [&told(&of_rustc), &told(&of_cargo)["message"]] {
            assert_eq!(told["spans"].as_array().map(Vec::len), Some(1), "{told}");
            assert_eq!(told["spans"][0]["text"][0]["text"], PUT_INPUTS);
            assert_eq!(told["children"], json!([]));
        }
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        for message in [
            message(MOVED, "inputs.sum()"),
            message("E0308", PUT_INPUTS),
            message(
                MOVED,
                "let text = \"evcxr_variable_store.put_variable::<\";",
            ),
        ] {
            assert_eq!(told(&message), message);
        }
        let text = b"   Compiling ctx\n{broken E0382 evcxr_variable_store.put_variable::<\nend";
        assert_eq!(about_variables_alone(text), text);
    }
}
