//! MT19937, the engine that PyTorch shares with NumPy's legacy generator.
//!
//! Source: Matsumoto and Nishimura 1998, "Mersenne Twister"; the recurrence itself
//! is in the crate `rand_mt`.

use crate::raw_words::fill_bytes;
use ndarray_rand::rand::RngCore;
use rand_mt::Mt;

/// A stream of 32-bit words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mt19937 {
    engine: Mt,
    /// How many words have been drawn so far.
    drawn: u64,
}

impl Mt19937 {
    /// The stream for an integer seed.
    pub(crate) fn new(seed: u32) -> Mt19937 {
        let engine = Mt::new(seed);
        Mt19937 { engine, drawn: 0 }
    }

    /// The stream for a list of numbers.
    pub(crate) fn from_key(key: &[u32]) -> Mt19937 {
        let engine = Mt::new_with_key(key.iter().copied());
        Mt19937 { engine, drawn: 0 }
    }

    /// How many words have been drawn so far.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }
}

impl RngCore for Mt19937 {
    fn next_u32(&mut self) -> u32 {
        self.drawn += 1;
        self.engine.next_u32()
    }

    /// Two words, the high one first.
    fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        fill_bytes(self, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference() {
        // The C++ standard specifies this 10000th word for the default seed.
        let mut engine = Mt19937::new(5489);
        let last = (0..10_000).map(|_| engine.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
        // mt19937ar.out, the first words of init_by_array.
        let mut engine = Mt19937::from_key(&[0x123, 0x234, 0x345, 0x456]);
        assert_eq!(
            [engine.next_u32(), engine.next_u32()],
            [1_067_595_299, 955_945_823]
        );
    }
}
