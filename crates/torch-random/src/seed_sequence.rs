//! Expands one seed into as many well-mixed words as a generator needs.
//!
//! Sources: O'Neill 2015, "Developing a seed_seq Alternative"; NumPy,
//! `numpy/random/bit_generator.pyx`, `SeedSequence`.

/// The number of words in the entropy pool.
const POOL: usize = 4;

/// The mixed entropy of a seed.
pub(super) struct SeedSequence {
    pool: [u32; POOL],
}

impl SeedSequence {
    pub(super) fn new(seed: u64) -> SeedSequence {
        // A seed has at most two words, so it fits into the pool at once.
        let mut hash = Hash::new(0x43b0_d7e5, 0x931e_8875);
        let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(|word| hash.next(word));
        for from in 0..POOL {
            for to in 0..POOL {
                if from != to {
                    pool[to] = mix(pool[to], hash.next(pool[from]));
                }
            }
        }
        SeedSequence { pool }
    }

    /// Words for a generator's state, determined only by the seed.
    pub(super) fn state<const WORDS: usize>(&self) -> [u64; WORDS] {
        let mut hash = Hash::new(0x8b51_f9dd, 0x58f3_8ded);
        let mut words = self.pool.iter().cycle();
        let mut next = || hash.next(words.next().copied().unwrap_or(0));
        std::array::from_fn(|_| u64::from(next()) | u64::from(next()) << 32)
    }
}

/// A hash whose constant changes with every word.
struct Hash {
    constant: u32,
    factor: u32,
}

impl Hash {
    fn new(constant: u32, factor: u32) -> Hash {
        Hash { constant, factor }
    }

    fn next(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.factor);
        folded(word.wrapping_mul(self.constant))
    }
}

fn mix(a: u32, b: u32) -> u32 {
    folded(
        a.wrapping_mul(0xca01_f9dd)
            .wrapping_sub(b.wrapping_mul(0x4973_f715)),
    )
}

fn folded(word: u32) -> u32 {
    word ^ word >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference() {
        // >>> np.random.SeedSequence(12345).generate_state(2, np.uint64)
        assert_eq!(
            SeedSequence::new(12345).state::<2>(),
            [0xb5ae_6482_a03d_837c, 0xbbe2_996f_fa1f_7a2f]
        );
        // >>> np.random.SeedSequence(2**64 - 2).generate_state(2, np.uint64)
        assert_eq!(
            SeedSequence::new(u64::MAX - 1).state::<2>(),
            [0x3cbd_b1f9_3094_a674, 0xd0dc_7f94_77f7_70cc]
        );
    }
}
