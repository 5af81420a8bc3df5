//! The comms through which front ends control live pictures, and ask which cells are stale. A comm
//! for a picture stays open as long as the picture is on screen; a comm for a question carries
//! only the answer.
//!
//! A front end opens a comm of [`LIVE_TARGET`] with the `id` of a picture; `picture_messages`
//! describes what follows. The kernel closes the comm once the picture no longer exists.
//!
//! A comm of [`STALE_TARGET`] is a single question, `{"cells"}`, with the ids of all cells from top
//! to bottom, and a single answer, `{"stale"}`, with `{"cell", "changed", "outdated"}` for each
//! stale cell.

use crate::executor::Executor;
use crate::live::picture::Picture;
use crate::locked::locked;
use crate::message::Message;
use crate::outbox::Outbox;
use crate::picture_messages::{answer, begin};
use notebook::convention::{LIVE_TARGET, STALE_TARGET};
use notebook::evaluator::StaleCell;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Maximum number of open comms.
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
    /// If the comm was closed; the sentence says why.
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
        self.say(request, &begin(&picture));
        let (comms, of_comm, request) = (self.clone(), comm.to_owned(), request.clone());
        let gone = move || {
            if locked(&comms.open).remove(&of_comm).is_some() {
                comms.close(&of_comm, &request);
            }
        };
        picture.watch(comm, Box::new(gone));
        Ok(())
    }

    /// The stale cells among those that a request lists.
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
    /// If the comm is not open, or the values are refused; the sentence says why.
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
        let (comms, of_answer) = (self.clone(), request.clone());
        let answered = move |data| {
            comms.say(&of_answer, &data);
            done();
        };
        let answered = answer(&picture, &request.content["data"], answered);
        answered.map_err(|reason| format!("comm_msg: {reason}"))
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
