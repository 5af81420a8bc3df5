//! Everybody who is connected to a socket, each with the messages that wait for it.

use crate::locked::locked;
use crate::tell::tell;
use crate::zmtp::frames::{Ended, Frames, read_message, write_command, write_message};
use crate::zmtp::handshake::{Role, shake_hands};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, BufReader, BufWriter};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// How long a peer has to introduce itself.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How many can be connected at a time.
const MOST_PEERS: usize = 64;
/// How many messages that came wait for the kernel; the next ones wait in the network.
const MOST_UNREAD: usize = 4;
/// A peer for which more bytes wait gets no further message: it is disconnected.
const MOST_WAITING: usize = 512 << 20;
/// To how many topics a peer can subscribe, and how long they can be.
const MOST_SUBSCRIPTIONS: usize = 64;
const LONGEST_TOPIC: usize = 255;
/// After a connection that could not be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// The peers of one socket.
pub struct Peers {
    /// Of the socket, for the log.
    name: &'static str,
    role: Role,
    connected: Mutex<Connected>,
}

#[derive(Default)]
struct Connected {
    peers: HashMap<Bytes, Peer>,
    /// How many there have been.
    count: u32,
}

/// A peer. It is connected as long as this lives.
struct Peer {
    /// Tells it from another one with its identity.
    number: u32,
    to_send: UnboundedSender<Frames>,
    /// How many bytes wait in `to_send`.
    waiting: Arc<AtomicUsize>,
    subscriptions: Vec<Bytes>,
    _connected: oneshot::Sender<()>,
}

