//! How a call of the learner's function ended, and how that is sent as bytes.

use crate::output::{Output, Part};
use std::io::{self, ErrorKind, Read, Write};

/// The maximum number of values in a result, far more than any exercise needs.
const MOST: usize = 4 << 20;
/// The maximum size of an outcome in bytes, whatever lengths it claims: a learner's function also
/// has access to the socket, and can write anything into it.
const LONGEST: u64 = 8 * MOST as u64 + 4096;

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It returned this result.
    Returned(Output),
    /// It panicked, with this message.
    Panicked(String),
    /// It reached a `todo!()`.
    NotWritten,
    /// It did not end in time.
    OutOfTime,
    /// It crashed its process: the stack overflowed, or memory ran out.
    Crashed,
    /// It exited its process with this code.
    Exited(i32),
    /// Something else arrived in place of its outcome, because the function wrote to the socket.
    Garbled,
}

impl Outcome {
    /// The outcome of a panic with this message.
    pub fn of_panic(message: &str) -> Outcome {
        // The messages of the macros `todo` and `unimplemented`.
        let begins = ["not yet implemented", "not implemented"];
        match begins.iter().any(|begin| message.starts_with(begin)) {
            true => Outcome::NotWritten,
            false => Outcome::Panicked(message.to_owned()),
        }
    }

    /// Writes an outcome. Outcomes in which the process cannot write anything are detected by the
    /// reader.
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

    /// Reads what [`Outcome::write`] wrote.
    pub fn read(from: &mut impl Read) -> io::Result<Outcome> {
        let from = &mut from.take(LONGEST);
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        Ok(match kind[0] {
            RETURNED => {
                let parts = get(from)?;
                let parts: io::Result<Vec<Part>> = (0..parts).map(|_| get_part(from)).collect();
                Outcome::Returned(Output(parts?))
            }
            PANICKED => {
                let length = get(from)?;
                let message = get_bytes(from, Some(length))?;
                Outcome::Panicked(String::from_utf8_lossy(&message).into_owned())
            }
            _ => Outcome::NotWritten,
        })
    }
}

/// Returns the result unchanged.
///
/// # Panics
///
/// If it has too many numbers to compare.
pub(crate) fn not_too_large(output: Output) -> Output {
    let count: usize = output.0.iter().map(|part| part.values.len()).sum();
    assert!(
        count <= MOST,
        "the result has {count} numbers, and at most {MOST} are compared: are its lengths those \
         of the arguments?"
    );
    output
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

/// Reads `length` bytes; allocates no more memory than there are bytes, whatever `length` claims.
fn get_bytes(from: &mut impl Read, length: Option<usize>) -> io::Result<Vec<u8>> {
    let length = length.ok_or(ErrorKind::InvalidData)?;
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
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
    let shape = shape?;
    let count = get(from)?;
    let fits = shape
        .iter()
        .try_fold(1_usize, |count, &length| count.checked_mul(length));
    if fits != Some(count) {
        return Err(ErrorKind::InvalidData.into());
    }
    let bytes = get_bytes(from, count.checked_mul(8))?;
    let (values, _) = bytes.as_chunks();
    Ok(Part {
        shape,
        values: values
            .iter()
            .map(|bytes| f64::from_le_bytes(*bytes))
            .collect(),
        is_yes_or_no,
    })
}

/// One probe and its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub what: String,
    pub expected: Output,
    pub outcome: Outcome,
    pub is_right: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ReturnValue;
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

    /// The bytes of an outcome of this kind: one for the kind, then eight for each number.
    fn forged(kind: u8, numbers: &[u64]) -> Vec<u8> {
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        [kind].into_iter().chain(numbers).collect()
    }

    #[test]
    fn forged_lengths_take_no_memory() {
        let huge = 1 << 62;
        for bytes in [
            forged(PANICKED, &[huge]),
            forged(RETURNED, &[huge]),
            forged(RETURNED, &[1, 0, huge]),
            forged(RETURNED, &[1, 0, 1, huge, huge]),
            forged(RETURNED, &[1, 0, 1, 1 << 50, 1 << 50]),
            forged(RETURNED, &[1, 0, 2, 1 << 32, 1 << 32, 0]),
            forged(RETURNED, &[1, 0, 2, 2, 3, 1, 0]),
        ] {
            assert!(Outcome::read(&mut &bytes[..]).is_err(), "{bytes:?}");
            let mut endless = bytes.chain(io::repeat(0));
            assert!(Outcome::read(&mut endless).is_err(), "{bytes:?}");
        }
    }

    #[test]
    #[should_panic = "the result has 4194305 numbers, and at most 4194304 are compared"]
    fn a_result_that_is_too_large_is_said_to_be() {
        not_too_large(vec![0.0; MOST + 1].output());
    }

    #[test]
    fn the_largest_result_is_read() {
        let outcome = Outcome::Returned(not_too_large(vec![0.5; MOST].output()));
        let mut bytes = Vec::new();
        outcome.write(&mut bytes).expect("memory");
        assert!(Outcome::read(&mut &bytes[..]).expect("an outcome") == outcome);
    }

    #[test]
    fn what_is_not_written_yet_is_no_panic() {
        for message in [
            "not yet implemented",
            "not yet implemented: softmax",
            "not implemented",
        ] {
            assert_eq!(Outcome::of_panic(message), Outcome::NotWritten);
        }
        let message = "it is not implemented";
        assert_eq!(
            Outcome::of_panic(message),
            Outcome::Panicked(message.to_owned())
        );
    }
}
