//! Open files, handed from one process of ours to another through a socket.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;

/// The most that are handed over at once.
const MOST: usize = 3;
/// What is received is not for the programs that this process starts.
#[cfg(target_os = "linux")]
const NOT_INHERITED: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const NOT_INHERITED: RecvFlags = RecvFlags::empty();

/// Sends one to three open files, and a byte for them to travel with.
pub fn send(to: &UnixStream, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(files));
    sendmsg(to, &[IoSlice::new(b"1")], &mut message, SendFlags::empty())?;
    Ok(())
}

/// Receives what [`send`] has sent.
pub fn receive(from: &UnixStream) -> io::Result<Vec<File>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(
        from,
        &mut [IoSliceMut::new(&mut byte)],
        &mut message,
        NOT_INHERITED,
    )?;
    let files = message.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files.map(File::from)),
        _ => None,
    });
    Ok(files.flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsFd;

    #[test]
    fn the_same_files_arrive() -> io::Result<()> {
        let (from, to) = UnixStream::pair()?;
        let (mut one, two) = (tempfile::tempfile()?, tempfile::tempfile()?);
        send(&from, &[one.as_fd(), two.as_fd()])?;
        let mut received = receive(&to)?;
        assert_eq!(received.len(), 2);
        one.write_all(b"text")?;
        received[0].rewind()?;
        let mut text = String::new();
        received[0].read_to_string(&mut text)?;
        assert_eq!(text, "text");
        send(&from, &[two.as_fd()])?;
        assert_eq!(receive(&to)?.len(), 1);
        Ok(())
    }
}
