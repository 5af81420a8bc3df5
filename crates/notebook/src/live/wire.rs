//! The protocol between the cells' process and the kernel for live pictures: in both directions,
//! each message is a list of strings.
//!
//! | from | message |
//! |---|---|
//! | the process, first | the picture's id and the number of its controls, then for each control [`Control::to_texts`](crate::live::Control::to_texts) |
//! | the kernel, once it knows the picture | [`READY`] |
//! | the kernel | a value for each control |
//! | the process | [`PICTURE`] and its forms, each a MIME type and a content, or [`FAILED`] and the reason |
//!
//! Closing the connection ends the picture for both sides.

use std::io::{self, Read, Write};

/// The kernel has accepted the picture.
pub const READY: &str = "ready";
/// Precedes the forms of a picture.
pub const PICTURE: &str = "picture";
/// Precedes the reason why there is no picture.
pub const FAILED: &str = "failed";

/// Maximum numbers of strings and of bytes in a message.
pub(super) const MOST_TEXTS: usize = 10_000;
const LONGEST: usize = 1 << 26;

/// Writes a message.
///
/// # Errors
///
/// If it has more than 10,000 strings or 64 MiB, or the other side has closed the connection.
///
/// ```
/// use notebook::live::wire::{read, write};
///
/// let mut bytes = Vec::new();
/// write(&mut bytes, &["0.5", "two\nlines"])?;
/// assert_eq!(read(&mut bytes.as_slice())?, ["0.5", "two\nlines"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(stream: &mut impl Write, texts: &[impl AsRef<str>]) -> io::Result<()> {
    let length: usize = texts.iter().map(|text| text.as_ref().len()).sum();
    if texts.len() > MOST_TEXTS || length > LONGEST {
        let message = format!("a message of {length} bytes; at most {LONGEST} can be sent");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut message = number(texts.len()).to_vec();
    for text in texts {
        message.extend(number(text.as_ref().len()));
        message.extend(text.as_ref().as_bytes());
    }
    stream.write_all(&message)
}

/// Reads a message.
///
/// # Errors
///
/// If the other side has closed the connection, or what it sends is not a message.
pub fn read(stream: &mut impl Read) -> io::Result<Vec<String>> {
    let mut left = LONGEST;
    let texts = read_number(stream, MOST_TEXTS)?;
    let mut message = Vec::new();
    for _ in 0..texts {
        let length = read_number(stream, left)?;
        left -= length;
        let mut text = vec![0; length];
        stream.read_exact(&mut text)?;
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        message.push(String::from_utf8(text).map_err(invalid)?);
    }
    Ok(message)
}

fn number(number: usize) -> [u8; 4] {
    u32::try_from(number)
        .expect("shorter than LONGEST")
        .to_le_bytes()
}

fn read_number(stream: &mut impl Read, most: usize) -> io::Result<usize> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    let number = u32::from_le_bytes(bytes) as usize;
    match number <= most {
        true => Ok(number),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_refused() {
        for bytes in [&[255; 8][..], &[1, 0, 0, 0, 255, 255, 255, 255], &[1, 0]] {
            assert!(read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
        assert!(read(&mut &[1, 0, 0, 0, 1, 0, 0, 0, 0xff][..]).is_err());
    }
}
