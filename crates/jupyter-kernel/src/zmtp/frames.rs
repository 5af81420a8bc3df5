//! Messages on a connection: frames, each with its flags and its length in front.

use bytes::Bytes;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A message: its frames, one at least.
pub type Frames = Vec<Bytes>;

/// The most frames of a message that a peer may send.
const MOST_FRAMES: usize = 64;
/// The most bytes of a command: the properties that a peer introduces itself with.
const MOST_BYTES_OF_COMMAND: u64 = 4 << 10;

/// The most bytes that a PING wants back.
const LONGEST_CONTEXT: usize = 16;

/// Flags of a frame. Another frame of the message follows.
const MORE: u8 = 1;
/// The length has eight bytes instead of one.
const LONG: u8 = 2;
/// The frame is for ZeroMQ itself.
const COMMAND: u8 = 4;

/// Why a connection ends.
#[derive(Debug, PartialEq)]
pub enum Ended {
    /// The peer has gone, or the network.
    Gone,
    /// The peer did what is not accepted; the reason can follow a colon.
    Refused(String),
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Ended {
        Ended::Gone
    }
}

/// The next message, of so many bytes at most. The answers to commands that come before it go
/// to `answer`; to most there is none.
pub async fn read_message(
    reader: &mut (impl AsyncRead + Unpin),
    most_bytes: u64,
    mut answer: impl FnMut(Bytes),
) -> Result<Frames, Ended> {
    let mut frames = Frames::new();
    let mut bytes_left = most_bytes;
    loop {
        let (flags, length) = read_header(reader).await?;
        if flags & COMMAND != 0 {
            let command = read_content(reader, length, MOST_BYTES_OF_COMMAND).await?;
            pong(&command)?.map(&mut answer);
            continue;
        }
        if frames.len() == MOST_FRAMES {
            return Err(Ended::Refused(format!(
                "its message has more than {MOST_FRAMES} frames"
            )));
        }
        frames.push(read_content(reader, length, bytes_left).await?);
        bytes_left -= length;
        if flags & MORE == 0 {
            return Ok(frames);
        }
    }
}

/// The answer to a command PING, by which a peer learns that somebody is there: what stands
/// after the time (two bytes) comes back. Other commands have none.
///
/// Source: <https://rfc.zeromq.org/spec/37/>
fn pong(command: &Bytes) -> Result<Option<Bytes>, Ended> {
    let Some(rest) = command.strip_prefix(b"\x04PING") else {
        return Ok(None);
    };
    match rest.get(2..) {
        Some(context) if context.len() <= LONGEST_CONTEXT => {
            Ok(Some([b"\x04PONG", context].concat().into()))
        }
        _ => Err(Ended::Refused("its PING has a wrong length".to_owned())),
    }
}

/// The next frame, which has to be a command.
pub async fn read_command(reader: &mut (impl AsyncRead + Unpin)) -> Result<Bytes, Ended> {
    let (flags, length) = read_header(reader).await?;
    if flags & COMMAND == 0 {
        return Err(Ended::Refused("it does not introduce itself".to_owned()));
    }
    read_content(reader, length, MOST_BYTES_OF_COMMAND).await
}

/// The flags of a frame and its length.
async fn read_header(reader: &mut (impl AsyncRead + Unpin)) -> Result<(u8, u64), Ended> {
    let flags = reader.read_u8().await?;
    if flags > (MORE | LONG | COMMAND) {
        return Err(Ended::Refused(format!(
            "its frame begins with {flags:#04x}, which is not ZeroMQ"
        )));
    }
    let length = match flags & LONG {
        0 => u64::from(reader.read_u8().await?),
        _ => reader.read_u64().await?,
    };
    Ok((flags, length))
}

async fn read_content(
    reader: &mut (impl AsyncRead + Unpin),
    length: u64,
    most: u64,
) -> Result<Bytes, Ended> {
    if length > most {
        return Err(Ended::Refused(format!(
            "its frame announces {length} bytes, and at most {most} are accepted"
        )));
    }
    // The length is a promise: there is room for no more than what has come.
    let mut content = Vec::new();
    reader.take(length).read_to_end(&mut content).await?;
    match content.len() as u64 == length {
        true => Ok(content.into()),
        false => Err(Ended::Gone),
    }
}

/// Sends a message of any size.
pub async fn write_message(
    writer: &mut (impl AsyncWrite + Unpin),
    frames: &Frames,
) -> io::Result<()> {
    for (index, frame) in frames.iter().enumerate() {
        let more = if index + 1 < frames.len() { MORE } else { 0 };
        write_frame(writer, more, frame).await?;
    }
    writer.flush().await
}

