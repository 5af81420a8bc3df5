//! Outcomes with a seal, sent by a forked child of this process.
//!
//! A learner's function runs in the process that writes the outcome, so it could write one as well.
//! But it does not know the seal, a secret of this process and its children that differs from call
//! to call.

use crate::judge::outcome::Outcome;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};

/// A secret of this process and of the children that it forks from now on.
pub(crate) struct Seal(RandomState);

impl Seal {
    pub fn new() -> Seal {
        Seal(RandomState::new())
    }

    /// Writes the outcome of a call in a single write.
    pub fn write(&self, index: usize, outcome: &Outcome, to: &mut impl Write) -> io::Result<()> {
        let mut bytes = self.of(index).to_vec();
        outcome.write(&mut bytes)?;
        to.write_all(&bytes)
    }

    /// Reads the outcome of a call; the error is `InvalidData` if the seal is missing.
    pub fn read(&self, index: usize, from: &mut impl Read) -> io::Result<Outcome> {
        let mut seal = [0; 8];
        from.read_exact(&mut seal)?;
        match seal == self.of(index) {
            true => Outcome::read(from),
            false => Err(ErrorKind::InvalidData.into()),
        }
    }

    fn of(&self, index: usize) -> [u8; 8] {
        self.0.hash_one(index).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_sealed_for_this_call_is_read() {
        let (ours, another) = (Seal::new(), Seal::new());
        let outcome = Outcome::Panicked("no".to_owned());
        let read = |seal: &Seal, index: usize| {
            let mut bytes = Vec::new();
            seal.write(index, &outcome, &mut bytes).expect("memory");
            let read = ours.read(1, &mut &bytes[..]);
            read.map_err(|error| error.kind())
        };
        assert_eq!(read(&ours, 1), Ok(outcome.clone()));
        assert_eq!(read(&ours, 0), Err(ErrorKind::InvalidData));
        assert_eq!(read(&another, 1), Err(ErrorKind::InvalidData));
    }
}
