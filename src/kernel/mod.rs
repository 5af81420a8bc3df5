//! The kernel of one notebook: Jupyter's protocol around an evaluation.
//!
//! Requests come in on the sockets (`sockets`), are read and checked (`message`),
//! answered at once or queued (`requests`); queued cells run one after the other
//! (`executor`), and what they show goes out on the way (`outbox`).
//!
//! Source: <https://jupyter-client.readthedocs.io/en/stable/messaging.html>

mod completeness;
mod executor;
mod history;
mod message;
mod outbox;
mod requests;
mod sockets;

use crate::workspace::CellWorkspace;
use anyhow::{Context, Result};
use executor::Executor;
use message::Signer;
use outbox::Outbox;
use requests::Requests;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::unbounded_channel;

/// How long the last messages have to leave before the process ends.
const FAREWELL: Duration = Duration::from_millis(100);
/// How often the kernel looks whether the program that started it still lives.
const PARENT_CHECK: Duration = Duration::from_secs(1);

/// The file that Jupyter writes for a kernel that it starts.
#[derive(Deserialize)]
struct Connection {
    transport: String,
    ip: String,
    key: String,
    shell_port: u16,
    control_port: u16,
    stdin_port: u16,
    iopub_port: u16,
    hb_port: u16,
}

impl Connection {
    fn read(path: &Path) -> Result<Connection> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the connection file {}", path.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not a connection file", path.display()))
    }

    fn endpoint(&self, port: u16) -> String {
        format!("{}://{}:{port}", self.transport, self.ip)
    }
}

/// Serves one notebook until Jupyter ends it.
pub fn serve(connection_file: &Path) -> Result<()> {
    let connection = Connection::read(connection_file)?;
    // Sets environment variables: before there is any thread.
    let workspace = CellWorkspace::reserve();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let executor = runtime.block_on(serve_sockets(&connection, &workspace))?;
    // The evaluator may be at work for a cell that is no longer wanted, and write
    // into the folder while it is deleted.
    for _ in 0..20 {
        executor.end();
        match &workspace {
            Ok(workspace) if !workspace.delete() => std::thread::sleep(FAREWELL),
            _ => break,
        }
    }
    std::process::exit(0) // without waiting for the evaluator's threads
}

async fn serve_sockets(
    connection: &Connection,
    workspace: &Result<CellWorkspace>,
) -> Result<Arc<Executor>> {
    let signer = Arc::new(Signer::new(connection.key.as_bytes()));
    let endpoint = |port| connection.endpoint(port);
    let iopub = sockets::publish(&endpoint(connection.iopub_port)).await?;
    let stdin = sockets::route(&endpoint(connection.stdin_port)).await?;
    let shell = sockets::route(&endpoint(connection.shell_port)).await?;
    let control = sockets::route(&endpoint(connection.control_port)).await?;
    sockets::echo(&endpoint(connection.hb_port)).await?;

    // Without a workspace every cell says why there is none.
    let copy = match workspace {
        Ok(workspace) => Ok(workspace.copy()),
        Err(error) => Err(format!("{error:#}")),
    };
    let outbox = Outbox::new(Arc::clone(&signer), iopub, stdin.sender.clone());
    outbox.starting();
    let executor = Executor::start(outbox.clone(), copy);
    let (end, mut ended) = unbounded_channel();
    for (name, socket) in [("shell", shell), ("control", control)] {
        let requests = Requests {
            signer: Arc::clone(&signer),
            outbox: outbox.clone(),
            executor: Arc::clone(&executor),
            replies: socket.sender,
            end: end.clone(),
        };
        tokio::spawn(requests.serve(name, socket.receiver));
    }
    tokio::spawn(requests::serve_answers(
        signer,
        Arc::clone(&executor),
        stdin.receiver,
    ));
    tokio::spawn(watch_parent(end.clone()));
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    // Interrupts come as messages; a Ctrl-C in a terminal is for the front end.
    let _interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = ended.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    tokio::time::sleep(FAREWELL).await;
    Ok(executor)
}

/// Ends the kernel when the program that started it has ended without a word.
async fn watch_parent(end: tokio::sync::mpsc::UnboundedSender<()>) {
    let parent = rustix::process::getppid();
    if std::env::var_os("JPY_PARENT_PID").is_none() {
        return;
    }
    while rustix::process::getppid() == parent {
        tokio::time::sleep(PARENT_CHECK).await;
    }
    let _ = end.send(()); // the kernel is ending already
}
