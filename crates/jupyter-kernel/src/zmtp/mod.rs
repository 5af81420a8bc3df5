//! ZeroMQ's protocol on the wire, as far as a kernel needs it: the side that listens, version
//! 3.0, with the mechanism NULL (Jupyter signs its messages itself).
//!
//! Any program on this machine can connect, and nothing is signed before a whole
//! message has arrived. So whatever a peer says about sizes is checked before it is believed
//! (`frames`), a peer has a time in which to introduce itself (`handshake`), and one that
//! stops reading keeps no other one waiting (`peer`, `peers`).
//!
//! The crate `zeromq` cannot do this (0.6): it calls itself once for every frame, reserves as
//! many bytes as a header announces, and lets all peers wait for the slowest one.
//!
//! Source: <https://rfc.zeromq.org/spec/23/>

mod frames;
mod handshake;
mod peer;
mod peers;

pub use frames::Frames;
pub use handshake::Role;
pub use peers::Peers;
