//! Requests on the shell and control sockets: answered at once or queued for the executor.

use crate::comms::Comms;
use crate::debugger::Debugger;
use crate::executor::{Executor, Job};
use crate::fields;
use crate::kernel::Kernel;
use crate::live_cells;
use crate::message::{Message, PROTOCOL, Signer};
use crate::outbox::Outbox;
use crate::questions::{Questions, is_question};
use crate::tell::tell;
use crate::zmtp::Frames;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::{self, Receiver, UnboundedSender};

/// Capacity of the queue of questions about code; when it is full, the socket blocks.
const MOST_QUESTIONS: usize = 16;
/// A message's kind is cut to this many characters in the log.
const LONGEST_KIND: usize = 50;

/// Everything needed to serve one socket.
pub struct Requests {
    /// The content of the reply to a `kernel_info_request`.
    pub info: Arc<Value>,
    pub questions: Arc<Questions>,
    pub signer: Arc<Signer>,
    pub outbox: Outbox,
    pub executor: Arc<Executor>,
    pub comms: Comms,
    pub debugger: Arc<Debugger>,
    pub replies: UnboundedSender<Frames>,
    /// A message on this channel ends the kernel.
    pub end: UnboundedSender<()>,
}

impl Requests {
    pub async fn serve(self, socket: &'static str, mut incoming: Receiver<Frames>) {
        let requests = Arc::new(self);
        let (questions, asked) = mpsc::channel(MOST_QUESTIONS);
        tokio::spawn(Arc::clone(&requests).answer_questions(socket, asked));
        while let Some(frames) = incoming.recv().await {
            match requests.signer.read(&frames) {
                Ok(question) if is_question(&question) => {
                    let _ = questions.send(question).await; // fails only if the kernel is ending
                }
                Ok(request) => log(socket, requests.handle(request).await),
                Err(reason) => log(socket, Err(reason.to_string())),
            }
        }
    }

    /// Answers questions about code one by one, without holding up the socket.
    async fn answer_questions(self: Arc<Self>, socket: &'static str, mut asked: Receiver<Message>) {
        while let Some(question) = asked.recv().await {
            log(socket, self.handle(question).await);
        }
    }

    /// Answers a request; the error says why it cannot be answered.
    async fn handle(&self, request: Message) -> Result<(), String> {
        let is_request = request.kind().ends_with("_request");
        if !is_request && !request.kind().starts_with("comm_") {
            return Err(unexpected(&request));
        }
        let checked = fields::check(&request);
        if !is_request {
            return self.handle_comm(&request, checked);
        }
        if checked.is_ok()
            && let Some(data) = live_cells::read(&request)
        {
            let kernel = (self.outbox.clone(), Arc::clone(&self.executor));
            return live_cells::run(request, &data, kernel, self.replies.clone());
        }
        let is_queued = match request.kind() {
            "execute_request" => true,
            "debug_request" => self.debugger.must_look(&request),
            _ => false,
        };
        if is_queued && checked.is_ok() {
            let replies = self.replies.clone();
            self.executor.add(Job { request, replies });
            return Ok(());
        }
        self.outbox.busy(&request.header);
        let is_well_formed = checked.is_ok();
        let reply = match checked {
            Ok(()) => self.answer(&request).await,
            Err(fault) => error("MalformedRequest", &fault),
        };
        self.outbox.reply(&self.replies, &request, &reply);
        self.outbox.idle(&request.header);
        if request.kind() == "shutdown_request" && is_well_formed {
            let _ = self.end.send(()); // fails only if the kernel is already shutting down
        }
        Ok(())
    }

    /// Handles a message of a comm; the error says why it cannot be handled.
    fn handle_comm(&self, request: &Message, checked: Result<(), String>) -> Result<(), String> {
        self.outbox.busy(&request.header);
        let (outbox, header) = (self.outbox.clone(), request.header.clone());
        let idle = move || outbox.idle(&header);
        if let Err(fault) = checked {
            self.comms.refuse(request, &fault);
            idle();
            return Err(fault);
        }
        if request.kind() == "comm_msg" {
            return self.comms.hear(request, idle); // idle once it is answered
        }
        let handled = match request.kind() {
            "comm_open" => self.comms.open(request),
            _ => {
                self.comms.closed(request);
                Ok(())
            }
        };
        idle();
        handled
    }

    /// The content of the reply to a well-formed request.
    async fn answer(&self, request: &Message) -> Value {
        match request.kind() {
            "kernel_info_request" => (*self.info).clone(),
            "history_request" => self.executor.history(request),
            "comm_info_request" => self.comms.info(request),
            "debug_request" => self.debugger.answer(request),
            "interrupt_request" => {
                self.executor.interrupt();
                json!({ "status": "ok" })
            }
            "shutdown_request" => {
                let restart = request.flag("restart", false);
                json!({ "status": "ok", "restart": restart })
            }
            _ if is_question(request) => self.questions.answer(request).await,
            kind => error(
                "UnknownRequest",
                &format!("this kernel does not know {kind}"),
            ),
        }
    }
}

fn log(socket: &str, handled: Result<(), String>) {
    if let Err(reason) = handled {
        tell(format_args!(
            "dropped a message on the {socket} socket: {reason}"
        ));
    }
}

/// Passes answers from the stdin socket to the cell that asked for input.
pub async fn serve_answers(
    signer: Arc<Signer>,
    executor: Arc<Executor>,
    mut incoming: Receiver<Frames>,
) {
    while let Some(frames) = incoming.recv().await {
        let answer = match signer.read(&frames) {
            Ok(reply) if reply.kind() == "input_reply" => fields::check(&reply).map(|()| reply),
            Ok(other) => Err(unexpected(&other)),
            Err(reason) => Err(reason.to_string()),
        };
        match answer {
            Ok(reply) => executor.input.answer(reply.text("value")),
            Err(reason) => log("stdin", Err(reason)),
        }
    }
}

/// The reason for rejecting a message that does not belong on this socket.
fn unexpected(message: &Message) -> String {
    let kind: String = message.kind().chars().take(LONGEST_KIND).collect();
    format!("it is of the kind {kind:?}")
}

/// The content of the reply to a request that cannot be answered.
fn error(kind: &str, message: &str) -> Value {
    json!({ "status": "error", "ename": kind, "evalue": message, "traceback": [] })
}

/// The content of the reply to a `kernel_info_request`.
pub fn info(kernel: &Kernel) -> Value {
    json!({
        "status": "ok",
        "protocol_version": PROTOCOL,
        "implementation": kernel.program,
        "implementation_version": kernel.version,
        "banner": kernel.banner,
        "language_info": kernel.language_info,
        "debugger": true,
        "help_links": [],
    })
}
