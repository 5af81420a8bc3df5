//! One socket of a front end, and the messages on it.

use super::zmtp::Connection;
use super::{KEY, PATIENCE};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::time::Duration;

const DELIMITER: &str = "<IDS|MSG>";

/// A socket of a front end.
pub struct Channel {
    connection: Connection,
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

impl Channel {
    /// Connects to a port on which a kernel is listening.
    pub fn connect(port: &Value, socket_type: &str, identity: &str) -> Channel {
        Channel {
            connection: Connection::new(port, socket_type, identity),
            unread: Vec::new(),
        }
    }

    /// Subscribes to everything.
    pub fn subscribe(&mut self) {
        self.send(vec!["\u{1}".to_owned()]);
    }

    pub fn forget_unread(&mut self) {
        self.unread.clear();
    }

    pub fn send(&mut self, frames: Vec<String>) {
        self.connection.send(&frames);
    }

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
        let frames = self.connection.receive_within(limit)?;
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
