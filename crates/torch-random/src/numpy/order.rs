//! Random permutations, as both generators make them.
//!
//! Source in NumPy: `shuffle` in `numpy/random/mtrand.pyx` and `_generator.pyx`.

use super::bounded::masked;
use free_memory::assert_fits;
use ndarray::Array1;
use ndarray_rand::rand::RngCore;

/// Shuffles `items`, from the last position to the first.
pub(super) fn shuffle<T, R: RngCore>(words: &mut R, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, masked(words, last as u64) as usize);
    }
}

/// The numbers from 0 to `count - 1` in random order.
#[track_caller]
pub(super) fn permutation<R: RngCore>(words: &mut R, count: usize) -> Array1<i64> {
    assert_fits("permutation", &[count], size_of::<i64>());
    let mut order: Vec<i64> = (0..count as i64).collect();
    shuffle(words, &mut order);
    order.into()
}
