//! Raw words, for the distributions of the crate `rand`.

use ndarray_rand::rand::RngCore;

/// Fills `bytes` with 32-bit words in little-endian order.
pub(crate) fn fill_bytes<R: RngCore>(words: &mut R, bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(4) {
        chunk.copy_from_slice(&words.next_u32().to_le_bytes()[..chunk.len()]);
    }
}

/// Implements `RngCore` for a generator whose field `engine` draws the words.
macro_rules! draw_words_of_engine {
    ($generator:ident) => {
        impl ndarray_rand::rand::RngCore for $generator {
            fn next_u32(&mut self) -> u32 {
                self.engine.next_u32()
            }

            fn next_u64(&mut self) -> u64 {
                self.engine.next_u64()
            }

            fn fill_bytes(&mut self, bytes: &mut [u8]) {
                self.engine.fill_bytes(bytes);
            }
        }
    };
}
pub(crate) use draw_words_of_engine;
