//! The comms on which front ends move live pictures: messages that come and go while the
//! picture is seen.
//!
//! | who | message | data |
//! |---|---|---|
//! | front end | `comm_open` of [`LIVE_TARGET`] | `{"id"}`: the picture's |
//! | kernel | `comm_msg` | `{"controls", "values", "moved"}` |
//! | front end | `comm_msg` | `{"values"}`: one for each control |
//! | kernel | `comm_msg` | `{"html"}`, `{"failed"}`: the reason, `{"refused"}`: the reason, or `{"overtaken"}` |
//! | front end | `comm_msg` | `{"forms": true}`, to keep in the notebook what is seen |
//! | kernel | `comm_msg` | `{"forms"}`: the last picture by MIME types, or nothing before the first move |
//! | kernel | `comm_close` | when the picture is gone, or was never there |
//!
//! The numbers of a slider that are whole are texts, in both directions: JavaScript has no integers
//! beyond 2^53.

use crate::executor::Executor;
use crate::live::picture::{Answer, Picture};
use crate::locked::locked;
use crate::message::Message;
use crate::outbox::Outbox;
use notebook::convention::LIVE_TARGET;
use notebook::live::{Control, ControlKind, Number, Value as Set};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// So many places where live pictures are seen at once.
const MOST_COMMS: usize = 1_000;

/// The comms that are open.
#[derive(Clone)]
pub struct Comms {
    outbox: Outbox,
    executor: Arc<Executor>,
    open: Arc<Mutex<HashMap<String, Arc<Picture>>>>,
}

impl Comms {
    pub fn new(outbox: Outbox, executor: Arc<Executor>) -> Comms {
        Comms {
            outbox,
            executor,
            open: Arc::default(),
        }
    }

    /// The content of the reply to a `comm_info_request`.
    pub fn info(&self, request: &Message) -> Value {
        let wanted = request.content["target_name"].as_str();
        let mut comms = Map::new();
        if wanted.is_none_or(|wanted| wanted == LIVE_TARGET) {
            for comm in locked(&self.open).keys() {
                comms.insert(comm.clone(), json!({ "target_name": LIVE_TARGET }));
            }
        }
        json!({ "status": "ok", "comms": comms })
    }

    /// Shows the front end what can be moved, or closes the comm.
    ///
    /// # Errors
    ///
    /// Why it is closed, in words.
    pub fn open(&self, request: &Message) -> Result<(), String> {
        let comm = request.text("comm_id");
        let found = self.find(request);
        let picture = match found {
            Ok(picture) => picture,
            Err(reason) => {
                self.close(comm, request);
                return Err(reason);
            }
        };
        locked(&self.open).insert(comm.to_owned(), Arc::clone(&picture));
        let controls: Vec<Value> = picture.controls.iter().map(description).collect();
        let set = picture.values();
        let values: Vec<Value> = set.iter().map(value).collect();
        let moved = !set
            .into_iter()
            .eq(picture.controls.iter().map(Control::first));
        let data = json!({ "controls": controls, "values": values, "moved": moved });
        self.say(request, &data);
        let (comms, of_comm, request) = (self.clone(), comm.to_owned(), request.clone());
        let gone = move || {
            if locked(&comms.open).remove(&of_comm).is_some() {
                comms.close(&of_comm, &request);
            }
        };
        picture.watch(comm, Box::new(gone));
        Ok(())
    }

    fn find(&self, request: &Message) -> Result<Arc<Picture>, String> {
        let target = shortened(request.text("target_name"));
        if request.text("target_name") != LIVE_TARGET {
            return Err(format!("comm_open: there is no target {target:?}"));
        }
        if locked(&self.open).len() >= MOST_COMMS {
            return Err(format!("comm_open: {MOST_COMMS} comms are open already"));
        }
        let id = request.content["data"]["id"].as_str().unwrap_or("");
        let picture = self.executor.live_picture(id);
        picture.ok_or_else(|| format!("comm_open: there is no live picture {:?}", shortened(id)))
    }

