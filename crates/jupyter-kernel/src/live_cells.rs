//! Live pictures for front ends that let an extension run code but not open comms, such as VS Code.
//!
//! A message comes as a cell: [`LIVE_CELL`] and, on the same line, JSON with the picture's `id` and
//! the data of a comm. The first message has only the `id`. Such a cell is a comment, so other
//! kernels ignore it. It is answered at once, even while another cell runs; the answer is displayed
//! as `application/json`.

use crate::execution;
use crate::executor::Executor;
use crate::message::Message;
use crate::outbox::Outbox;
use crate::picture_messages::{answer, begin};
use crate::zmtp::Frames;
use notebook::convention::LIVE_CELL;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The message in a cell, if it carries one.
pub fn read(request: &Message) -> Option<Value> {
    let json = request.text("code").strip_prefix(LIVE_CELL)?;
    let data = serde_json::from_str(json).ok();
    data.filter(|data: &Value| data["id"].is_string())
}

/// Answers a cell that carries a message: with a display, a reply, and the state idle.
///
/// # Errors
///
/// If the values in it are refused; the sentence says why.
pub fn run(
    request: Message,
    data: &Value,
    (outbox, executor): (Outbox, Arc<Executor>),
    replies: UnboundedSender<Frames>,
) -> Result<(), String> {
    outbox.busy(&request.header);
    let picture = executor.live_picture(data["id"].as_str().unwrap_or(""));
    let answered = move |answer: Value| {
        let content = json!({
            "data": { "application/json": answer }, "metadata": {}, "transient": {},
        });
        outbox.publish(&request, "display_data", &content);
        let reply = execution::reply(&Ok(Map::new()), 0, None);
        outbox.reply(&replies, &request, &reply);
        outbox.idle(&request.header);
    };
    let Some(picture) = picture else {
        answered(json!({ "gone": true }));
        return Ok(());
    };
    if data["values"].is_null() && data["forms"].is_null() {
        answered(begin(&picture));
        return Ok(());
    }
    answer(&picture, data, answered).map_err(|reason| format!("a live picture: {reason}"))
}
