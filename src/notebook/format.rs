//! Checks that a file is a notebook in format 4.

use serde::de::IgnoredAny;
use serde_json::Value;
use std::str;

/// Parses the JSON of a notebook. The error says what is wrong with the file, as a sentence without
/// its subject.
pub(super) fn read(contents: &[u8]) -> Result<Value, String> {
    if contents.trim_ascii().is_empty() {
        return Err(
            "is empty, but a notebook is not; get it again with git, or make one in JupyterLab"
                .to_owned(),
        );
    }
    let again = "open it in an editor, or get it again with git";
    let text = str::from_utf8(contents).map_err(|error| {
        format!("is not a notebook: it is not JSON, which is UTF-8: {error}; {again}")
    })?;
    let json = serde_json::from_str(text).map_err(|error| {
        match serde_json::from_str::<IgnoredAny>(text) {
            Err(_) => format!("is not a notebook: it is not JSON: {error}; {again}"),
            Ok(_) => format!(
                "is JSON, but cannot be read: {}; {again}",
                unreadable(&error)
            ),
        }
    })?;
    check(&json)?;
    Ok(json)
}

/// Why serde_json rejects this JSON.
fn unreadable(error: &serde_json::Error) -> String {
    let said = error.to_string();
    // Some programs truncate text in the middle of an emoji, which leaves half a surrogate pair.
    match said.contains("hex escape") {
        true => format!(
            "one of its strings has half a character, \\ud800 to \\udfff alone, at line {} column {}",
            error.line(),
            error.column()
        ),
        false => said,
    }
}

/// Reports what is wrong with the JSON of a notebook.
fn check(json: &Value) -> Result<(), String> {
    if !json.is_object() {
        let kind = kind(json);
        return Err(format!(
            "is not a notebook: its JSON is {kind} instead of an object"
        ));
    }
    match &json["nbformat"] {
        format if format.as_f64() == Some(4.0) => {}
        format if format.as_f64() > Some(4.0) => {
            return Err(format!(
                "is a notebook of a newer format: `nbformat` is {format}, but this command only knows 4"
            ));
        }
        Value::Null => {
            return Err("is not a notebook: it does not say its format, `nbformat`".to_owned());
        }
        format => {
            return Err(format!(
                "is not a notebook of format 4: `nbformat` is {format}; open and save it in \
                 JupyterLab"
            ));
        }
    }
    let Some(cells) = json["cells"].as_array() else {
        return Err("is not a notebook: it has no list of `cells`".to_owned());
    };
    for (index, cell) in cells.iter().enumerate() {
        let missing = match cell {
            cell if !cell["cell_type"].is_string() => "`cell_type`",
            cell if !is_text(&cell["source"]) => "`source`",
            _ => continue,
        };
        let number = index + 1;
        return Err(format!("is not a notebook: cell {number} has no {missing}"));
    }
    Ok(())
}

/// Whether a value is text in a form that notebook files use.
fn is_text(value: &Value) -> bool {
    match value {
        Value::Array(lines) => lines.iter().all(Value::is_string),
        value => value.is_string(),
    }
}

/// The name of a value's type.
fn kind(json: &Value) -> &'static str {
    match json {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_with_a_notebook_is_said() {
        let wrong = |json: Value| check(&json).expect_err("no notebook");
        let no_list = "is not a notebook: it has no list of `cells`";
        assert_eq!(wrong(json!({ "nbformat": 4, "cells": {} })), no_list);
        assert_eq!(wrong(json!({ "nbformat": 4 })), no_list);
        let no_format = "is not a notebook: it does not say its format, `nbformat`";
        assert_eq!(wrong(json!({ "cells": {} })), no_format);
        let list = "is not a notebook: its JSON is a list instead of an object";
        assert_eq!(wrong(json!([])), list);
        let text =
            "is not a notebook of format 4: `nbformat` is \"4\"; open and save it in JupyterLab";
        assert_eq!(wrong(json!({ "nbformat": "4", "cells": [] })), text);
        let newer =
            "is a notebook of a newer format: `nbformat` is 5, but this command only knows 4";
        assert_eq!(wrong(json!({ "nbformat": 5, "cells": [] })), newer);
        let of_cell = |cell: Value| wrong(json!({ "nbformat": 4, "cells": [cell] }));
        for no_cell in [json!(1), json!({}), json!({ "cell_type": 3, "source": "" })] {
            assert_eq!(
                of_cell(no_cell),
                "is not a notebook: cell 1 has no `cell_type`"
            );
        }
        let no_source = "is not a notebook: cell 1 has no `source`";
        assert_eq!(of_cell(json!({ "cell_type": "code" })), no_source);
        let number = json!({ "cell_type": "code", "source": ["1", 2] });
        assert_eq!(of_cell(number), no_source);
        for format in [json!(4), json!(4.0)] {
            let lines = json!({ "cell_type": "code", "source": ["1\n", "2"] });
            let notebook = json!({ "nbformat": format, "cells": [lines] });
            assert_eq!(check(&notebook), Ok(()));
        }
    }

    #[test]
    fn json_that_cannot_be_read_is_not_called_something_else() {
        let notebook = |value: &str| {
            let text = format!("{{\"nbformat\": 4, \"metadata\": {value}, \"cells\": []}}");
            read(text.as_bytes()).map(|_| ())
        };
        let half = "is JSON, but cannot be read: one of its strings has half a character, \\ud800 to \\udfff \
                    alone, at line 1 column ";
        for text in [
            r#""\ud800""#,
            r#""a \udc00 b""#,
            r#""\ud800\ud800""#,
            r#""\ud800\n""#,
        ] {
            let refused = notebook(text).expect_err(text);
            assert!(refused.starts_with(half), "{refused}");
        }
        let refused = notebook("1e400").expect_err("too large");
        let large = "is JSON, but cannot be read: number out of range at line 1 column ";
        assert!(refused.starts_with(large), "{refused}");
        assert_eq!(notebook(r#""\ud83d\ude00""#), Ok(()));
        let torn = notebook("{").expect_err("torn");
        assert!(
            torn.starts_with("is not a notebook: it is not JSON: "),
            "{torn}"
        );
    }
}
