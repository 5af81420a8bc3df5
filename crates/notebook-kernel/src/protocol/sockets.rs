//! The five sockets of a kernel, each served by tasks of its own.

use anyhow::{Context, Result};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeromq::{PubSocket, RepSocket, RouterSocket, Socket, SocketRecv, SocketSend, ZmqMessage};

/// A socket on which several clients ask and are answered.
pub struct Router {
    pub sender: UnboundedSender<ZmqMessage>,
    pub receiver: UnboundedReceiver<ZmqMessage>,
}

pub async fn route(endpoint: &str) -> Result<Router> {
    let mut socket = RouterSocket::new();
    socket
        .bind(endpoint)
        .await
        .with_context(|| cannot_bind(endpoint))?;
    let (mut out, mut input) = socket.split();
    let (sender, mut to_send) = unbounded_channel();
    let (received, receiver) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(message) = to_send.recv().await {
            let _ = out.send(message).await; // the client has gone
        }
    });
    tokio::spawn(async move {
        loop {
            match input.recv().await {
                Ok(message) => {
                    if received.send(message).is_err() {
                        return;
                    }
                }
                // Nobody is connected, or somebody does not speak ZeroMQ.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
            }
        }
    });
    Ok(Router { sender, receiver })
}

/// The socket on which everybody hears what happens.
pub async fn publish(endpoint: &str) -> Result<UnboundedSender<ZmqMessage>> {
    let mut socket = PubSocket::new();
    socket
        .bind(endpoint)
        .await
        .with_context(|| cannot_bind(endpoint))?;
    let (sender, mut to_send) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(message) = to_send.recv().await {
            let _ = socket.send(message).await; // nobody listens
        }
    });
    Ok(sender)
}

/// The heartbeat: whatever comes goes back.
pub async fn echo(endpoint: &str) -> Result<()> {
    let mut socket = RepSocket::new();
    socket
        .bind(endpoint)
        .await
        .with_context(|| cannot_bind(endpoint))?;
    tokio::spawn(async move {
        loop {
            match socket.recv().await {
                Ok(message) => {
                    let _ = socket.send(message).await; // the client has gone
                }
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
            }
        }
    });
    Ok(())
}

fn cannot_bind(endpoint: &str) -> String {
    format!("cannot listen at {endpoint}")
}