    /// Has a picture drawn with the values in a `comm_msg`, or says what was drawn last. The kernel is busy for this
    /// message until `done`.
    ///
    /// # Errors
    ///
    /// Why the values are refused.
    pub fn hear(
        &self,
        request: &Message,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<(), String> {
        let comm = request.text("comm_id");
        let picture = locked(&self.open).get(comm).cloned();
        let Some(picture) = picture else {
            done();
            return Err(format!("comm_msg: no comm {:?} is open", shortened(comm)));
        };
        if request.content["data"]["forms"] == true {
            let forms = picture.shown().into_iter();
            let forms: Map<String, Value> = forms.map(|(mime, text)| (mime, json!(text))).collect();
            self.say(request, &json!({ "forms": forms }));
            done();
            return Ok(());
        }
        let values = match read(&picture.controls, &request.content["data"]["values"]) {
            Ok(values) => values,
            Err(reason) => {
                self.refuse(request, &reason);
                done();
                return Err(format!("comm_msg: {reason}"));
            }
        };
        let (comms, request) = (self.clone(), request.clone());
        let answered = move |answer| {
            let data = match answer {
                Answer::Picture(html) => json!({ "html": html }),
                Answer::Failed(reason) => json!({ "failed": reason }),
                Answer::Overtaken => json!({ "overtaken": true }),
            };
            comms.say(&request, &data);
            done();
        };
        picture.draw(values, Box::new(answered));
        Ok(())
    }

    /// Says that a picture is not drawn for this message, and why; nothing if no picture is seen
    /// at its comm.
    pub fn refuse(&self, request: &Message, reason: &str) {
        if locked(&self.open).contains_key(request.text("comm_id")) {
            self.say(request, &json!({ "refused": reason }));
        }
    }

    /// The front end shows the picture there no more.
    pub fn closed(&self, request: &Message) {
        let comm = request.text("comm_id");
        let picture = locked(&self.open).remove(comm);
        if let Some(picture) = picture {
            picture.unwatch(comm);
        }
    }

    fn say(&self, request: &Message, data: &Value) {
        let content = json!({ "comm_id": request.content["comm_id"], "data": data });
        self.outbox.publish(request, "comm_msg", &content);
    }

    fn close(&self, comm: &str, request: &Message) {
        let content = json!({ "comm_id": comm, "data": {} });
        self.outbox.publish(request, "comm_close", &content);
    }
}

/// What a front end makes a control of.
fn description(control: &Control) -> Value {
    let mut described = match &control.kind {
        ControlKind::Slider { from, to, step, .. } => {
            let [from, to, step] = [from, to, step].map(number);
            json!({ "kind": "slider", "from": from, "to": to, "step": step })
        }
        ControlKind::Player { from, to, step } => {
            let [from, to, step] = [from, to, step].map(number);
            json!({ "kind": "player", "from": from, "to": to, "step": step })
        }
        ControlKind::Choice { options } => json!({ "kind": "choice", "options": options }),
        ControlKind::Toggle { .. } => json!({ "kind": "toggle" }),
        ControlKind::Text { .. } => json!({ "kind": "text" }),
    };
    described["label"] = json!(control.label);
    described
}

fn number(number: &Number) -> Value {
    match number {
        Number::Whole(number) => json!(number.to_string()),
        Number::Fraction(number) => json!(number),
    }
}

fn value(set: &Set) -> Value {
    match set {
        Set::Number(set) => number(set),
        Set::Choice(place) => json!(place),
        Set::Toggle(value) => json!(value),
        Set::Text(text) => json!(text),
    }
}

/// The values that a front end has sent, if the controls have such values.
fn read(controls: &[Control], sent: &Value) -> Result<Vec<Set>, String> {
    let sent = sent.as_array().ok_or("its data has no list of `values`")?;
    if sent.len() != controls.len() {
        let (sent, controls) = (sent.len(), controls.len());
        return Err(format!("{sent} values for {controls} controls"));
    }
    let pairs = controls.iter().zip(sent);
    let read = |(control, value): (&Control, &Value)| match value {
        Value::String(text) => control.read(text),
        value => control.read(&value.to_string()),
    };
    pairs.map(read).collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(50).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_controls_or_are_refused() {
        let control = |label: &str, kind| {
            let label = label.to_owned();
            Control { label, kind }
        };
        let slider = ControlKind::Slider {
            from: Number::Fraction(0.0),
            to: Number::Fraction(4.0),
            step: Number::Fraction(0.5),
            first: Number::Fraction(1.0),
        };
        let first = String::new();
        let controls = [
            control("t", slider),
            control("causal", ControlKind::Toggle { first: true }),
            control("words", ControlKind::Text { first }),
        ];
        let good = read(&controls, &json!([2, false, "a b"]));
        let expected = [
            Set::Number(Number::Fraction(2.0)),
            Set::Toggle(false),
            Set::Text("a b".to_owned()),
        ];
        assert_eq!(good, Ok(expected.to_vec()));
        for (sent, reason) in [
            (json!({}), "its data has no list of `values`"),
            (json!([1]), "1 values for 3 controls"),
            (
                json!([9, true, ""]),
                "`t` is \"9\", but it goes from 0 to 4",
            ),
            (
                json!([null, true, ""]),
                "`t` is \"null\", but it goes from 0 to 4",
            ),
            (
                json!(["NaN", true, ""]),
                "`t` is \"NaN\", but it goes from 0 to 4",
            ),
            (
                json!([1, 0, ""]),
                "`causal` is \"0\", but it is `true` or `false`",
            ),
        ] {
            assert_eq!(read(&controls, &sent), Err(reason.to_owned()), "{sent}");
        }
        let long = "a".repeat(1 << 20);
        let refused = read(&controls, &json!([1, true, long])).expect_err("1 MB");
        assert!(refused.len() < 100, "{refused}");
    }

    #[test]
    fn whole_numbers_beyond_2_to_the_53_are_exact_in_both_directions() {
        let large = 9_007_199_254_740_993;
        let kind = ControlKind::Player {
            from: Number::Whole(large),
            to: Number::Whole(large + 1),
            step: Number::Whole(1),
        };
        let label = "n".to_owned();
        let control = Control { label, kind };
        assert_eq!(description(&control)["from"], "9007199254740993");
        let first = value(&control.first());
        assert_eq!(first, "9007199254740993");
        let controls = [control];
        let values = read(&controls, &json!([first])).expect("the first value");
        assert_eq!(values, [Set::Number(Number::Whole(large))]);
        assert!(read(&controls, &json!([9_007_199_254_740_992.5])).is_err());
    }
}
