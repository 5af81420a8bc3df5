//! Messages on the wire: frames, their signature and the JSON they carry.
//!
//! Messages are plain JSON values. The types of the crate `jupyter-protocol` copy the client's
//! session and an outdated version into every header, so half of their fields would have to be
//! overwritten here.

use crate::zmtp::Frames;
use anyhow::{Result, bail};
use chrono::{SecondsFormat, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::Sha256;

/// Separates the client's identities from the message.
const DELIMITER: &[u8] = b"<IDS|MSG>";
/// The protocol version that this kernel implements.
pub const PROTOCOL: &str = "5.4";

type Frame = Vec<u8>;

/// A message from a client.
#[derive(Clone)]
pub struct Message {
    /// The frames that identify the client, so that replies can be routed to it.
    pub identities: Vec<Frame>,
    pub header: Value,
    /// Null if it was not valid JSON.
    pub metadata: Value,
    /// An object, or null if the content was not one. Even if the content could not be parsed, this
    /// may hold the id of the comm that it was meant for.
    pub content: Value,
    /// Why `content` is missing or incomplete.
    pub fault: Option<String>,
}

/// The part of a message's content that is readable even if, say, a number in it has 400 digits.
#[derive(Deserialize)]
struct OfComm {
    comm_id: String,
}

impl Message {
    pub fn kind(&self) -> &str {
        self.header["msg_type"].as_str().unwrap_or("")
    }

    /// A string field of the content; empty if missing.
    pub fn text(&self, name: &str) -> &str {
        self.content[name].as_str().unwrap_or("")
    }

    /// The front end's id for the cell of this request.
    pub fn cell(&self) -> Option<&str> {
        self.metadata["cellId"].as_str()
    }

    /// A boolean field of the content; `default` if missing.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.content[name].as_bool().unwrap_or(default)
    }
}

/// Reads and writes signed messages.
pub struct Signer {
    key: Vec<u8>,
    /// Identifies this kernel in the headers it writes.
    session: String,
}

impl Signer {
    pub fn new(key: &[u8]) -> Signer {
        Signer {
            key: key.to_owned(),
            session: uuid::Uuid::new_v4().to_string(),
        }
    }

    /// Parses these frames. Fails if the message is incomplete, wrongly signed or has no type.
    pub fn read(&self, frames: &Frames) -> Result<Message> {
        let Some(delimiter) = frames.iter().position(|frame| frame == DELIMITER) else {
            bail!("it has no delimiter");
        };
        let [signature, parts @ ..] = &frames[delimiter + 1..] else {
            bail!("it ends at the delimiter");
        };
        let [header, _parent, metadata, content, ..] = parts else {
            bail!("it has {} parts instead of 4", parts.len());
        };
        if !self.key.is_empty() {
            let signature = unhex(signature);
            let signed = self.mac(&parts[..4]).verify_slice(&signature);
            if signed.is_err() {
                bail!("its signature is wrong");
            }
        }
        let header: Value = serde_json::from_slice(header)?;
        if !header["msg_type"].is_string() {
            bail!("its header has no msg_type");
        }
        let (content, fault) = match serde_json::from_slice(content) {
            Ok(content @ Value::Object(_)) => (content, None),
            Ok(_) => (Value::Null, Some("its content is not an object".to_owned())),
            Err(error) => {
                let fault = format!("its content cannot be read: {error}");
                let comm = serde_json::from_slice(content).ok();
                let content = comm.map(|OfComm { comm_id }| json!({ "comm_id": comm_id }));
                (content.unwrap_or_default(), Some(fault))
            }
        };
        Ok(Message {
            identities: frames[..delimiter]
                .iter()
                .map(|frame| frame.to_vec())
                .collect(),
            header,
            metadata: serde_json::from_slice(metadata).unwrap_or_default(),
            content,
            fault,
        })
    }

    /// The frames of a message to the client with these identities; on the publishing socket, the
    /// topic takes the identities' place.
    pub fn write(
        &self,
        identities: &[Frame],
        kind: &str,
        parent: &Value,
        content: &Value,
    ) -> Frames {
        let header = json!({
            "msg_id": uuid::Uuid::new_v4().to_string(),
            "session": self.session,
            "username": "kernel",
            "date": Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true),
            "msg_type": kind,
            "version": PROTOCOL,
        });
        let parent = match parent {
            Value::Null => &Value::Object(Map::new()),
            parent => parent,
        };
        let parts: Vec<Frame> = [&header, parent, &json!({}), content]
            .iter()
            .map(|part| part.to_string().into_bytes())
            .collect();
        let signature = match self.key.is_empty() {
            true => String::new(),
            false => hex(&self.mac(&parts).finalize().into_bytes()),
        };
        let mut frames = identities.to_vec();
        frames.extend([DELIMITER.to_vec(), signature.into_bytes()]);
        frames.extend(parts);
        frames.into_iter().map(Into::into).collect()
    }

    fn mac(&self, parts: &[impl AsRef<[u8]>]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("keys have any length");
        parts.iter().for_each(|part| mac.update(part.as_ref()));
        mac
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes hexadecimal digits up to the first invalid pair; a signature cut short is never valid.
fn unhex(text: &[u8]) -> Vec<u8> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.chunks(2).map_while(pair).collect()
}

#[cfg(test)]
mod tests;
