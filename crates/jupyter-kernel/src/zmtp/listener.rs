//! Where peers connect: a TCP port on this machine, or a Unix socket.

use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};

/// A place where peers connect.
pub enum Listener {
    /// A port.
    Port(TcpListener),
    /// A Unix domain socket.
    File(UnixListener),
}

/// A connection with a peer.
pub trait PeerStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> PeerStream for S {}

impl Listener {
    pub async fn at_port(host: &str, port: u16) -> Result<Listener> {
        TcpListener::bind((host, port)).await.map(Listener::Port)
    }

    /// Listens on a Unix socket. Replaces one that an earlier kernel left there, but nothing else.
    pub fn at_file(path: &Path) -> Result<Listener> {
        match path.symlink_metadata() {
            Ok(old) if old.file_type().is_socket() => std::fs::remove_file(path)?,
            Ok(_) => return Err(Error::from(ErrorKind::AlreadyExists)),
            Err(_) => {} // binding reports any problem
        }
        UnixListener::bind(path).map(Listener::File)
    }

    /// Waits for the next peer.
    pub async fn accept(&self) -> Result<Box<dyn PeerStream>> {
        match self {
            Listener::Port(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            Listener::File(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok(Box::new(stream))
            }
        }
    }
}
