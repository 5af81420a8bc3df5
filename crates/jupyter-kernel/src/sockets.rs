//! The five sockets of a kernel, each served by its own tasks.

use crate::zmtp::{Frames, Peers, Role};
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

/// Number of attempts to open a port that is in use, and the delay between them: a kernel that
/// was just killed may still hold the port.
const TRIES: u32 = 40;
const AGAIN: Duration = Duration::from_millis(50);

/// A host and a port.
pub type Address<'a> = (&'a str, u16);

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

async fn listen(name: &str, address: Address<'_>) -> Result<TcpListener> {
    let (host, port) = address;
    let host = if host == "*" { "0.0.0.0" } else { host };
    let mut listener = TcpListener::bind((host, port)).await;
    for _ in 0..TRIES {
        match &listener {
            Err(error) if error.kind() == ErrorKind::AddrInUse => sleep(AGAIN).await,
            _ => break,
        }
        listener = TcpListener::bind((host, port)).await;
    }
    listener.with_context(|| format!("cannot listen on {host}:{port} for the {name} socket"))
}
