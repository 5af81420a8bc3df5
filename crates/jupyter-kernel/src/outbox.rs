//! Everything the kernel sends: replies to one client, and broadcasts to all of them.

use crate::locked::locked;
use crate::message::{Message, Signer};
use crate::zmtp::Frames;
use notebook::evaluator::{Bundle, Output, Question, Stream};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;

#[derive(Clone)]
pub struct Outbox {
    signer: Arc<Signer>,
    iopub: UnboundedSender<Frames>,
    stdin: UnboundedSender<Frames>,
    /// Names of the updatable displays shown so far.
    updatable: Arc<Mutex<HashSet<String>>>,
    /// The headers of the requests that the kernel is busy with.
    unanswered: Arc<Mutex<Vec<Value>>>,
}

impl Outbox {
    pub fn new(
        signer: Arc<Signer>,
        iopub: UnboundedSender<Frames>,
        stdin: UnboundedSender<Frames>,
    ) -> Outbox {
        Outbox {
            signer,
            iopub,
            stdin,
            updatable: Arc::default(),
            unanswered: Arc::default(),
        }
    }

    pub fn starting(&self) {
        self.publish_for(
            &Value::Null,
            "status",
            &json!({ "execution_state": "starting" }),
        );
    }

    /// Reports that the kernel is busy with a request until [`Outbox::idle`] is called.
    pub fn busy(&self, request: &Value) {
        locked(&self.unanswered).push(request.clone());
        self.publish_for(request, "status", &json!({ "execution_state": "busy" }));
    }

    /// Reports the end of a request. Front ends show the last state they received, so if the kernel
    /// is busy with another request, that is reported again.
    pub fn idle(&self, request: &Value) {
        let mut unanswered = locked(&self.unanswered);
        if let Some(place) = unanswered.iter().position(|header| header == request) {
            unanswered.remove(place);
        }
        self.publish_for(request, "status", &json!({ "execution_state": "idle" }));
        if let Some(header) = unanswered.first() {
            self.publish_for(header, "status", &json!({ "execution_state": "busy" }));
        }
    }

    /// Sends all clients a message that belongs to a request.
    pub fn publish(&self, request: &Message, kind: &str, content: &Value) {
        self.publish_for(&request.header, kind, content);
    }

    fn publish_for(&self, parent: &Value, kind: &str, content: &Value) {
        let topic = [format!("kernel.{kind}").into_bytes()];
        let message = self.signer.write(&topic, kind, parent, content);
        let _ = self.iopub.send(message); // fails only if the kernel is ending
    }

    /// Answers a request on the socket it came from.
    pub fn reply(&self, replies: &UnboundedSender<Frames>, request: &Message, content: &Value) {
        let kind = request.kind().replace("_request", "_reply");
        let message = self
            .signer
            .write(&request.identities, &kind, &request.header, content);
        let _ = replies.send(message); // fails only if the kernel is ending
    }

    /// Asks the client that sent a request for a line of input.
    pub fn ask(&self, request: &Message, question: &Question) {
        let content = json!({ "prompt": question.prompt, "password": question.is_password });
        let message = self.signer.write(
            &request.identities,
            "input_request",
            &request.header,
            &content,
        );
        let _ = self.stdin.send(message); // fails only if the kernel is ending
    }

    /// Publishes an output of a cell.
    pub fn show(&self, request: &Message, output: Output, count: u64) {
        match output {
            Output::Text(stream, text) => {
                let name = match stream {
                    Stream::Stdout => "stdout",
                    Stream::Stderr => "stderr",
                };
                self.publish(request, "stream", &json!({ "name": name, "text": text }));
            }
            Output::Display(bundle) => {
                let content = json!({ "data": data(&bundle), "metadata": {}, "transient": {} });
                self.publish(request, "display_data", &content);
            }
            Output::Updatable(name, bundle) => {
                let mut known = locked(&self.updatable);
                let kind = match known.insert(name.clone()) {
                    true => "display_data",
                    false => "update_display_data",
                };
                let content = json!({
                    "data": data(&bundle), "metadata": {}, "transient": { "display_id": name },
                });
                self.publish(request, kind, &content);
            }
            Output::Result(bundle) => {
                let content = json!({
                    "execution_count": count, "data": data(&bundle), "metadata": {},
                });
                self.publish(request, "execute_result", &content);
            }
            Output::Clear => {
                self.publish(request, "clear_output", &json!({ "wait": false }));
            }
            Output::Rewritten(_) => {} // goes into the reply
        }
    }
}

/// The forms of a value as the protocol represents them: JSON as JSON, all others as strings.
pub fn data(bundle: &Bundle) -> Map<String, Value> {
    let form = |(mime, content): (&String, &String)| {
        let is_json = mime == "application/json" || mime.ends_with("+json");
        let json = is_json
            .then(|| serde_json::from_str(content).ok())
            .flatten();
        (
            mime.clone(),
            json.unwrap_or_else(|| Value::from(content.as_str())),
        )
    };
    bundle.iter().map(form).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_sent_as_json_and_all_else_as_text() {
        let forms = [
            ("application/json", "{\"a\": [1]}"),
            ("application/geo+json", "[2]"),
            ("text/plain", "[3]"),
            ("application/vnd.torn+json", "{"),
        ];
        let bundle: Bundle = forms
            .map(|(mime, content)| (mime.to_owned(), content.to_owned()))
            .into();
        let expected = json!({
            "application/json": { "a": [1] },
            "application/geo+json": [2],
            "text/plain": "[3]",
            "application/vnd.torn+json": "{",
        });
        assert_eq!(Value::Object(data(&bundle)), expected);
    }
}
