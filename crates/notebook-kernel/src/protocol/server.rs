//! The life of a kernel, from its connection file to its end.

use crate::config::Config;
use crate::protocol::connection::Connection;
use crate::protocol::executor::Executor;
use crate::protocol::message::Signer;
use crate::protocol::outbox::Outbox;
use crate::protocol::requests::{Requests, serve_answers};
use crate::protocol::sockets::{self, Router};
use crate::workspace::cell_workspace::CellWorkspace;
use crate::workspace::environment::SingleThread;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// How long the last messages have to leave before the process ends.
const LAST_MESSAGES: Duration = Duration::from_millis(100);
/// How often the kernel looks whether the program that started it still lives.
const PARENT_CHECK: Duration = Duration::from_secs(1);

/// Serves one notebook until Jupyter ends it; then the process ends.
///
/// # Errors
///
/// If the connection file cannot be read, or a socket of it cannot be had. Where there is no
/// workspace for cells, every cell says why.
pub fn serve(config: &Config, thread: SingleThread, connection_file: &Path) -> Result<()> {
    let connection = Connection::read(connection_file)?;
    let workspace = CellWorkspace::reserve(config, thread);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let executor = runtime.block_on(serve_sockets(config, &connection, &workspace))?;
    // The evaluator may be at work for a cell that is no longer wanted, and write
    // into the folder while it is deleted.
    for _ in 0..20 {
        executor.end();
        match &workspace {
            Ok(workspace) if !workspace.delete() => std::thread::sleep(LAST_MESSAGES),
            _ => break,
        }
    }
    std::process::exit(0) // without waiting for the evaluator's threads
}

/// Serves one notebook with evcxr's own kernel, in a workspace of its own. The kernel reads
/// its connection file's name from the arguments of the program: `--control_file FILE`.
///
/// # Errors
///
/// If there is no workspace for cells, or evcxr's kernel fails.
pub fn serve_with_evcxr(config: &Config, thread: SingleThread) -> Result<()> {
    let workspace = CellWorkspace::open(config, thread)?;
    evcxr_jupyter::main()?;
    drop(workspace);
    Ok(())
}

async fn serve_sockets(
    config: &Config,
    connection: &Connection,
    workspace: &Result<CellWorkspace>,
) -> Result<Arc<Executor>> {
    let signer = Arc::new(Signer::new(connection.key.as_bytes()));
    let address = |port| connection.address(port);
    let iopub = sockets::publish("iopub", address(connection.iopub_port)).await?;
    let stdin = sockets::route("stdin", address(connection.stdin_port)).await?;
    let shell = sockets::route("shell", address(connection.shell_port)).await?;
    let control = sockets::route("control", address(connection.control_port)).await?;
    sockets::echo("heartbeat", address(connection.hb_port)).await?;

    // Without a workspace every cell says why there is none.
    let copy = match workspace {
        Ok(workspace) => Ok(workspace.copy(config)),
        Err(error) => Err(format!("{error:#}")),
    };
    let config = Arc::new(config.clone());
    let outbox = Outbox::new(Arc::clone(&signer), iopub, stdin.sender.clone());
    outbox.starting();
    let executor = Executor::start(Arc::clone(&config), outbox.clone(), copy);
    let (end, ended) = unbounded_channel();
    let serve = |name: &'static str, socket: Router| {
        let requests = Requests {
            config: Arc::clone(&config),
            signer: Arc::clone(&signer),
            outbox: outbox.clone(),
            executor: Arc::clone(&executor),
            replies: socket.sender,
            end: end.clone(),
        };
        tokio::spawn(requests.serve(name, socket.receiver));
    };
    serve("shell", shell);
    serve("control", control);
    let answers = serve_answers(signer.clone(), Arc::clone(&executor), stdin.receiver);
    tokio::spawn(answers);
    tokio::spawn(watch_parent(end.clone()));
    wait_for_the_end(ended).await?;
    Ok(executor)
}

/// Until somebody ends the kernel, by a message or a signal.
async fn wait_for_the_end(mut ended: tokio::sync::mpsc::UnboundedReceiver<()>) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    // Interrupts come as messages; a Ctrl-C in a terminal is for the front end.
    let _interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = ended.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    tokio::time::sleep(LAST_MESSAGES).await;
    Ok(())
}

/// Ends the kernel when the program that started it has ended without a word.
async fn watch_parent(end: UnboundedSender<()>) {
    let parent = rustix::process::getppid();
    if std::env::var_os("JPY_PARENT_PID").is_none() {
        return;
    }
    while rustix::process::getppid() == parent {
        tokio::time::sleep(PARENT_CHECK).await;
    }
    let _ = end.send(()); // the kernel is ending already
}
