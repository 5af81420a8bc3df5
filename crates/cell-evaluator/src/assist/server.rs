//! A running language server: passes on questions, and returns answers or gives up at a deadline.

use super::framing;
use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The cell's file in the server's folder.
pub const FILE: &str = "lib.rs";

pub const COMPLETION: &str = "textDocument/completion";
pub const HOVER: &str = "textDocument/hover";

/// The server's niceness: running cells matter more than completions.
const NICE: i32 = 5;

/// How to start a server, and when it ends.
#[derive(Clone, Debug)]
pub struct ServerStart {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Its working folder.
    pub folder: PathBuf,
    /// Its initialization options.
    pub options: Value,
    /// Idle time after which it ends.
    pub idle: Duration,
}

/// The result of a question.
#[derive(Debug, PartialEq)]
pub enum Reply {
    Answer(Value),
    /// The text has changed in the meantime, or the server has no result.
    Refused,
    Late,
    Gone,
}

/// A server and its one open file.
pub struct Server {
    /// Leads to the writer thread, so that a server that does not read blocks nothing else.
    messages: Sender<Value>,
    answers: Receiver<Value>,
    /// Tells the thread that ends idle servers about each question; dropping it ends the process.
    asked: Sender<()>,
    rested: Arc<AtomicBool>,
    ready: Arc<AtomicBool>,
    uri: String,
    /// The number of the last question, which is also the version of the file's text.
    number: i64,
    /// The method, text and position of the last question, until it is answered.
    unanswered: Option<(&'static str, String, Value)>,
    /// When the server fell silent, if a question is unanswered.
    silent: Option<Instant>,
}

/// The number of the warm-up question, which is asked first because answering it takes a long time.
const WARM_UP: i64 = 1;

impl Server {
    /// Starts a server without waiting for it. `text` is the file's initial content, and `position`
    /// a place in it with many completions.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub fn start(start: &ServerStart, text: &str, position: &Value) -> io::Result<Server> {
        let mut child = Command::new(&start.program)
            .args(&start.arguments)
            .current_dir(&start.folder)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let group = Pid::from_child(&child);
        let _ = setpriority_process(Some(group), NICE); // it may have exited
        let (messages, to_write) = channel::<Value>();
        let (to_ask, answers) = channel();
        let (asked, questions) = channel();
        let [ready, rested] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let uri = uri(&start.folder.join(FILE));
        if let Some(mut input) = child.stdin.take() {
            thread::spawn(move || {
                let written = |message| framing::write(&mut input, &message).is_ok();
                to_write.into_iter().all(written)
            });
        }
        if let Some(output) = child.stdout.take() {
            let warm_up = request(WARM_UP, COMPLETION, &at(&uri, position));
            let (messages, ready) = (messages.clone(), Arc::clone(&ready));
            thread::spawn(move || read(output, warm_up, &messages, &ready, &to_ask));
        }
        let (idle, rests) = (start.idle, Arc::clone(&rested));
        thread::spawn(move || end_when_idle(child, group, &questions, idle, &rests));
        let document =
            json!({ "uri": uri, "languageId": "rust", "version": WARM_UP, "text": text });
        let server = Server {
            messages,
            answers,
            asked,
            rested,
            ready,
            uri,
            number: WARM_UP,
            unanswered: None,
            silent: Some(Instant::now()),
        };
        server.send(request(0, "initialize", &initialize(&start.options)));
        server.send(notice("initialized", &json!({})));
        server.send(notice(
            "textDocument/didOpen",
            &json!({ "textDocument": document }),
        ));
        Ok(server)
    }

