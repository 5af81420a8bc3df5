//! How a call of the learner's function ended, and that as bytes.

use crate::output::{Output, Part};
use std::io::{self, Read, Write};

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It returned this.
    Returned(Output),
    /// It panicked, with this message.
    Panicked(String),
    /// It came to a `todo!()`.
    NotWritten,
    /// It did not come to an end in time.
    OutOfTime,
    /// It ended its process: the stack overflowed, or memory was short.
    Crashed,
}

impl Outcome {
    /// Of a panic with this message.
    pub fn of_panic(message: &str) -> Outcome {
        // What the macros `todo` and `unimplemented` say.
        let begins = ["not yet implemented", "not implemented"];
        match begins.iter().any(|begin| message.starts_with(begin)) {
            true => Outcome::NotWritten,
            false => Outcome::Panicked(message.to_owned()),
        }
    }

    /// Writes it; a process that has crashed or is out of time writes nothing.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        match self {
            Outcome::Returned(output) => {
                bytes.push(RETURNED);
                put(&mut bytes, output.0.len());
                for part in &output.0 {
                    put_part(&mut bytes, part);
                }
            }
            Outcome::Panicked(message) => {
                bytes.push(PANICKED);
                put(&mut bytes, message.len());
                bytes.extend(message.as_bytes());
            }
            _ => bytes.push(NOT_WRITTEN),
        }
        to.write_all(&bytes)
    }

    /// Reads what [`Outcome::write`] has written.
    pub fn read(from: &mut impl Read) -> io::Result<Outcome> {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        Ok(match kind[0] {
            RETURNED => {
                let parts = get(from)?;
                let parts: io::Result<Vec<Part>> = (0..parts).map(|_| get_part(from)).collect();
                Outcome::Returned(Output(parts?))
            }
            PANICKED => {
                let mut message = vec![0; get(from)?];
                from.read_exact(&mut message)?;
                Outcome::Panicked(String::from_utf8_lossy(&message).into_owned())
            }
            _ => Outcome::NotWritten,
        })
    }
}

const RETURNED: u8 = 0;
const PANICKED: u8 = 1;
const NOT_WRITTEN: u8 = 2;

fn put(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

fn get(from: &mut impl Read) -> io::Result<usize> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) as usize)
}

fn put_part(bytes: &mut Vec<u8>, part: &Part) {
    put(bytes, part.is_yes_or_no.into());
    put(bytes, part.shape.len());
    for &length in &part.shape {
        put(bytes, length);
    }
    put(bytes, part.values.len());
    for value in &part.values {
        bytes.extend(value.to_le_bytes());
    }
}

fn get_part(from: &mut impl Read) -> io::Result<Part> {
    let is_yes_or_no = get(from)? == 1;
    let axes = get(from)?;
    let shape: io::Result<Vec<usize>> = (0..axes).map(|_| get(from)).collect();
    let mut bytes = vec![0; 8 * get(from)?];
    from.read_exact(&mut bytes)?;
    let (values, _) = bytes.as_chunks();
    Ok(Part {
        shape: shape?,
        values: values
            .iter()
            .map(|bytes| f64::from_le_bytes(*bytes))
            .collect(),
        is_yes_or_no,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Answer;
    use attention::ndarray::array;

    #[test]
    fn what_is_written_is_read() {
        let outcomes = [
            Outcome::Returned((array![[1.0, f64::INFINITY]], true).output()),
            Outcome::Panicked("shapes (2, 3) and (2, 3) — no".to_owned()),
            Outcome::NotWritten,
        ];
        let mut bytes = Vec::new();
        for outcome in &outcomes {
            outcome.write(&mut bytes).expect("memory");
        }
        let mut rest = &bytes[..];
        let read = [(); 3].map(|()| Outcome::read(&mut rest).expect("an outcome"));
        assert_eq!(read, outcomes);
    }
}
