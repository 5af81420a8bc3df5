//! The engine of NumPy's newer generator: PCG XSL-RR 128/64.
//!
//! Sources: O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
//! Algorithms for Random Number Generation"; NumPy, `numpy/random/src/pcg64/pcg64.h`.

use super::seed_sequence::SeedSequence;
use crate::raw_words::fill_bytes;
use ndarray_rand::rand::RngCore;

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A stream of 64-bit words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The high half of a word whose low half has been used.
    half: Option<u32>,
}

impl Pcg64 {
    pub(super) fn new(seed: u64) -> Pcg64 {
        let [a, b, c, d] = SeedSequence::new(seed).state();
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        Pcg64::from_state(join(a, b), join(c, d))
    }

    fn from_state(state: u128, stream: u128) -> Pcg64 {
        let mut engine = Pcg64 {
            state: 0,
            increment: stream << 1 | 1,
            half: None,
        };
        engine.step();
        engine.state = engine.state.wrapping_add(state);
        engine.step();
        engine
    }

    fn step(&mut self) {
        let product = self.state.wrapping_mul(MULTIPLIER);
        self.state = product.wrapping_add(self.increment);
    }
}

impl RngCore for Pcg64 {
    /// Half a word, the low half first.
    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let word = self.next_u64();
        self.half = Some((word >> 32) as u32);
        word as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
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
        // The first words of PCG's own demo, seeded with 42 and 54.
        let mut engine = Pcg64::from_state(42, 54);
        assert_eq!(
            [engine.next_u64(), engine.next_u64()],
            [0x86b1_da1d_7206_2b68, 0x1304_aa46_c985_3d39]
        );
        // >>> np.random.PCG64(12345).random_raw(2)
        let mut engine = Pcg64::new(12345);
        assert_eq!(
            [engine.next_u64(), engine.next_u64()],
            [0x3a32_b18d_b2ff_c19d, 0x5117_1315_c9e4_c4de]
        );
    }

    #[test]
    fn bytes_are_those_of_the_words_the_low_one_first() {
        let mut engine = Pcg64::new(1);
        let word = engine.clone().next_u64().to_le_bytes();
        let mut bytes = [0; 7];
        engine.fill_bytes(&mut bytes);
        assert_eq!(bytes, word[..7]);
    }

    #[test]
    fn a_word_is_handed_out_in_halves() {
        let mut engine = Pcg64::new(1);
        let word = engine.clone().next_u64();
        assert_eq!(engine.next_u32(), word as u32);
        let mut between = engine.clone();
        between.next_u64(); // does not use the spare half
        assert_eq!(engine.next_u32(), (word >> 32) as u32);
        assert_eq!(between.next_u32(), (word >> 32) as u32);
    }
}
