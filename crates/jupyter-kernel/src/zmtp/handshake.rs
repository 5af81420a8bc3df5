//! The handshake: each peer sends a greeting, then a READY command with its properties.

use crate::zmtp::frames::{Disconnect, read_command, write_command};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Length of a greeting in bytes.
const GREETING: usize = 64;
/// Positions of the version and the mechanism in a greeting.
const VERSION: usize = 10;
const MECHANISM: std::ops::Range<usize> = 12..32;
/// The mechanism without encryption or password.
const NULL: &[u8] = b"NULL";
/// Maximum length of the identity that a peer may choose.
const LONGEST_IDENTITY: usize = 255;

/// The role of a socket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// Receives messages, and can reply to each peer individually.
    Router,
    /// Sends to all subscribers.
    Publisher,
    /// Answers every message.
    Replier,
}

impl Role {
    fn socket_type(self) -> &'static str {
        match self {
            Role::Router => "ROUTER",
            Role::Publisher => "PUB",
            Role::Replier => "REP",
        }
    }

    /// The socket types that may connect.
    fn partners(self) -> &'static [&'static str] {
        match self {
            Role::Router => &["DEALER", "REQ", "ROUTER"],
            Role::Publisher => &["SUB", "XSUB"],
            Role::Replier => &["REQ", "DEALER"],
        }
    }
}

/// Performs the handshake with a peer that has connected; returns the identity that the peer asks
/// for, which may be empty.
pub async fn shake_hands(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    role: Role,
) -> Result<Bytes, Disconnect> {
    let mut ours = [0; GREETING];
    ours[0] = 0xff;
    ours[9] = 0x7f;
    ours[VERSION] = 3;
    ours[MECHANISM][..NULL.len()].copy_from_slice(NULL);
    stream.write_all(&ours).await?;
    let mut theirs = [0; GREETING];
    stream.read_exact(&mut theirs).await?;
    check_greeting(&theirs)?;
    write_command(stream, &ready(role.socket_type())).await?;
    let command = read_command(stream).await?;
    let Some(properties) = properties(&command) else {
        return Err(Disconnect::Refused(
            "it does not introduce itself".to_owned(),
        ));
    };
    let property = |name: &str| {
        let found = properties
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name.as_bytes()));
        found.map_or(Bytes::new(), |(_, value)| Bytes::copy_from_slice(value))
    };
    let partner = property("Socket-Type");
    if !role
        .partners()
        .iter()
        .any(|name| partner == name.as_bytes())
    {
        return Err(Disconnect::Refused(format!(
            "it is a socket of type {:?}, and this is one of type {}",
            String::from_utf8_lossy(&partner),
            role.socket_type()
        )));
    }
    let identity = property("Identity");
    if identity.len() > LONGEST_IDENTITY {
        return Err(Disconnect::Refused(format!(
            "its identity has {} bytes, and {LONGEST_IDENTITY} are the most",
            identity.len()
        )));
    }
    Ok(identity)
}

fn check_greeting(greeting: &[u8; GREETING]) -> Result<(), Disconnect> {
    let refused = |reason: String| Err(Disconnect::Refused(reason));
    if greeting[0] != 0xff || greeting[9] != 0x7f {
        return refused("its greeting is not ZeroMQ's".to_owned());
    }
    // Peers with a later version also speak this one.
    if greeting[VERSION] < 3 {
        let version = greeting[VERSION];
        return refused(format!(
            "it speaks version {version} of ZeroMQ's protocol, not 3"
        ));
    }
    let mechanism = &greeting[MECHANISM];
    if !mechanism.starts_with(NULL) || mechanism[NULL.len()..].iter().any(|byte| *byte != 0) {
        return refused("it wants a password or encryption, and there is neither".to_owned());
    }
    Ok(())
}

/// The READY command of a socket without an identity.
fn ready(socket_type: &str) -> Vec<u8> {
    let mut command = b"\x05READY".to_vec();
    for (name, value) in [("Socket-Type", socket_type), ("Identity", "")] {
        command.push(name.len() as u8);
        command.extend(name.as_bytes());
        command.extend((value.len() as u32).to_be_bytes());
        command.extend(value.as_bytes());
    }
    command
}

/// The properties in a READY command; `None` if it is malformed or another command.
fn properties(command: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut rest = command.strip_prefix(b"\x05READY")?;
    let mut properties = Vec::new();
    while let [length, after @ ..] = rest {
        let (name, after) = after.split_at_checked(usize::from(*length))?;
        let (length, after) = after.split_first_chunk()?;
        let (value, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        properties.push((name, value));
        rest = after;
    }
    Some(properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting() -> [u8; GREETING] {
        let mut greeting = [0; GREETING];
        greeting[0] = 0xff;
        greeting[9] = 0x7f;
        greeting[VERSION] = 3;
        greeting[VERSION + 1] = 1;
        greeting[MECHANISM][..4].copy_from_slice(b"NULL");
        greeting
    }

    /// The result of a router's handshake with a peer that sends this.
    fn greeted(greeting: &[u8], command: &[u8]) -> Result<Bytes, Disconnect> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let (mut ours, mut theirs) = tokio::io::duplex(1 << 20);
            theirs.write_all(greeting).await.expect("room");
            if write_command(&mut theirs, command).await.is_err() {
                unreachable!("there is room");
            }
            theirs.shutdown().await.expect("an end");
            shake_hands(&mut ours, Role::Router).await
        })
    }

    #[track_caller]
    fn refusal(greeting: &[u8], command: &[u8]) -> String {
        match greeted(greeting, command) {
            Err(Disconnect::Refused(reason)) => reason,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_peer_may_have_an_identity() {
        assert_eq!(greeted(&greeting(), &ready("DEALER")), Ok(Bytes::new()));
        let mut named = ready("REQ");
        named.truncate(named.len() - 4);
        named.extend([0, 0, 0, 2, b'm', b'e']);
        assert_eq!(greeted(&greeting(), &named), Ok("me".into()));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_reason() {
        let good = ready("DEALER");
        let mut old = greeting();
        old[VERSION] = 1;
        assert!(refusal(&old, &good).starts_with("it speaks version 1"));
        let mut encrypted = greeting();
        encrypted[MECHANISM][..5].copy_from_slice(b"CURVE");
        assert!(refusal(&encrypted, &good).starts_with("it wants a password"));
        assert_eq!(
            refusal(&[b'x'; GREETING], &good),
            "its greeting is not ZeroMQ's"
        );
        assert_eq!(
            refusal(&greeting(), &ready("SUB")),
            "it is a socket of type \"SUB\", and this is one of type ROUTER"
        );
        let mut long = ready("DEALER");
        long.truncate(long.len() - 4);
        long.extend([0, 0, 1, 0]);
        long.extend([b'i'; 256]);
        assert_eq!(
            refusal(&greeting(), &long),
            "its identity has 256 bytes, and 255 are the most"
        );
    }

    #[test]
    fn a_command_cut_anywhere_is_refused() {
        let good = ready("DEALER");
        // A command without the last property is still valid.
        let identity = b"\x08Identity\0\0\0\0".len();
        for length in 0..good.len() - identity {
            let reason = refusal(&greeting(), &good[..length]);
            assert!(reason.starts_with("it "), "{length}: {reason}");
        }
        assert_eq!(greeted(&greeting()[..20], &[]), Err(Disconnect::Gone));
    }
}
