//! One peer: what it subscribes to, what it sends, and what waits for it.

use crate::zmtp::frames::{Ended, Frames, read_message, write_command, write_message};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncWrite, BufReader, BufWriter};
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

/// A peer for which more bytes wait gets no further message: it is disconnected.
pub const MOST_WAITING: usize = 512 << 20;
/// To how many topics a peer can subscribe, and how long they can be.
pub const MOST_SUBSCRIPTIONS: usize = 64;
pub const LONGEST_TOPIC: usize = 255;

/// A peer. It is connected as long as this lives.
pub struct Peer {
    /// Tells it from another one with its identity.
    pub number: u32,
    to_send: UnboundedSender<Frames>,
    /// How many bytes wait in `to_send`.
    waiting: Arc<AtomicUsize>,
    subscriptions: Vec<Bytes>,
    _connected: oneshot::Sender<()>,
}

/// What waits for a peer.
pub struct Waiting {
    messages: UnboundedReceiver<Frames>,
    bytes: Arc<AtomicUsize>,
}

impl Peer {
    /// With what will wait for it, and what tells that it is not connected any more.
    pub fn new(number: u32) -> (Peer, Waiting, oneshot::Receiver<()>) {
        let (to_send, messages) = mpsc::unbounded_channel();
        let (connected, closed) = oneshot::channel();
        let waiting = Waiting {
            messages,
            bytes: Arc::default(),
        };
        let peer = Peer {
            number,
            to_send,
            waiting: Arc::clone(&waiting.bytes),
            subscriptions: Vec::new(),
            _connected: connected,
        };
        (peer, waiting, closed)
    }

    /// Lets a message wait for the peer; `false` if too much waits already.
    pub fn take(&self, message: &Frames) -> bool {
        if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            return false;
        }
        self.waiting.fetch_add(size(message), Ordering::Relaxed);
        let _ = self.to_send.send(message.clone()); // the connection is ending
        true
    }

    /// Whether it has subscribed to what this begins with.
    pub fn is_subscribed(&self, topic: &Bytes) -> bool {
        (self.subscriptions.iter()).any(|wanted| topic.starts_with(wanted))
    }

    /// Does what a frame says: 1 or 0 in front of a topic begins or ends a subscription.
    /// `false` if that is one too many, or too long.
    pub fn subscribe(&mut self, frame: &Bytes) -> bool {
        let subscriptions = &mut self.subscriptions;
        match frame.split_first() {
            Some((1, topic)) => {
                if subscriptions.len() == MOST_SUBSCRIPTIONS || topic.len() > LONGEST_TOPIC {
                    return false;
                }
                subscriptions.push(Bytes::copy_from_slice(topic));
            }
            Some((0, topic)) => {
                if let Some(index) = subscriptions.iter().position(|known| known == topic) {
                    subscriptions.swap_remove(index);
                }
            }
            _ => {}
        }
        true
    }
}

/// The bytes that a message takes while it waits.
fn size(message: &Frames) -> usize {
    let bytes = message.iter().map(|frame| frame.len() + size_of::<Bytes>());
    bytes.sum()
}

/// Hands over what a peer sends, with its identity in front; what it asks of ZeroMQ is answered.
pub async fn read_all(
    reader: impl AsyncRead + Unpin,
    most_bytes: u64,
    identity: &Bytes,
    received: &Sender<Frames>,
    answers: Sender<Bytes>,
) -> Result<(), Ended> {
    let mut reader = BufReader::new(reader);
    loop {
        // Of many questions in a row the first ones are answered.
        let answer = |answer| answers.try_send(answer).unwrap_or_default();
        let mut message = read_message(&mut reader, most_bytes, answer).await?;
        message.insert(0, identity.clone());
        if received.send(message).await.is_err() {
            return Ok(()); // the kernel is ending
        }
    }
}

/// Sends a peer what waits for it, and the answers.
pub async fn write_all(
    writer: impl AsyncWrite + Unpin,
    mut waiting: Waiting,
    mut answers: Receiver<Bytes>,
) -> Result<(), Ended> {
    let mut writer = BufWriter::new(writer);
    loop {
        tokio::select! {
            Some(answer) = answers.recv() => write_command(&mut writer, &answer).await?,
            message = waiting.messages.recv() => {
                let Some(message) = message else {
                    return Ok(());
                };
                write_message(&mut writer, &message).await?;
                waiting.bytes.fetch_sub(size(&message), Ordering::Relaxed);
            }
        }
    }
}
