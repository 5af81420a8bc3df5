//! The part of ZeroMQ's wire protocol that a kernel needs: the listening side of version 3.0, with
//! the NULL mechanism (Jupyter signs its messages itself).
//!
//! Any program on this machine can connect to a port, and a signature cannot be checked before the
//! whole message has arrived. So no size that a peer announces is trusted (`frames`), a peer has
//! limited time for the handshake (`handshake`), and one that stops reading does not hold up the
//! others (`peer`, `peers`).
//!
//! Version 0.6 of the crate `zeromq` does none of this: it recurses once per frame, allocates as
//! many bytes as a header announces, and makes all peers wait for the slowest one.
//!
//! Source: <https://rfc.zeromq.org/spec/23/>

mod frames;
mod handshake;
mod listener;
mod peer;
mod peers;

pub use frames::Frames;
pub use handshake::Role;
pub use listener::Listener;
pub use peers::Peers;
