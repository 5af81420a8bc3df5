use super::*;

const MOST_BYTES: u64 = 64 << 20;

fn read(bytes: &[u8]) -> Result<Frames, Disconnect> {
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

/// The reason why these bytes are refused.
#[track_caller]
fn refusal(bytes: &[u8]) -> String {
    match read(bytes) {
        Err(Disconnect::Refused(reason)) => reason,
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
    assert_eq!(read(&bytes[..bytes.len() - 1]), Err(Disconnect::Gone));
    assert_eq!(read(&[]), Err(Disconnect::Gone));
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
    // The limit applies to all frames of a message together.
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
