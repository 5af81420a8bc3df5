//! The comms through which front ends control live pictures, and ask which cells are stale. A comm
//! for a picture stays open as long as it is on screen; for a question, it only transports an answer.
//!
//! | from | message | data |
//! |---|---|---|
//! | front end | `comm_open` of [`LIVE_TARGET`] | `{"id"}` of the picture |
//! | kernel | `comm_msg` | `{"controls", "values", "moved"}` |
//! | front end | `comm_msg` | `{"values"}`, one for each control |
//! | kernel | `comm_msg` | `{"html"}`, `{"failed"}` or `{"refused"}` with the reason, or `{"overtaken"}` |
//! | front end | `comm_msg` | `{"forms": true}`, to store the current picture in the notebook |
//! | kernel | `comm_msg` | `{"forms"}`: the last picture by MIME type; empty before the first move |
//! | kernel | `comm_close` | when the picture no longer exists, or never did |
//! | front end | `comm_open` of [`STALE_TARGET`] | `{"cells"}`: the ids of all cells, from top to bottom |
//! | kernel | `comm_msg` | `{"stale"}`: for each stale cell `{"cell", "changed", "outdated"}` |

use crate::controls::{description, read, value};
use crate::executor::Executor;
use crate::live::picture::{DrawOutcome, Picture};
use crate::locked::locked;
use crate::message::Message;
use crate::outbox::Outbox;
use notebook::convention::{LIVE_TARGET, STALE_TARGET};
use notebook::evaluator::StaleCell;
use notebook::live::Control;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// How many comms can be open at a time.
const MOST_COMMS: usize = 1_000;

/// All open comms.
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

    /// Sends the front end the picture's controls or the stale cells, or closes the comm.
    ///
    /// # Errors
    ///
    /// Why the comm was closed, as a sentence.
    pub fn open(&self, request: &Message) -> Result<(), String> {
        if request.text("target_name") == STALE_TARGET {
            self.say(request, &json!({ "stale": self.stale(request) }));
            return Ok(());
        }
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

    /// The stale cells of the notebook whose cells a request lists.
    fn stale(&self, request: &Message) -> Vec<Value> {
        let cells = request.content["data"]["cells"].as_array();
        let ids = cells.into_iter().flatten().filter_map(Value::as_str);
        let order: Vec<String> = ids.map(str::to_owned).collect();
        let remote = self.executor.remote();
        let stale = remote.map_or(Vec::new(), |remote| remote.stale_cells(&order));
        let cell =
            |StaleCell {
                 key,
                 changed,
                 outdated,
             }| { json!({ "cell": key, "changed": changed, "outdated": outdated }) };
        stale.into_iter().map(cell).collect()
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

    /// Has a picture drawn with the values in a `comm_msg`, or sends the forms of the last picture.
    /// The kernel counts as busy with this message until `done` is called.
    ///
    /// # Errors
    ///
    /// Why the values were refused.
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
                DrawOutcome::Picture(html) => json!({ "html": html }),
                DrawOutcome::Failed(reason) => json!({ "failed": reason }),
                DrawOutcome::Overtaken => json!({ "overtaken": true }),
            };
            comms.say(&request, &data);
            done();
        };
        picture.draw(values, Box::new(answered));
        Ok(())
    }

    /// Tells the front end why no picture is drawn for this message. Does nothing if its comm is
    /// not open.
    pub fn refuse(&self, request: &Message, reason: &str) {
        if locked(&self.open).contains_key(request.text("comm_id")) {
            self.say(request, &json!({ "refused": reason }));
        }
    }

    /// Forgets a comm that the front end has closed.
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

fn shortened(text: &str) -> String {
    text.chars().take(50).collect()
}