    /// Whether it has loaded its project and answered the slow first question.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::SeqCst)
    }

    /// Whether it ended because it was idle.
    pub fn has_rested(&self) -> bool {
        self.rested.load(Ordering::SeqCst)
    }

    /// How long it has left questions unanswered.
    pub fn silence(&self) -> Duration {
        self.silent.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Asks about a place in `text`, waiting until `deadline` at most. If the last question was the
    /// same and is still unanswered, it is not sent again: the server would start over, and a slow
    /// one would never answer.
    pub fn ask(
        &mut self,
        method: &'static str,
        text: &str,
        position: Value,
        deadline: Instant,
    ) -> Reply {
        let _ = self.asked.send(()); // if it has exited, that is noticed below
        if self.number == WARM_UP {
            self.silent = None; // it has loaded its project
        }
        if !self.owes(method, text, &position) {
            self.number += 1;
            let document = json!({ "uri": self.uri, "version": self.number });
            let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
            self.send(notice("textDocument/didChange", &change));
            self.send(request(self.number, method, &at(&self.uri, &position)));
            self.unanswered = Some((method, text.to_owned(), position));
            self.silent.get_or_insert_with(Instant::now);
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left) {
                Ok(answer) => {
                    self.silent = None;
                    if answer["id"] == self.number {
                        self.unanswered = None;
                        let result = answer.get("result").cloned();
                        return result.map_or(Reply::Refused, Reply::Answer);
                    }
                    // A late answer to an earlier question.
                    self.silent = Some(Instant::now());
                }
                Err(RecvTimeoutError::Timeout) => return Reply::Late,
                Err(RecvTimeoutError::Disconnected) => return Reply::Gone,
            }
        }
    }

    /// Whether this was the last question and is still unanswered.
    pub fn owes(&self, method: &str, text: &str, position: &Value) -> bool {
        let last = self.unanswered.as_ref();
        last.is_some_and(|(of, about, at)| (*of, about.as_str(), at) == (method, text, position))
    }

    /// Returns [`Reply::Gone`] if a server that is not ready yet has exited, else [`Reply::Late`].
    pub fn state(&self) -> Reply {
        let _ = self.asked.send(()); // if it has exited, that is noticed here
        match self.answers.try_recv() {
            Err(TryRecvError::Disconnected) => Reply::Gone,
            _ => Reply::Late,
        }
    }

    fn send(&self, message: Value) {
        let _ = self.messages.send(message); // if it has exited, no answer comes
    }
}

fn at(uri: &str, position: &Value) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position })
}

fn request(number: i64, method: &str, parameters: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": parameters })
}

fn notice(method: &str, parameters: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": parameters })
}

/// Reads the server's messages until it exits or sends something unreadable.
fn read(
    output: ChildStdout,
    warm_up: Value,
    messages: &Sender<Value>,
    ready: &AtomicBool,
    answers: &Sender<Value>,
) {
    let mut output = BufReader::new(output);
    let mut warm_up = Some(warm_up);
    while let Ok(Some(message)) = framing::read(&mut output) {
        let is_gone = match (message.get("method"), message.get("id")) {
            // It asks for settings or registers something; an empty reply will do.
            (Some(_), Some(id)) => {
                let reply = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                messages.send(reply).is_err()
            }
            (Some(method), None) => {
                let is_status = method == "experimental/serverStatus";
                let is_loaded = is_status && message["params"]["quiescent"] == true;
                let first = warm_up.take_if(|_| is_loaded);
                first.is_some_and(|first| messages.send(first).is_err())
            }
            (None, Some(id)) if *id == 0 => false,
            (None, Some(id)) if *id == WARM_UP => {
                ready.store(true, Ordering::SeqCst);
                false
            }
            _ => answers.send(message).is_err(),
        };
        if is_gone {
            break;
        }
    }
}

/// Waits until the process is no longer needed, and kills it.
fn end_when_idle(
    mut child: Child,
    group: Pid,
    questions: &Receiver<()>,
    idle: Duration,
    rested: &AtomicBool,
) {
    let ended = loop {
        if let Err(error) = questions.recv_timeout(idle) {
            break error;
        }
    };
    rested.store(ended == RecvTimeoutError::Timeout, Ordering::SeqCst);
    let _ = kill_process_group(group, Signal::KILL); // it may have exited by itself
    let _ = child.wait();
}

fn uri(path: &std::path::Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// This client's capabilities: positions in bytes, snippets for argument names, no documentation in
/// completion lists.
fn initialize(options: &Value) -> Value {
    json!({
        "processId": std::process::id(),
        "rootUri": null,
        "initializationOptions": options,
        "capabilities": {
            "general": { "positionEncodings": ["utf-8"] },
            "experimental": { "serverStatusNotification": true },
            "textDocument": {
                "completion": { "completionItem": {
                    "snippetSupport": true,
                    "resolveSupport": { "properties": ["documentation", "detail", "additionalTextEdits"] },
                } },
                "hover": { "contentFormat": ["markdown"] },
            },
        },
    })
}
