//! The messages between a front end and the kernel about one live picture. Comms or cells carry
//! them.
//!
//! | from | data |
//! |---|---|
//! | kernel | `{"controls", "values", "moved"}`, as the first message |
//! | front end | `{"values"}`, one for each control |
//! | kernel | `{"html"}`, `{"failed"}` or `{"refused"}` with the reason, `{"overtaken"}` or `{"gone"}` |
//! | front end | `{"forms": true}`, to store the current picture in the notebook |
//! | kernel | `{"forms"}`: the last picture by MIME type; empty before the first move |

use crate::controls::{description, read, value};
use crate::live::picture::{DrawOutcome, Picture};
use notebook::live::Control;
use serde_json::{Map, Value, json};

/// The first message, which tells the front end what controls to show.
pub fn begin(picture: &Picture) -> Value {
    let controls: Vec<Value> = picture.controls.iter().map(description).collect();
    let set = picture.values();
    let values: Vec<Value> = set.iter().map(value).collect();
    let moved = !set
        .into_iter()
        .eq(picture.controls.iter().map(Control::first));
    json!({ "controls": controls, "values": values, "moved": moved })
}

/// Answers the front end, at once or when the picture has been drawn.
///
/// # Errors
///
/// If the values are refused; the reason is also the answer.
pub fn answer(
    picture: &Picture,
    data: &Value,
    answered: impl FnOnce(Value) + Send + 'static,
) -> Result<(), String> {
    if data["forms"] == true {
        let forms = picture.shown().into_iter();
        let forms: Map<String, Value> = forms.map(|(mime, text)| (mime, json!(text))).collect();
        answered(json!({ "forms": forms }));
        return Ok(());
    }
    let values = match read(&picture.controls, &data["values"]) {
        Ok(values) => values,
        Err(reason) => {
            answered(json!({ "refused": reason }));
            return Err(reason);
        }
    };
    let drawn = move |outcome| {
        answered(match outcome {
            DrawOutcome::Picture(html) => json!({ "html": html }),
            DrawOutcome::Failed(reason) => json!({ "failed": reason }),
            DrawOutcome::Overtaken => json!({ "overtaken": true }),
            DrawOutcome::Gone => json!({ "gone": true }),
        });
    };
    picture.draw(values, Box::new(drawn));
    Ok(())
}