impl Peers {
    /// Accepts connections from now on. What peers send comes out of the receiver; the first
    /// frame of each message is the identity of its peer.
    pub fn accept(
        name: &'static str,
        role: Role,
        listener: TcpListener,
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

    /// Sends to the peer whose identity is the first frame, unless it has gone. Nobody waits
    /// for it.
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

    /// Sends to everybody who has subscribed to what the first frame begins with.
    pub fn publish(&self, message: &Frames) {
        let peers = &mut locked(&self.connected).peers;
        peers.retain(|_, peer| {
            let is_subscribed = |topic: &Bytes| message[0].starts_with(topic);
            let stays = !peer.subscriptions.iter().any(is_subscribed) || peer.take(message);
            if !stays {
                self.log_slow_peer();
            }
            stays
        });
    }

    /// Does what a message to a publisher says: 1 or 0 in front of a topic begins or ends a
    /// subscription.
    pub fn subscribe(&self, message: &Frames) {
        let [identity, frame] = &message[..] else {
            return;
        };
        let peers = &mut locked(&self.connected).peers;
        let Some(peer) = peers.get_mut(identity) else {
            return; // it has gone
        };
        let subscriptions = &mut peer.subscriptions;
        match frame.split_first() {
            Some((1, topic))
                if subscriptions.len() == MOST_SUBSCRIPTIONS || topic.len() > LONGEST_TOPIC =>
            {
                peers.remove(identity);
                self.log_closed(&format!(
                    "a peer can subscribe to {MOST_SUBSCRIPTIONS} topics of at most \
                     {LONGEST_TOPIC} bytes"
                ));
            }
            Some((1, topic)) => subscriptions.push(Bytes::copy_from_slice(topic)),
            Some((0, topic)) => {
                if let Some(index) = subscriptions.iter().position(|known| known == topic) {
                    subscriptions.swap_remove(index);
                }
            }
            _ => {}
        }
    }

    async fn accept_all(self: Arc<Self>, listener: TcpListener, received: Sender<Frames>) {
        let places = Arc::new(Semaphore::new(MOST_PEERS));
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.log_closed(&format!("{MOST_PEERS} others are connected"));
                continue;
            };
            let (peers, received) = (Arc::clone(&self), received.clone());
            tokio::spawn(async move {
                if let Err(Ended::Refused(reason)) = peers.serve(stream, &received).await {
                    peers.log_closed(&reason);
                }
                drop(place);
            });
        }
    }

    /// Serves one connection to its end.
    async fn serve(&self, mut stream: TcpStream, received: &Sender<Frames>) -> Result<(), Ended> {
        stream.set_nodelay(true)?;
        let shaken = tokio::time::timeout(HANDSHAKE, shake_hands(&mut stream, self.role)).await;
        let wanted = shaken.unwrap_or_else(|_| {
            let seconds = HANDSHAKE.as_secs();
            Err(Ended::Refused(format!(
                "it did not introduce itself within {seconds} s"
            )))
        })?;
        let (reader, writer) = stream.into_split();
        let (to_send, queue) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let (open, closed) = oneshot::channel();
        let (identity, number) = self.connect(wanted, to_send, &waiting, open);
        let most_bytes = self.role.most_bytes();
        let (answers, answered) = mpsc::channel(MOST_UNREAD);
        let ended = tokio::select! {
            ended = read_all(reader, most_bytes, &identity, received, answers) => ended,
            ended = write_all(writer, queue, answered, &waiting) => ended,
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

    /// Adds a peer; returns its identity and its number. If it names itself as another one
    /// does, it is that one, which has connected again, as after a page was loaded again. Only
    /// a router needs such names.
    fn connect(
        &self,
        wanted: Bytes,
        to_send: UnboundedSender<Frames>,
        waiting: &Arc<AtomicUsize>,
        connected: oneshot::Sender<()>,
    ) -> (Bytes, u32) {
        let mut all = locked(&self.connected);
        all.count = all.count.wrapping_add(1);
        let number = all.count;
        // Names that begin with 0 are those that a socket gives.
        let is_name = self.role == Role::Router && wanted.first().is_some_and(|first| *first != 0);
        let identity = match is_name {
            true => wanted,
            // Names that begin with 0 are those that a socket gives.
            false => [&[0], &number.to_be_bytes()[..]].concat().into(),
        };
        let peer = Peer {
            number,
            to_send,
            waiting: Arc::clone(waiting),
            subscriptions: Vec::new(),
            _connected: connected,
        };
        all.peers.insert(identity.clone(), peer);
        (identity, number)
    }

    fn log_slow_peer(&self) {
        self.log_closed(&format!(
            "more than {} MB wait for it",
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
    /// The most bytes of a message that a peer may send. Nobody has signed it yet.
    fn most_bytes(self) -> u64 {
        match self {
            Role::Router => 64 << 20,
            // A subscription, a heartbeat.
            Role::Publisher | Role::Replier => 4 << 10,
        }
    }
}

impl Peer {
    /// Lets a message wait for the peer; `false` if too much waits already.
    fn take(&self, message: &Frames) -> bool {
        if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            return false;
        }
        self.waiting.fetch_add(size(message), Ordering::Relaxed);
        let _ = self.to_send.send(message.clone()); // the connection is ending
        true
    }
}

/// The bytes that a message takes while it waits.
fn size(message: &Frames) -> usize {
    let bytes = message.iter().map(|frame| frame.len() + size_of::<Bytes>());
    bytes.sum()
}

async fn read_all(
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

async fn write_all(
    writer: impl AsyncWrite + Unpin,
    mut queue: UnboundedReceiver<Frames>,
    mut answers: Receiver<Bytes>,
    waiting: &AtomicUsize,
) -> Result<(), Ended> {
    let mut writer = BufWriter::new(writer);
    loop {
        tokio::select! {
            Some(answer) = answers.recv() => write_command(&mut writer, &answer).await?,
            message = queue.recv() => {
                let Some(message) = message else {
                    return Ok(());
                };
                write_message(&mut writer, &message).await?;
                waiting.fetch_sub(size(&message), Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use zeromq::{DealerSocket, ReqSocket, Socket, SocketRecv, SocketSend, SubSocket, ZmqMessage};

    /// How long a message may take on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let in_time = async { tokio::time::timeout(PATIENCE, test).await };
        runtime.block_on(in_time).expect("the test ends");
    }

    /// A socket, what comes in, and its port.
    async fn socket(role: Role) -> (Arc<Peers>, Receiver<Frames>, u16) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (peers, receiver) = Peers::accept("test", role, listener);
        (peers, receiver, port)
    }

    /// A socket of the crate `zeromq`, which speaks as all others do.
    async fn connected<S: Socket>(port: u16) -> S {
        let mut socket = S::new();
        let address = format!("tcp://127.0.0.1:{port}");
        socket.connect(&address).await.expect("a connection");
        socket
    }

    async fn received(socket: &mut impl SocketRecv) -> Vec<Bytes> {
        socket.recv().await.expect("a message").into_vec()
    }

    /// A connection of which every byte is chosen here.
    async fn introduced(port: u16, socket_type: &str) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        let mut stream = stream.expect("a connection");
        let mut greeting = [0; 64];
        greeting[0] = 0xff;
        greeting[9] = 0x7f;
        greeting[10] = 3;
        greeting[12..16].copy_from_slice(b"NULL");
        let mut ready = b"\x05READY\x0bSocket-Type\0\0\0".to_vec();
        ready.push(socket_type.len() as u8);
        ready.extend(socket_type.as_bytes());
        let header = [4, ready.len() as u8];
        for bytes in [&greeting[..], &header, &ready] {
            stream.write_all(bytes).await.expect("an open connection");
        }
        stream
    }

    /// Whether the other side closes this connection.
    async fn is_closed(mut stream: TcpStream) -> bool {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE / 2, stream.read_to_end(&mut bytes)).await;
        read.is_ok()
    }

    #[test]
    fn a_router_answers_each_peer_by_itself() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Router).await;
            let mut one: DealerSocket = connected(port).await;
            let mut other: DealerSocket = connected(port).await;
            for (socket, text) in [(&mut one, "a"), (&mut other, "b")] {
                socket.send(ZmqMessage::from(text)).await.expect("sent");
            }
            for _ in 0..2 {
                let mut message = receiver.recv().await.expect("a message");
                assert_eq!(message.len(), 2);
                message.push("answer".into());
                peers.send(message);
            }
            assert_eq!(received(&mut one).await, ["a", "answer"]);
            assert_eq!(received(&mut other).await, ["b", "answer"]);
            peers.send(vec!["nobody".into(), "text".into()]);
        });
    }

    #[test]
    fn a_heartbeat_comes_back() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Replier).await;
            let mut heart: ReqSocket = connected(port).await;
            heart.send(ZmqMessage::from("ping")).await.expect("sent");
            peers.send(receiver.recv().await.expect("a beat"));
            assert_eq!(received(&mut heart).await, ["ping"]);
        });
    }

    #[test]
    fn a_ping_is_answered() {
        run(async {
            let (_peers, _receiver, port) = socket(Role::Router).await;
            let mut peer = introduced(port, "DEALER").await;
            peer.write_all(b"\x04\x0a\x04PING\0\x0aabc")
                .await
                .expect("sent");
            let mut read = Vec::new();
            while !read.ends_with(b"\x04\x08\x04PONGabc") {
                read.push(peer.read_u8().await.expect("an answer"));
            }
        });
    }

    #[test]
    fn a_subscriber_gets_what_it_subscribed_to() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Publisher).await;
            let mut subscriber: SubSocket = connected(port).await;
            for topic in ["kernel.a", "b"] {
                subscriber.subscribe(topic).await.expect("sent");
                peers.subscribe(&receiver.recv().await.expect("a subscription"));
            }
            subscriber.unsubscribe("b").await.expect("sent");
            peers.subscribe(&receiver.recv().await.expect("its end"));
            for topic in ["b", "kernel.b", "kernel.a.b"] {
                peers.publish(&vec![topic.into()]);
            }
            assert_eq!(received(&mut subscriber).await, ["kernel.a.b"]);
        });
    }

    #[test]
    fn a_subscriber_that_stops_reading_is_left_behind_alone() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Publisher).await;
            let mut asleep = introduced(port, "SUB").await;
            asleep.write_all(&[0, 1, 1]).await.expect("sent");
            peers.subscribe(&receiver.recv().await.expect("a subscription"));
            let mut awake: SubSocket = connected(port).await;
            awake.subscribe("").await.expect("sent");
            peers.subscribe(&receiver.recv().await.expect("a subscription"));

            let large = Bytes::from(vec![0; 64 << 20]);
            for _ in 0..MOST_WAITING / large.len() + 2 {
                peers.publish(&vec![large.clone()]);
                assert_eq!(received(&mut awake).await[0].len(), large.len());
            }
            assert_eq!(locked(&peers.connected).peers.len(), 1);
            assert!(is_closed(asleep).await);
        });
    }

    #[test]
    fn who_announces_too_much_is_disconnected_and_nobody_else() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Router).await;
            let mut good: DealerSocket = connected(port).await;
            let mut huge = vec![2];
            huge.extend((1_u64 << 36).to_be_bytes());
            let many = [1, 0].repeat(2440);
            for bytes in [huge, many, b"GET / HTTP/1.1\r\n\r\n".to_vec()] {
                let mut bad = introduced(port, "DEALER").await;
                bad.write_all(&bytes).await.expect("an open connection");
                assert!(is_closed(bad).await);
            }
            good.send(ZmqMessage::from("text")).await.expect("sent");
            assert_eq!(receiver.recv().await.expect("a message")[1], "text");
            assert_eq!(locked(&peers.connected).peers.len(), 1);
        });
    }

    #[test]
    fn who_connects_again_takes_its_own_place() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Router).await;
            let named = || async {
                let mut options = zeromq::SocketOptions::default();
                options.peer_identity("me".parse().expect("a name"));
                let mut socket = DealerSocket::with_options(options);
                let address = format!("tcp://127.0.0.1:{port}");
                socket.connect(&address).await.expect("a connection");
                socket.send(ZmqMessage::from("here")).await.expect("sent");
                socket
            };
            let _before = named().await;
            assert_eq!(receiver.recv().await.expect("a message")[0], "me");
            let mut after = named().await;
            peers.send(receiver.recv().await.expect("a message"));
            assert_eq!(received(&mut after).await, ["here"]);
            assert_eq!(locked(&peers.connected).peers.len(), 1);
        });
    }

    #[test]
    fn connections_and_subscriptions_are_counted() {
        run(async {
            let (peers, mut receiver, port) = socket(Role::Publisher).await;
            let mut greedy = introduced(port, "SUB").await;
            for _ in 0..=MOST_SUBSCRIPTIONS {
                greedy.write_all(&[0, 1, 1]).await.expect("sent");
                peers.subscribe(&receiver.recv().await.expect("a subscription"));
            }
            assert!(is_closed(greedy).await);
            let mut silent = Vec::new();
            for _ in 0..=MOST_PEERS {
                let stream = TcpStream::connect(("127.0.0.1", port)).await;
                silent.push(stream.expect("a connection"));
            }
            assert!(is_closed(silent.pop().expect("the last one")).await);
        });
    }
}
