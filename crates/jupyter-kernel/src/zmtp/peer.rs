//! One peer: its subscriptions, the messages it sends, and the queue of those it should receive.

use crate::zmtp::frames::{Disconnect, Frames, read_message, write_command, write_message};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncWrite, BufReader, BufWriter};
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

/// Maximum number of bytes queued for a peer; one that exceeds it is disconnected.
pub const MOST_WAITING: usize = 512 << 20;
/// Limits on the number of a peer's subscriptions and on the length of a topic in bytes.
pub const MOST_SUBSCRIPTIONS: usize = 64;
pub const LONGEST_TOPIC: usize = 255;

/// A connected peer. Dropping it closes the connection.
pub struct Peer {
    /// Distinguishes it from other peers with the same identity.
    pub number: u32,
    to_send: UnboundedSender<Frames>,
    /// Number of bytes queued in `to_send`.
    waiting: Arc<AtomicUsize>,
    subscriptions: Vec<Bytes>,
    _connected: oneshot::Sender<()>,
}

/// The messages queued for a peer.
pub struct Waiting {
    messages: UnboundedReceiver<Frames>,
    bytes: Arc<AtomicUsize>,
}

impl Peer {
    /// Creates a peer, its queue, and a receiver that resolves once the peer is dropped.
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

    /// Queues a message for the peer; `false` if too much is queued already.
    pub fn take(&self, message: &Frames) -> bool {
        if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            return false;
        }
        self.waiting.fetch_add(size(message), Ordering::Relaxed);
        let _ = self.to_send.send(message.clone()); // fails only if the connection is ending
        true
    }

    /// Whether it has subscribed to a prefix of this topic.
    pub fn is_subscribed(&self, topic: &Bytes) -> bool {
        (self.subscriptions.iter()).any(|wanted| topic.starts_with(wanted))
    }

    /// Handles a frame that begins (1) or ends (0) the subscription to the topic after that byte.
    /// `false` if there would be too many subscriptions or the topic is too long.
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

/// The memory that a queued message takes, in bytes.
fn size(message: &Frames) -> usize {
    let bytes = message.iter().map(|frame| frame.len() + size_of::<Bytes>());
    bytes.sum()
}

/// Forwards the peer's messages with its identity prepended, and the answers to its commands.
pub async fn read_all(
    reader: impl AsyncRead + Unpin,
    most_bytes: u64,
    identity: &Bytes,
    received: &Sender<Frames>,
    answers: Sender<Bytes>,
) -> Result<(), Disconnect> {
    let mut reader = BufReader::new(reader);
    loop {
        // If a peer floods us with commands, only the first ones are answered.
        let answer = |answer| answers.try_send(answer).unwrap_or_default();
        let mut message = read_message(&mut reader, most_bytes, answer).await?;
        message.insert(0, identity.clone());
        if received.send(message).await.is_err() {
            return Ok(()); // the kernel is ending
        }
    }
}

/// Sends a peer its queued messages and the answers to its commands.
pub async fn write_all(
    writer: impl AsyncWrite + Unpin,
    mut waiting: Waiting,
    mut answers: Receiver<Bytes>,
) -> Result<(), Disconnect> {
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
