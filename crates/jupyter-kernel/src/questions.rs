//! Questions about code, which the evaluator answers.

use crate::completion_order;
use crate::executor::Executor;
use crate::kernel::PreferredPaths;
use crate::message::Message;
use notebook::evaluator::{Completeness, Remote};
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether a request asks about code. Answering may then take a while.
pub fn is_question(request: &Message) -> bool {
    let questions = ["complete_request", "inspect_request", "is_complete_request"];
    questions.contains(&request.kind())
}

/// Everything needed to answer questions about code.
pub struct Questions {
    pub executor: Arc<Executor>,
    pub preferred: Option<PreferredPaths>,
}

impl Questions {
    /// The content of the reply to a question.
    pub async fn answer(&self, request: &Message) -> Value {
        match request.kind() {
            "complete_request" => self.complete(request).await,
            "inspect_request" => self.inspect(request).await,
            _ => self.is_complete(request).await,
        }
    }

    async fn is_complete(&self, request: &Message) -> Value {
        let code = request.text("code").to_owned();
        match self.ask(move |remote| remote.completeness(&code)).await {
            Some(Completeness::Complete) => json!({ "status": "complete" }),
            Some(Completeness::Incomplete(indent)) => {
                json!({ "status": "incomplete", "indent": indent })
            }
            Some(Completeness::Invalid) => json!({ "status": "invalid" }),
            None => json!({ "status": "unknown" }),
        }
    }

    async fn complete(&self, request: &Message) -> Value {
        let (code, cursor) = code_and_cursor(request);
        let mut reply = json!({
            "status": "ok", "matches": [], "metadata": {},
            "cursor_start": cursor, "cursor_end": cursor,
        });
        let (asked, place) = (code.clone(), byte_offset(&code, cursor));
        if let Some(mut found) = self.ask(move |remote| remote.complete(&asked, place)).await {
            let before = code.get(..found.start).unwrap_or_default();
            match &self.preferred {
                Some(paths) if found.texts.is_empty() => {
                    let (texts, typed) = completion_order::begun(&code[..place], &paths());
                    if !texts.is_empty() {
                        (found.start, found.end) = (place - typed, place);
                    }
                    found.texts = texts;
                }
                Some(paths) => completion_order::first(&mut found.texts, before, &paths()),
                None => {}
            }
            let characters =
                |end: usize| code.get(..end).map_or(cursor, |code| code.chars().count());
            let (start, end) = (characters(found.start), characters(found.end));
            reply["cursor_start"] = json!(start);
            reply["cursor_end"] = json!(end);
            let types: Vec<Value> = found
                .texts
                .iter()
                .map(|(text, kind)| json!({ "text": text, "type": kind, "start": start, "end": end }))
                .collect();
            reply["matches"] = found.texts.iter().map(|(text, _)| text.as_str()).collect();
            reply["metadata"] = json!({ "_jupyter_types_experimental": types });
        }
        reply
    }

    async fn inspect(&self, request: &Message) -> Value {
        let (code, cursor) = code_and_cursor(request);
        // The cursor may be inside a name: move it to the end of the name.
        let in_word = |character: &char| character.is_alphanumeric() || *character == '_';
        let rest = code.chars().skip(cursor).take_while(in_word).count();
        let place = byte_offset(&code, cursor + rest);
        match self.ask(move |remote| remote.describe(&code, place)).await {
            Some(found) if !found.text.trim().is_empty() => json!({
                "status": "ok", "found": true, "metadata": {},
                "data": { "text/plain": found.text, "text/markdown": found.markdown },
            }),
            _ => json!({ "status": "ok", "found": false, "data": {}, "metadata": {} }),
        }
    }

    /// Asks the evaluator on a blocking thread, so that the sockets stay responsive.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Remote) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let remote = self.executor.remote()?;
        let asked = tokio::task::spawn_blocking(move || question(&*remote));
        asked.await.ok().flatten()
    }
}

/// The code of a request, and the cursor's position in it, counted in characters (code points).
fn code_and_cursor(request: &Message) -> (String, usize) {
    let code = request.text("code").to_owned();
    let length = code.chars().count();
    let cursor = request.content["cursor_pos"].as_u64();
    (
        code,
        cursor.map_or(length, |cursor| (cursor as usize).min(length)),
    )
}

fn byte_offset(code: &str, characters: usize) -> usize {
    let place = code.char_indices().nth(characters);
    place.map_or(code.len(), |(offset, _)| offset)
}
