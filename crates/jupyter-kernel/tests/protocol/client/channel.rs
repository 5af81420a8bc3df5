//! One socket of a front end, and the messages on it.

use super::{KEY, PATIENCE};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use zeromq::{Socket, SocketRecv, SocketSend, SubSocket, ZmqMessage};

const DELIMITER: &str = "<IDS|MSG>";

/// A socket of a front end.
pub struct Channel<S> {
    runtime: Rc<Runtime>,
    socket: S,
    /// Messages that have arrived but not been taken.
    unread: Vec<Message>,
}

/// A message from the kernel.
#[derive(Clone, Debug)]
pub struct Message {
    pub header: Value,
    pub parent: Value,
    pub content: Value,
}

impl Message {
    pub fn kind(&self) -> &str {
        self.header["msg_type"].as_str().expect("a kind")
    }

    pub fn is_of(&self, request: &str) -> bool {
        self.parent["msg_id"] == request
    }
}

impl<S: Socket + Send> Channel<S> {
    /// Connects to a port on which a kernel is listening.
    pub fn connect(runtime: &Rc<Runtime>, mut socket: S, port: &Value) -> Channel<S> {
        let endpoint = format!("tcp://127.0.0.1:{port}");
        let connected = runtime.block_on(socket.connect(&endpoint));
        connected.expect("a kernel");
        Channel {
            runtime: Rc::clone(runtime),
            socket,
            unread: Vec::new(),
        }
    }
}

impl Channel<SubSocket> {
    pub fn subscribe(&mut self) {
        let subscribed = self.socket.subscribe("");
        self.runtime.block_on(subscribed).expect("a connection");
    }

    pub fn forget_unread(&mut self) {
        self.unread.clear();
    }
}

impl<S: SocketSend> Channel<S> {
    pub fn send(&mut self, frames: Vec<String>) {
        let mut frames = frames.into_iter();
        let mut message = ZmqMessage::from(frames.next().expect("a frame"));
        frames.for_each(|frame| message.push_back(frame.into()));
        let sent = self.socket.send(message);
        self.runtime.block_on(sent).expect("a connection");
    }
}

impl<S: SocketRecv> Channel<S> {
    /// Takes the first wanted message; those before it stay in the queue.
    pub fn wait_for(&mut self, is_wanted: impl Fn(&Message) -> bool) -> Message {
        loop {
            if let Some(place) = self.unread.iter().position(&is_wanted) {
                return self.unread.remove(place);
            }
            let message = self.receive_within(PATIENCE).expect("a message comes");
            self.unread.push(message);
        }
    }

    /// The next message, if one arrives in time.
    pub fn receive_within(&mut self, limit: Duration) -> Option<Message> {
        let received = async { timeout(limit, self.socket.recv()).await };
        let frames = self.runtime.block_on(received).ok()?;
        let frames = frames.expect("a connection").into_vec();
        let frames: Vec<String> = (frames.into_iter())
            .map(|frame| String::from_utf8(frame.to_vec()).expect("text"))
            .collect();
        let delimiter = frames.iter().position(|frame| frame == DELIMITER);
        let message = &frames[delimiter.expect("a delimiter")..];
        assert_eq!(message, signed(&message[2..]), "the signature");
        let part = |place: usize| serde_json::from_str(&message[place]).expect("JSON");
        let [header, parent, content] = [2, 3, 5].map(part);
        Some(Message {
            header,
            parent,
            content,
        })
    }
}

/// The frames of a message, including its signature.
pub fn signed(parts: &[String]) -> Vec<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).expect("a key");
    parts.iter().for_each(|part| mac.update(part.as_bytes()));
    let signature = mac.finalize().into_bytes();
    let signature = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut frames = vec![DELIMITER.to_owned(), signature];
    frames.extend_from_slice(parts);
    frames
}
