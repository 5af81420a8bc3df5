//! The lifetime of a kernel, from reading its connection file to shutting down.

use crate::asked_to_end::asked_to_end;
use crate::comms::Comms;
use crate::connection::Connection;
use crate::debugger::Debugger;
use crate::executor::Executor;
use crate::kernel::Kernel;
use crate::live::registry::PictureRegistry;
use crate::message::Signer;
use crate::outbox::Outbox;
use crate::questions::Questions;
use crate::requests::{self, Requests, serve_answers};
use crate::sockets::{self, Router};
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long to wait for the last messages to be sent before the process ends.
const LAST_MESSAGES: Duration = Duration::from_millis(100);

/// Serves one notebook until Jupyter ends the kernel, then shuts the evaluator down. The
/// evaluator's thread may still be running, so the caller should exit the process.
///
/// # Errors
///
/// If the connection file cannot be read, or a socket cannot be opened. An evaluator that does not
/// start is not an error here: every cell reports it.
pub fn serve(kernel: Kernel, connection_file: &Path) -> Result<()> {
    let connection = Connection::read(connection_file)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let executor = runtime.block_on(async {
        let served = serve_sockets(kernel, &connection).await?;
        served.until_the_end().await
    })?;
    runtime.shutdown_background(); // another kernel may need the ports
    if let Some(remote) = executor.remote() {
        remote.shut_down();
    }
    Ok(())
}

/// A running kernel. Its sockets are served for as long as the runtime exists.
struct Serving {
    executor: Arc<Executor>,
    /// Receives a message when a client asks the kernel to shut down.
    ended: UnboundedReceiver<()>,
}

async fn serve_sockets(kernel: Kernel, connection: &Connection) -> Result<Serving> {
    let signer = Arc::new(Signer::new(connection.key.as_bytes()));
    let address = |port| connection.address(port);
    let iopub = sockets::publish("iopub", address(connection.iopub_port)).await?;
    let stdin = sockets::route("stdin", address(connection.stdin_port)).await?;
    let shell = sockets::route("shell", address(connection.shell_port)).await?;
    let control = sockets::route("control", address(connection.control_port)).await?;
    sockets::echo("heartbeat", address(connection.hb_port)).await?;

    let info = Arc::new(requests::info(&kernel));
    let live = kernel
        .live
        .as_deref()
        .map(PictureRegistry::open)
        .transpose();
    let live = live.context("cannot open the socket for live pictures")?;
    let outbox = Outbox::new(Arc::clone(&signer), iopub, stdin.sender.clone());
    outbox.starting();
    let executor = Executor::start(outbox.clone(), kernel.start, live);
    let comms = Comms::new(outbox.clone(), Arc::clone(&executor));
    let debugger = Arc::new(Debugger::new(Arc::clone(&executor)));
    let questions = Arc::new(Questions {
        executor: Arc::clone(&executor),
        preferred: kernel.preferred,
    });
    let (end, ended) = unbounded_channel();
    let serve = |name: &'static str, socket: Router| {
        let requests = Requests {
            info: Arc::clone(&info),
            questions: Arc::clone(&questions),
            signer: Arc::clone(&signer),
            outbox: outbox.clone(),
            executor: Arc::clone(&executor),
            comms: comms.clone(),
            debugger: Arc::clone(&debugger),
            replies: socket.sender,
            end: end.clone(),
        };
        tokio::spawn(requests.serve(name, socket.receiver));
    };
    serve("shell", shell);
    serve("control", control);
    let answers = serve_answers(signer.clone(), Arc::clone(&executor), stdin.receiver);
    tokio::spawn(answers);
    Ok(Serving { executor, ended })
}

impl Serving {
    /// Waits until a message or a signal ends the kernel.
    async fn until_the_end(mut self) -> Result<Arc<Executor>> {
        tokio::select! {
            _ = self.ended.recv() => {}
            asked = asked_to_end() => asked?,
        }
        tokio::time::sleep(LAST_MESSAGES).await;
        Ok(self.executor)
    }
}
