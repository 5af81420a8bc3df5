//! A front end with real sockets: it sends signed messages and queues incoming ones until a test
//! takes them.

mod channel;
mod zmtp;

pub use channel::{Channel, Message, signed};
use serde_json::{Value, json};
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
pub use zmtp::Connection;

const KEY: &str = "a key";
/// Time limit for a message, generous enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait for a message that may or may not come.
const MOMENT: Duration = Duration::from_millis(20);

/// The number of front ends so far, which gives each a unique name.
static CLIENTS: AtomicUsize = AtomicUsize::new(0);

/// A front end connected to a kernel.
pub struct Client {
    name: String,
    pub shell: Channel,
    pub control: Channel,
    pub stdin: Channel,
    pub iopub: Channel,
    asked: usize,
}

/// Writes a connection file, which tells the kernel where to listen and clients where to connect.
pub fn connection_file(folder: &Path) -> PathBuf {
    // Hold all ports at the same time, so that they are distinct.
    let listeners = [(); 5].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"));
    let [shell, control, stdin, iopub, heartbeat] =
        listeners.map(|listener| listener.local_addr().expect("an address").port());
    let connection = json!({
        "transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256", "key": KEY,
        "shell_port": shell, "control_port": control, "stdin_port": stdin, "iopub_port": iopub,
        "hb_port": heartbeat,
    });
    let file = folder.join("connection.json");
    fs::write(&file, connection.to_string()).expect("a file");
    file
}

impl Client {
    /// Connects to the kernel of a connection file, waiting until it listens.
    pub fn connect(connection_file: &Path) -> Client {
        let connection = fs::read(connection_file).expect("a connection file");
        let connection: Value = serde_json::from_slice(&connection).expect("JSON");
        let number = CLIENTS.fetch_add(1, Ordering::Relaxed);
        let name = format!("client-{number}");
        wait_for_kernel(&connection["hb_port"]);
        // The kernel addresses requests for input to the client's identity on the shell socket.
        let dealer = |port: &str| Channel::connect(&connection[port], "DEALER", &name);
        let iopub = Channel::connect(&connection["iopub_port"], "SUB", "");
        let mut client = Client {
            shell: dealer("shell_port"),
            control: dealer("control_port"),
            stdin: dealer("stdin_port"),
            iopub,
            name,
            asked: 0,
        };
        client.iopub.subscribe();
        client.wait_until_subscribed();
        client
    }

    /// Waits for the subscription to take effect: messages published before that are lost.
    fn wait_until_subscribed(&mut self) {
        loop {
            self.ask("kernel_info_request", json!({}));
            if self.iopub.receive_within(MOMENT).is_some() {
                let last = self.send("kernel_info_request", json!({}));
                self.reply(&last);
                self.published(&last);
                return self.iopub.forget_unread();
            }
        }
    }

    /// Sends a request on the shell; returns its id.
    pub fn send(&mut self, kind: &str, content: Value) -> String {
        let (id, frames) = self.frames(kind, content);
        self.shell.send(frames);
        id
    }

    /// Makes a new request: its id, and its signed frames.
    pub fn frames(&mut self, kind: &str, content: Value) -> (String, Vec<String>) {
        self.asked += 1;
        let id = format!("{}-{}", self.name, self.asked);
        let header = json!({
            "msg_id": id, "msg_type": kind, "session": self.name, "username": "u",
            "version": "5.4", "date": "2026-01-01T00:00:00Z",
        });
        let metadata = json!({ "cellId": format!("cell {}", self.asked) });
        let parts = [header, json!({}), metadata, content].map(|part| part.to_string());
        (id, signed(&parts))
    }

    /// The content of the reply on the shell.
    pub fn reply(&mut self, request: &str) -> Value {
        self.shell
            .wait_for(|message| message.is_of(request))
            .content
    }

    /// Sends a request on the shell; returns the content of its reply.
    pub fn ask(&mut self, kind: &str, content: Value) -> Value {
        let request = self.send(kind, content);
        self.reply(&request)
    }

    /// Sends a request on the control socket; returns the content of its reply.
    pub fn command(&mut self, kind: &str, content: Value) -> Value {
        let (request, frames) = self.frames(kind, content);
        self.control.send(frames);
        self.control
            .wait_for(|message| message.is_of(&request))
            .content
    }

    /// Everything the kernel publishes for a request, until it reports idle.
    pub fn published(&mut self, request: &str) -> Vec<Message> {
        let mut published = Vec::new();
        loop {
            let next = self.iopub.wait_for(|message| message.is_of(request));
            let is_last = next.content["execution_state"] == "idle";
            published.push(next);
            if is_last {
                return published;
            }
        }
    }

    /// Runs a cell; returns the reply, and its outputs with their kinds.
    pub fn execute(&mut self, code: &str) -> (Value, Vec<(String, Value)>) {
        let request = self.send("execute_request", json!({ "code": code }));
        self.executed(&request)
    }

    /// Like [`Client::execute`], for a cell that has already been sent.
    pub fn executed(&mut self, request: &str) -> (Value, Vec<(String, Value)>) {
        let reply = self.reply(request);
        let mut published = self.published(request);
        published.retain(|message| !["status", "execute_input"].contains(&message.kind()));
        let output = |message: Message| (message.kind().to_owned(), message.content);
        (reply, published.into_iter().map(output).collect())
    }
}

/// Waits until the kernel listens on its last port. A ZeroMQ socket would retry only after a
/// second.
fn wait_for_kernel(port: &Value) {
    let address = format!("127.0.0.1:{port}");
    let began = Instant::now();
    while TcpStream::connect(&address).is_err() {
        assert!(began.elapsed() < PATIENCE, "the kernel does not listen");
        thread::sleep(MOMENT / 10);
    }
}
