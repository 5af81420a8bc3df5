//! The life of a kernel, from its connection file to its end.

use crate::config::Config;
use crate::protocol::asked_to_end::asked_to_end;
use crate::protocol::comms::Comms;
use crate::protocol::connection::Connection;
use crate::protocol::executor::Executor;
use crate::protocol::message::Signer;
use crate::protocol::outbox::Outbox;
use crate::protocol::requests::{Requests, serve_answers};
use crate::protocol::sockets::{self, Router};
use crate::warm_up::WarmUp;
use crate::workspace::cell_workspace::CellWorkspace;
use anyhow::Result;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long the last messages have to leave before the process ends.
const LAST_MESSAGES: Duration = Duration::from_millis(100);

/// What serves a notebook.
pub struct Served {
    pub workspace: Result<CellWorkspace>,
    /// Of the workspace, or why there is none.
    pub warm_up: Result<WarmUp, String>,
    /// To the process that Jupyter has started, if it is another one.
    pub face: Option<UnixStream>,
}

/// Serves one notebook until Jupyter ends it, and leaves nothing behind; then only the
/// evaluator's threads are left. Calls `listening` when Jupyter can connect.
pub fn serve_notebook(
    config: &Config,
    connection: &Connection,
    served: Served,
    listening: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let Served {
        workspace,
        warm_up,
        face,
    } = served;
    let executor = runtime.block_on(async {
        let served = serve_sockets(config, connection, warm_up).await?;
        listening()?;
        served.until_the_end(face).await
    })?;
    runtime.shutdown_background(); // another kernel may need the ports
    // The evaluator may be at work for a cell that is no longer wanted, and write
    // into the folder while it is deleted.
    for _ in 0..20 {
        executor.end();
        match &workspace {
            Ok(workspace) if !workspace.delete() => std::thread::sleep(LAST_MESSAGES),
            _ => break,
        }
    }
    Ok(())
}

/// The sockets are served as long as the runtime is there.
struct Serving {
    executor: Arc<Executor>,
    /// A client has asked for the end.
    ended: UnboundedReceiver<()>,
}

async fn serve_sockets(
    config: &Config,
    connection: &Connection,
    warm_up: Result<WarmUp, String>,
) -> Result<Serving> {
    let signer = Arc::new(Signer::new(connection.key.as_bytes()));
    let address = |port| connection.address(port);
    let iopub = sockets::publish("iopub", address(connection.iopub_port)).await?;
    let stdin = sockets::route("stdin", address(connection.stdin_port)).await?;
    let shell = sockets::route("shell", address(connection.shell_port)).await?;
    let control = sockets::route("control", address(connection.control_port)).await?;
    sockets::echo("heartbeat", address(connection.hb_port)).await?;

    let config = Arc::new(config.clone());
    let outbox = Outbox::new(Arc::clone(&signer), iopub, stdin.sender.clone());
    outbox.starting();
    let executor = Executor::start(outbox.clone(), warm_up);
    let comms = Comms::new(outbox.clone(), Arc::clone(&executor));
    let (end, ended) = unbounded_channel();
    let serve = |name: &'static str, socket: Router| {
        let requests = Requests {
            config: Arc::clone(&config),
            signer: Arc::clone(&signer),
            outbox: outbox.clone(),
            executor: Arc::clone(&executor),
            comms: comms.clone(),
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
    /// Until somebody ends the kernel, by a message, by a signal, or by ending the process that
    /// Jupyter has started.
    async fn until_the_end(mut self, face: Option<UnixStream>) -> Result<Arc<Executor>> {
        let is_started_by_jupyter = face.is_none();
        tokio::select! {
            _ = self.ended.recv() => {}
            asked = asked_to_end(is_started_by_jupyter) => asked?,
            gone = gone(face) => return gone.map(|()| self.executor),
        }
        tokio::time::sleep(LAST_MESSAGES).await;
        Ok(self.executor)
    }
}

/// Until the other side has closed a stream; for ever, if there is none.
async fn gone(stream: Option<UnixStream>) -> Result<()> {
    let Some(stream) = stream else {
        return std::future::pending().await;
    };
    stream.set_nonblocking(true)?;
    let mut stream = tokio::net::UnixStream::from_std(stream)?;
    let _ = stream.read_u8().await; // nothing is said any more
    Ok(())
}
