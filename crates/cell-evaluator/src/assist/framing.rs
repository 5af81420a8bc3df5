//! Reads and writes messages of the language server protocol.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Maximum length of a message in bytes; a longer one cannot come from a language server.
const LONGEST: usize = 64 << 20;

/// Writes a message.
///
/// # Errors
///
/// If the reader is gone.
pub fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

/// Reads the next message; `None` at the end of the input.
///
/// # Errors
///
/// If the input is not a message.
pub fn read(from: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if io::Read::take(&mut *from, 1000).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
            }
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => return Err(io::Error::other(format!("not a header: {line:?}"))),
        }
    }
    let length = length.filter(|length| *length <= LONGEST);
    let length: usize = length.ok_or_else(|| io::Error::other("a message without a length"))?;
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_can_be_read() {
        let mut pipe = Vec::new();
        let messages = [json!({ "id": 1, "method": "größe" }), json!([])];
        for message in &messages {
            write(&mut pipe, message).expect("a pipe");
        }
        let mut reader = &pipe[..];
        for message in messages {
            assert_eq!(read(&mut reader).expect("a message"), Some(message));
        }
        assert_eq!(read(&mut reader).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let huge = format!("Content-Length: {}\r\n\r\n", LONGEST + 1);
        for bytes in [
            "Unknown binary\n",
            "\r\n\r\n",
            "Content-Length: many\r\n\r\n{}",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n{]",
            &"x".repeat(100_000),
            &huge,
        ] {
            assert!(read(&mut bytes.as_bytes()).is_err(), "{bytes:.30}");
        }
    }
}
