//! The other end of ZeroMQ's wire protocol, as far as these tests need it. The tests in Python use
//! ZeroMQ's own library.
//!
//! Source: <https://rfc.zeromq.org/spec/37/>

use serde_json::Value;
use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Flags of a frame.
const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// A connection to a socket that binds.
pub struct Connection {
    stream: TcpStream,
    /// What a thread reads from the stream.
    messages: Receiver<Vec<String>>,
}

impl Connection {
    pub fn new(port: &Value, socket_type: &str, identity: &str) -> Connection {
        let port = port.as_u64().and_then(|port| u16::try_from(port).ok());
        let address = (Ipv4Addr::LOCALHOST, port.expect("a port"));
        let mut stream = TcpStream::connect(address).expect("a kernel");
        let greeted = shake_hands(&mut stream, socket_type, identity);
        greeted.expect("a handshake");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let (arrived, messages) = channel();
        thread::spawn(move || {
            while let Ok(message) = read_message(&mut reader) {
                if arrived.send(message).is_err() {
                    return;
                }
            }
        });
        Connection { stream, messages }
    }

    pub fn send(&mut self, frames: &[String]) {
        let mut bytes = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            let more = if index + 1 < frames.len() { MORE } else { 0 };
            bytes.push(more | LONG);
            bytes.extend((frame.len() as u64).to_be_bytes());
            bytes.extend(frame.as_bytes());
        }
        self.stream.write_all(&bytes).expect("a connection");
    }

    /// The next message, if one arrives in time.
    pub fn receive_within(&self, limit: Duration) -> Option<Vec<String>> {
        match self.messages.recv_timeout(limit) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the kernel closed the connection"),
        }
    }
}

impl Drop for Connection {
    /// Also ends the thread.
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both); // fails if the kernel has closed it
    }
}

fn shake_hands(stream: &mut TcpStream, socket_type: &str, identity: &str) -> io::Result<()> {
    let mut greeting = [0; 64];
    (greeting[0], greeting[9], greeting[10]) = (0xff, 0x7f, 3);
    greeting[12..16].copy_from_slice(b"NULL");
    let mut ready = b"\x05READY".to_vec();
    for (name, value) in [("Socket-Type", socket_type), ("Identity", identity)] {
        ready.push(name.len() as u8);
        ready.extend(name.as_bytes());
        ready.extend((value.len() as u32).to_be_bytes());
        ready.extend(value.as_bytes());
    }
    stream.write_all(&greeting)?;
    stream.write_all(&[COMMAND, ready.len() as u8])?;
    stream.write_all(&ready)?;
    // Answered once the kernel knows this peer; until then, a question for it would be lost.
    stream.write_all(b"\x04\x07\x04PING\0\0")?;
    let mut theirs = [0; 64];
    stream.read_exact(&mut theirs)?;
    assert_eq!(theirs[..16], greeting[..16]);
    let (flags, theirs) = read_frame(stream)?;
    assert_eq!(flags, COMMAND);
    assert!(
        theirs.starts_with(b"\x05READY\x0bSocket-Type"),
        "{theirs:?}"
    );
    assert_eq!(read_frame(stream)?, (COMMAND, b"\x04PONG".to_vec()));
    Ok(())
}

fn read_message(reader: &mut impl Read) -> io::Result<Vec<String>> {
    let mut frames = Vec::new();
    loop {
        let (flags, frame) = read_frame(reader)?;
        frames.push(String::from_utf8(frame).expect("text"));
        if flags & MORE == 0 {
            return Ok(frames);
        }
    }
}

/// The flags and the content of the next frame.
fn read_frame(reader: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut flags = [0];
    reader.read_exact(&mut flags)?;
    let mut length = [0; 8];
    let bytes = if flags[0] & LONG == 0 { 7..8 } else { 0..8 };
    reader.read_exact(&mut length[bytes])?;
    let mut content = vec![0; u64::from_be_bytes(length) as usize];
    reader.read_exact(&mut content)?;
    Ok((flags[0], content))
}
