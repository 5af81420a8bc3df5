//! The five sockets of a kernel, each served by its own tasks.

use crate::zmtp::{Frames, Listener, Peers, Role};
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

/// Number of attempts to open a port that is in use, and the delay between them: a kernel that
/// was just killed may still hold the port.
const TRIES: u32 = 40;
const AGAIN: Duration = Duration::from_millis(50);

/// Where a socket can be reached.
pub enum Address<'a> {
    /// A host and a port.
    Port(&'a str, u16),
    /// A Unix socket.
    File(PathBuf),
}

/// A socket that receives messages from several clients and can reply to each.
pub struct Router {
    /// Outgoing messages; the first frame is the client's identity.
    pub sender: UnboundedSender<Frames>,
    /// Incoming messages; the first frame is the client's identity.
    pub receiver: Receiver<Frames>,
}

pub async fn route(name: &'static str, address: Address<'_>) -> Result<Router> {
    let listener = listen(name, address).await?;
    let (peers, receiver) = Peers::accept(name, Role::Router, listener);
    let (sender, mut to_send) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(message) = to_send.recv().await {
            peers.send(message);
        }
    });
    Ok(Router { sender, receiver })
}

/// Opens a socket that broadcasts to all clients.
pub async fn publish(name: &'static str, address: Address<'_>) -> Result<UnboundedSender<Frames>> {
    let listener = listen(name, address).await?;
    let (peers, mut incoming) = Peers::accept(name, Role::Publisher, listener);
    let (sender, mut to_send) = unbounded_channel();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                Some(message) = incoming.recv() => peers.subscribe(&message),
                Some(message) = to_send.recv() => peers.publish(&message),
                else => return,
            }
        }
    });
    Ok(sender)
}

/// Opens the heartbeat socket, which echoes every message.
pub async fn echo(name: &'static str, address: Address<'_>) -> Result<()> {
    let listener = listen(name, address).await?;
    let (peers, mut incoming) = Peers::accept(name, Role::Replier, listener);
    tokio::spawn(async move {
        while let Some(message) = incoming.recv().await {
            peers.send(message);
        }
    });
    Ok(())
}

async fn listen(name: &str, address: Address<'_>) -> Result<Listener> {
    let (host, port) = match address {
        Address::Port("*", port) => ("0.0.0.0", port),
        Address::Port(host, port) => (host, port),
        Address::File(path) => {
            let failed = || format!("cannot listen at {} for the {name} socket", path.display());
            return Listener::at_file(&path).with_context(failed);
        }
    };
    let mut listener = Listener::at_port(host, port).await;
    for _ in 0..TRIES {
        match &listener {
            Err(error) if error.kind() == ErrorKind::AddrInUse => sleep(AGAIN).await,
            _ => break,
        }
        listener = Listener::at_port(host, port).await;
    }
    listener.with_context(|| format!("cannot listen on {host}:{port} for the {name} socket"))
}
