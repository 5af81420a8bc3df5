//! All peers connected to a socket.

use crate::locked::locked;
use crate::tell::tell;
use crate::zmtp::frames::{Disconnect, Frames};
use crate::zmtp::handshake::{Role, shake_hands};
use crate::zmtp::listener::{Listener, PeerStream};
use crate::zmtp::peer::{
    LONGEST_TOPIC, MOST_SUBSCRIPTIONS, MOST_WAITING, Peer, Waiting, read_all, write_all,
};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// Time limit for the handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Maximum number of connections at a time.
const MOST_PEERS: usize = 64;
/// Capacity of the queue of incoming messages; when it is full, no more are read.
const MOST_UNREAD: usize = 4;
/// Delay after a connection could not be accepted, for example because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// The peers of one socket.
pub struct Peers {
    /// The socket's name, for the log.
    name: &'static str,
    role: Role,
    connected: Mutex<Connected>,
}

#[derive(Default)]
struct Connected {
    peers: HashMap<Bytes, Peer>,
    /// How many peers have ever connected.
    count: u32,
}

impl Peers {
    /// Starts to accept connections. The receiver yields the peers' messages; the first frame of
    /// each is the identity of its sender.
    pub fn accept(
        name: &'static str,
        role: Role,
        listener: Listener,
    ) -> (Arc<Peers>, Receiver<Frames>) {
        let peers = Arc::new(Peers {
            name,
            role,
            connected: Mutex::default(),
        });
        let (received, receiver) = mpsc::channel(MOST_UNREAD);
        tokio::spawn(Arc::clone(&peers).accept_all(listener, received));
        (peers, receiver)
    }

    /// Queues a message for the peer whose identity is the first frame, if it is still connected.
    pub fn send(&self, mut message: Frames) {
        let identity = message.remove(0);
        let peers = &mut locked(&self.connected).peers;
        if peers
            .get(&identity)
            .is_some_and(|peer| !peer.take(&message))
        {
            peers.remove(&identity);
            self.log_slow_peer();
        }
    }

    /// Queues a message for all peers that have subscribed to a prefix of its first frame.
    pub fn publish(&self, message: &Frames) {
        let peers = &mut locked(&self.connected).peers;
        peers.retain(|_, peer| {
            let stays = !peer.is_subscribed(&message[0]) || peer.take(message);
            if !stays {
                self.log_slow_peer();
            }
            stays
        });
    }

    /// Handles a message to a publisher: it begins or ends a subscription.
    pub fn subscribe(&self, message: &Frames) {
        let [identity, frame] = &message[..] else {
            return;
        };
        let peers = &mut locked(&self.connected).peers;
        if peers
            .get_mut(identity)
            .is_some_and(|peer| !peer.subscribe(frame))
        {
            peers.remove(identity);
            self.log_closed(&format!(
                "a peer can subscribe to {MOST_SUBSCRIPTIONS} topics of at most \
                 {LONGEST_TOPIC} bytes"
            ));
        }
    }

    async fn accept_all(self: Arc<Self>, listener: Listener, received: Sender<Frames>) {
        let places = Arc::new(Semaphore::new(MOST_PEERS));
        loop {
            let Ok(stream) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.log_closed(&format!("{MOST_PEERS} others are connected"));
                continue;
            };
            let (peers, received) = (Arc::clone(&self), received.clone());
            tokio::spawn(async move {
                if let Err(Disconnect::Refused(reason)) = peers.serve(stream, &received).await {
                    peers.log_closed(&reason);
                }
                drop(place);
            });
        }
    }

    /// Serves one connection until it ends.
    async fn serve(
        &self,
        mut stream: Box<dyn PeerStream>,
        received: &Sender<Frames>,
    ) -> Result<(), Disconnect> {
        let shaken = tokio::time::timeout(HANDSHAKE, shake_hands(&mut stream, self.role)).await;
        let wanted = shaken.unwrap_or_else(|_| {
            let seconds = HANDSHAKE.as_secs();
            Err(Disconnect::Refused(format!(
                "it did not introduce itself within {seconds} s"
            )))
        })?;
        let (reader, writer) = tokio::io::split(stream);
        let (identity, number, waiting, closed) = self.connect(wanted);
        let most_bytes = self.role.most_bytes();
        let (answers, answered) = mpsc::channel(MOST_UNREAD);
        let ended = tokio::select! {
            ended = read_all(reader, most_bytes, &identity, received, answers) => ended,
            ended = write_all(writer, waiting, answered) => ended,
            _ = closed => Ok(()),
        };
        let peers = &mut locked(&self.connected).peers;
        if peers
            .get(&identity)
            .is_some_and(|peer| peer.number == number)
        {
            peers.remove(&identity);
        }
        ended
    }

    /// Adds a peer: returns its identity, its number, and the rest of what [`Peer::new`] returns. A
    /// peer with the identity of another replaces it: it is the same client reconnecting, for
    /// example after a page reload. Only routers honour the identities that peers choose.
    fn connect(&self, wanted: Bytes) -> (Bytes, u32, Waiting, oneshot::Receiver<()>) {
        let mut all = locked(&self.connected);
        all.count = all.count.wrapping_add(1);
        let number = all.count;
        // Identities that begin with 0 are reserved for those assigned here.
        let is_name = self.role == Role::Router && wanted.first().is_some_and(|first| *first != 0);
        let identity = match is_name {
            true => wanted,
            false => [&[0], &number.to_be_bytes()[..]].concat().into(),
        };
        let (peer, waiting, closed) = Peer::new(number);
        all.peers.insert(identity.clone(), peer);
        (identity, number, waiting, closed)
    }

    fn log_slow_peer(&self) {
        self.log_closed(&format!(
            "more than {} MB are queued for it",
            MOST_WAITING / 1_000_000
        ));
    }

    fn log_closed(&self, reason: &str) {
        tell(format_args!(
            "closed a connection on the {} socket: {reason}",
            self.name
        ));
    }
}

impl Role {
    /// Maximum size of a message from a peer in bytes. It has to be limited here because the
    /// signature is checked only later.
    fn most_bytes(self) -> u64 {
        match self {
            Role::Router => 64 << 20,
            // Subscriptions and heartbeats are short.
            Role::Publisher | Role::Replier => 4 << 10,
        }
    }
}

#[cfg(test)]
mod tests;
