//! Messages on a connection: sequences of frames, each preceded by its flags and its length.

use bytes::Bytes;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A message: one or more frames.
pub type Frames = Vec<Bytes>;

/// Maximum number of frames in a message from a peer.
const MOST_FRAMES: usize = 64;
/// Maximum size of a command; the largest is READY, which lists a peer's properties.
const MOST_BYTES_OF_COMMAND: u64 = 4 << 10;

/// Maximum length of a PING's context, the bytes that the PONG returns.
const LONGEST_CONTEXT: usize = 16;

/// Flag of a frame: the message has another frame.
const MORE: u8 = 1;
/// Flag of a frame: its length takes eight bytes instead of one.
const LONG: u8 = 2;
/// Flag of a frame: it is a command to ZeroMQ itself.
const COMMAND: u8 = 4;

/// Why a connection ends.
#[derive(Debug, PartialEq)]
pub enum Disconnect {
    /// The peer closed the connection, or the network failed.
    Gone,
    /// The peer broke a rule. The reason is phrased to follow a colon.
    Refused(String),
}

impl From<io::Error> for Disconnect {
    fn from(_: io::Error) -> Disconnect {
        Disconnect::Gone
    }
}

/// Reads the next message, which may have at most `most_bytes` bytes. Handles commands that come
/// before it, passing any answers to `answer`.
pub async fn read_message(
    reader: &mut (impl AsyncRead + Unpin),
    most_bytes: u64,
    mut answer: impl FnMut(Bytes),
) -> Result<Frames, Disconnect> {
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
            return Err(Disconnect::Refused(format!(
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

/// The answer to a PING, with which a peer checks that the other side is alive: it returns whatever
/// follows the two bytes of the time-to-live. `None` for other commands.
///
/// Source: <https://rfc.zeromq.org/spec/37/>
fn pong(command: &Bytes) -> Result<Option<Bytes>, Disconnect> {
    let Some(rest) = command.strip_prefix(b"\x04PING") else {
        return Ok(None);
    };
    match rest.get(2..) {
        Some(context) if context.len() <= LONGEST_CONTEXT => {
            Ok(Some([b"\x04PONG", context].concat().into()))
        }
        _ => Err(Disconnect::Refused(
            "its PING has a wrong length".to_owned(),
        )),
    }
}

/// Reads the next frame, which must be a command.
pub async fn read_command(reader: &mut (impl AsyncRead + Unpin)) -> Result<Bytes, Disconnect> {
    let (flags, length) = read_header(reader).await?;
    if flags & COMMAND == 0 {
        return Err(Disconnect::Refused(
            "it does not introduce itself".to_owned(),
        ));
    }
    read_content(reader, length, MOST_BYTES_OF_COMMAND).await
}

/// Reads the flags and the length of a frame.
async fn read_header(reader: &mut (impl AsyncRead + Unpin)) -> Result<(u8, u64), Disconnect> {
    let flags = reader.read_u8().await?;
    if flags > (MORE | LONG | COMMAND) {
        return Err(Disconnect::Refused(format!(
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
) -> Result<Bytes, Disconnect> {
    if length > most {
        return Err(Disconnect::Refused(format!(
            "its frame announces {length} bytes, and at most {most} are accepted"
        )));
    }
    // Allocate only for bytes that have arrived: the announced length may be a lie.
    let mut content = Vec::new();
    reader.take(length).read_to_end(&mut content).await?;
    match content.len() as u64 == length {
        true => Ok(content.into()),
        false => Err(Disconnect::Gone),
    }
}

/// Sends a message, whatever its size.
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
mod tests;
