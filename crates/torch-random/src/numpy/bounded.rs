//! Uniform integers from 0 to a maximum. Words that would make the distribution uneven are
//! rejected.
//!
//! Source in NumPy: `numpy/random/src/distributions/distributions.c`.

use ndarray_rand::rand::RngCore;

/// Draws an integer by masking: takes the low bits of words until they are at most `largest`.
pub(super) fn masked<R: RngCore>(words: &mut R, largest: u64) -> u64 {
    let mask = u64::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
    if mask == 0 {
        return 0; // draws no word
    }
    loop {
        let word = if largest <= u64::from(u32::MAX) {
            u64::from(words.next_u32())
        } else {
            words.next_u64()
        };
        if word & mask <= largest {
            return word & mask;
        }
    }
}

/// Draws an integer by multiplication: the result is the high part of a product. (Lemire 2019,
/// "Fast Random Integer Generation in an Interval")
pub(super) fn multiplied<R: RngCore>(words: &mut R, largest: u64) -> u64 {
    match largest {
        0 => return 0, // draws no word
        u64::MAX => return words.next_u64(),
        _ => {}
    }
    let range = largest + 1;
    if let Ok(largest) = u32::try_from(largest) {
        // With 2^32 numbers there is no remainder, and the high part is the word itself.
        let rest = u64::from(u32::MAX - largest) % range;
        loop {
            let product = u64::from(words.next_u32()) * range;
            if product & u64::from(u32::MAX) >= rest {
                return product >> 32;
            }
        }
    }
    let rest = (u64::MAX - largest) % range;
    loop {
        let product = u128::from(words.next_u64()) * u128::from(range);
        if product as u64 >= rest {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// A generator that returns predetermined words.
    struct Words(VecDeque<u64>);

    impl RngCore for Words {
        fn next_u32(&mut self) -> u32 {
            self.next_u64() as u32
        }

        fn next_u64(&mut self) -> u64 {
            self.0.pop_front().expect("a word")
        }

        fn fill_bytes(&mut self, _: &mut [u8]) {}
    }

    #[test]
    fn even_in_the_widest_ranges_too_large_a_word_is_redrawn() {
        let words = |words: [u64; 2]| Words(VecDeque::from(words));
        assert_eq!(masked(&mut words([u64::MAX, 5]), u64::MAX - 1), 5);
        assert_eq!(masked(&mut words([u64::MAX, 5]), u64::MAX), u64::MAX);
        let widest_of_32_bits = u64::from(u32::MAX) - 1;
        assert_eq!(
            masked(&mut words([u32::MAX.into(), 7]), widest_of_32_bits),
            7
        );
        // A product is rejected if its low part is below the remainder: dividing the 2^64
        // words among 2^64 - 1 numbers leaves one over, and the word 0 has a low part of 0.
        assert_eq!(multiplied(&mut words([0, 5]), u64::MAX - 1), 4);
        assert_eq!(multiplied(&mut words([0, 5]), u64::MAX), 0);
        assert_eq!(multiplied(&mut words([0, 5]), widest_of_32_bits), 4);
        assert_eq!(multiplied(&mut words([0, 5]), u32::MAX.into()), 0);
    }
}
