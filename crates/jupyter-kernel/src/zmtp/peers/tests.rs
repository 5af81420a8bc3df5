//! Peers here are raw connections; the tests in `tests/kernel` use ZeroMQ's own library.

use super::*;
use crate::zmtp::frames::{read_command, read_message, write_message};
use std::future::Future;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Time limit for a test, generous enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn run(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    let in_time = async { tokio::time::timeout(PATIENCE, test).await };
    runtime.block_on(in_time).expect("the test ends");
}

/// A socket, the receiver of its messages, and its port.
async fn socket(role: Role) -> (Arc<Peers>, Receiver<Frames>, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (peers, receiver) = Peers::accept("test", role, Listener::Port(listener));
    (peers, receiver, port)
}

/// A connection after the handshake.
async fn connected(port: u16, socket_type: &str) -> TcpStream {
    named(port, socket_type, "").await
}

/// A connection of a peer that has chosen its identity.
async fn named(port: u16, socket_type: &str, identity: &str) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).await;
    let mut stream = stream.expect("a connection");
    let mut greeting = [0; 64];
    greeting[0] = 0xff;
    greeting[9] = 0x7f;
    greeting[10] = 3;
    greeting[12..16].copy_from_slice(b"NULL");
    let mut ready = b"\x05READY".to_vec();
    for (name, value) in [("Socket-Type", socket_type), ("Identity", identity)] {
        ready.push(name.len() as u8);
        ready.extend(name.as_bytes());
        ready.extend([0, 0, 0, value.len() as u8]);
        ready.extend(value.as_bytes());
    }
    let header = [4, ready.len() as u8];
    for bytes in [&greeting[..], &header, &ready] {
        stream.write_all(bytes).await.expect("an open connection");
    }
    let read = stream.read_exact(&mut greeting).await;
    read.expect("a greeting");
    let command = read_command(&mut stream).await.expect("a command");
    assert!(command.starts_with(b"\x05READY"));
    stream
}

async fn send(stream: &mut TcpStream, frames: &[&str]) {
    let frames = frames.iter().map(|frame| Bytes::from(frame.to_string()));
    let sent = write_message(stream, &frames.collect()).await;
    sent.expect("an open connection");
}

async fn received(stream: &mut TcpStream) -> Frames {
    let message = read_message(stream, u64::MAX, |_| ()).await;
    message.expect("a message")
}

/// Whether the socket closes this connection.
async fn is_closed(mut stream: TcpStream) -> bool {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(PATIENCE / 2, stream.read_to_end(&mut bytes)).await;
    read.is_ok()
}

#[test]
fn a_router_answers_each_peer_by_itself() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Router).await;
        let mut one = connected(port, "DEALER").await;
        let mut other = connected(port, "DEALER").await;
        send(&mut one, &["a"]).await;
        send(&mut other, &["b"]).await;
        for _ in 0..2 {
            let mut message = receiver.recv().await.expect("a message");
            assert_eq!(message.len(), 2);
            message.push("answer".into());
            peers.send(message);
        }
        assert_eq!(received(&mut one).await, ["a", "answer"]);
        assert_eq!(received(&mut other).await, ["b", "answer"]);
        peers.send(vec!["gone".into(), "text".into()]);
    });
}

#[test]
fn a_heartbeat_comes_back() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Replier).await;
        let mut heart = connected(port, "REQ").await;
        // A REQ socket puts an empty frame before its message.
        send(&mut heart, &["", "ping"]).await;
        peers.send(receiver.recv().await.expect("a beat"));
        assert_eq!(received(&mut heart).await, ["", "ping"]);
    });
}

#[test]
fn a_ping_is_answered() {
    run(async {
        let (_peers, _receiver, port) = socket(Role::Router).await;
        let mut peer = connected(port, "DEALER").await;
        peer.write_all(b"\x04\x0a\x04PING\0\x0aabc")
            .await
            .expect("sent");
        let answer = read_command(&mut peer).await.expect("an answer");
        assert_eq!(answer, &b"\x04PONGabc"[..]);
    });
}

#[test]
fn a_subscriber_gets_what_it_subscribed_to() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Publisher).await;
        let mut subscriber = connected(port, "SUB").await;
        for change in ["\u{1}kernel.a", "\u{1}b", "\0b"] {
            send(&mut subscriber, &[change]).await;
            peers.subscribe(&receiver.recv().await.expect("a subscription or its end"));
        }
        for topic in ["b", "kernel.b", "kernel.a.b"] {
            peers.publish(&vec![topic.into()]);
        }
        assert_eq!(received(&mut subscriber).await, ["kernel.a.b"]);
    });
}

#[test]
fn a_subscriber_that_stops_reading_is_disconnected_alone() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Publisher).await;
        let mut asleep = connected(port, "SUB").await;
        send(&mut asleep, &["\u{1}"]).await;
        peers.subscribe(&receiver.recv().await.expect("a subscription"));
        let mut awake = connected(port, "SUB").await;
        send(&mut awake, &["\u{1}"]).await;
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
fn a_peer_that_announces_too_much_is_disconnected_alone() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Router).await;
        let mut good = connected(port, "DEALER").await;
        let mut huge = vec![2];
        huge.extend((1_u64 << 36).to_be_bytes());
        let many = [1, 0].repeat(2440);
        for bytes in [huge, many, b"GET / HTTP/1.1\r\n\r\n".to_vec()] {
            let mut bad = connected(port, "DEALER").await;
            bad.write_all(&bytes).await.expect("an open connection");
            assert!(is_closed(bad).await);
        }
        send(&mut good, &["text"]).await;
        assert_eq!(receiver.recv().await.expect("a message")[1], "text");
        assert_eq!(locked(&peers.connected).peers.len(), 1);
    });
}

#[test]
fn a_peer_that_connects_again_takes_its_own_place() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Router).await;
        let mut before = named(port, "DEALER", "me").await;
        send(&mut before, &["here"]).await;
        assert_eq!(receiver.recv().await.expect("a message")[0], "me");
        let mut after = named(port, "DEALER", "me").await;
        send(&mut after, &["here"]).await;
        peers.send(receiver.recv().await.expect("a message"));
        assert_eq!(received(&mut after).await, ["here"]);
        assert_eq!(locked(&peers.connected).peers.len(), 1);
    });
}

#[test]
fn connections_and_subscriptions_are_counted() {
    run(async {
        let (peers, mut receiver, port) = socket(Role::Publisher).await;
        let mut greedy = connected(port, "SUB").await;
        for _ in 0..=MOST_SUBSCRIPTIONS {
            send(&mut greedy, &["\u{1}"]).await;
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