pub async fn write_command(
    writer: &mut (impl AsyncWrite + Unpin),
    command: &[u8],
) -> io::Result<()> {
    write_frame(writer, COMMAND, command).await?;
    writer.flush().await
}

async fn write_frame(
    writer: &mut (impl AsyncWrite + Unpin),
    flags: u8,
    content: &[u8],
) -> io::Result<()> {
    match u8::try_from(content.len()) {
        Ok(length) => writer.write_all(&[flags, length]).await?,
        Err(_) => {
            writer.write_u8(flags | LONG).await?;
            writer.write_u64(content.len() as u64).await?;
        }
    }
    writer.write_all(content).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_BYTES: u64 = 64 << 20;

    fn read(bytes: &[u8]) -> Result<Frames, Ended> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let mut reader = bytes;
        runtime
            .expect("a runtime")
            .block_on(read_message(&mut reader, MOST_BYTES, |_| ()))
    }

    fn written(frames: &Frames) -> Vec<u8> {
        let mut bytes = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let write = write_message(&mut bytes, frames);
        runtime.expect("a runtime").block_on(write).expect("room");
        bytes
    }

    /// The reason for which these bytes are refused.
    #[track_caller]
    fn refusal(bytes: &[u8]) -> String {
        match read(bytes) {
            Err(Ended::Refused(reason)) => reason,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn frames_have_their_length_in_one_byte_or_in_eight() {
        let frames: Frames = vec!["ab".into(), Bytes::new(), vec![7; 256].into()];
        let bytes = written(&frames);
        assert_eq!(bytes[..6], [1, 2, b'a', b'b', 1, 0]);
        assert_eq!(bytes[6..15], [2, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(bytes.len(), 15 + 256);
        assert_eq!(read(&bytes), Ok(frames));
        assert_eq!(read(&bytes[..bytes.len() - 1]), Err(Ended::Gone));
        assert_eq!(read(&[]), Err(Ended::Gone));
    }

    #[test]
    fn a_message_of_the_largest_size_is_read() {
        let frames: Frames = vec![vec![0; MOST_BYTES as usize].into()];
        assert!(read(&written(&frames)) == Ok(frames));
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_its_bytes_come() {
        let mut header = vec![LONG];
        header.extend((1_u64 << 36).to_be_bytes());
        assert_eq!(
            refusal(&header),
            "its frame announces 68719476736 bytes, and at most 67108864 are accepted"
        );
        // The frames of a message count together.
        let mut bytes = written(&vec![vec![0; MOST_BYTES as usize - 1].into()]);
        bytes[0] |= MORE;
        bytes.extend([0, 2]);
        assert_eq!(
            refusal(&bytes),
            "its frame announces 2 bytes, and at most 1 are accepted"
        );
    }

    #[test]
    fn too_many_frames_are_refused() {
        let frames = |count: usize| vec![Bytes::new(); count];
        assert_eq!(
            read(&written(&frames(MOST_FRAMES))),
            Ok(frames(MOST_FRAMES))
        );
        let reason = "its message has more than 64 frames";
        assert_eq!(refusal(&written(&frames(MOST_FRAMES + 1))), reason);
        assert_eq!(refusal(&[MORE, 0].repeat(1_000_000)), reason);
    }

    #[test]
    fn commands_between_messages_are_left_out_and_have_a_size_too() {
        let mut bytes = vec![COMMAND, 5];
        bytes.extend(b"\x04NEXT");
        bytes.extend([0, 1, b'a']);
        assert_eq!(read(&bytes), Ok(vec!["a".into()]));
        let mut header = vec![COMMAND | LONG];
        header.extend((1_u64 << 20).to_be_bytes());
        assert!(refusal(&header).ends_with("at most 4096 are accepted"));
    }

    #[test]
    fn a_ping_is_answered_with_what_it_brings() {
        let answer = |command: &'static [u8]| pong(&Bytes::from_static(command));
        assert_eq!(
            answer(b"\x04PING\0\x0acontext"),
            Ok(Some("\x04PONGcontext".into()))
        );
        assert_eq!(answer(b"\x04PING\0\0"), Ok(Some("\x04PONG".into())));
        assert_eq!(answer(b"\x04PONG"), Ok(None));
        for wrong in [&b"\x04PING\0"[..], b"\x04PING\0\0seventeen bytes..."] {
            assert!(answer(wrong).is_err());
        }
    }

    #[test]
    fn other_protocols_are_refused() {
        assert_eq!(
            refusal(b"GET / HTTP/1.1\r\n\r\n"),
            "its frame begins with 0x47, which is not ZeroMQ"
        );
    }
}
