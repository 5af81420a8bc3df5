use super::*;
use std::future::Future;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zeromq::{DealerSocket, ReqSocket, Socket, SocketRecv, SocketSend, SubSocket, ZmqMessage};

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

/// A client socket of the crate `zeromq`, an independent implementation.
async fn connected<S: Socket>(port: u16) -> S {
    let mut socket = S::new();
    let address = format!("tcp://127.0.0.1:{port}");
    socket.connect(&address).await.expect("a connection");
    socket
}

async fn received(socket: &mut impl SocketRecv) -> Vec<Bytes> {
    socket.recv().await.expect("a message").into_vec()
}

/// A raw connection after the handshake, on which a test can send any bytes.
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
        peers.send(vec!["gone".into(), "text".into()]);
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
fn a_subscriber_that_stops_reading_is_disconnected_alone() {
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
fn a_peer_that_announces_too_much_is_disconnected_alone() {
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
fn a_peer_that_connects_again_takes_its_own_place() {
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
