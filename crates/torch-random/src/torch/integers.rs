//! Integers, and permutations of them.
//!
//! Sources in PyTorch: `ATen/native/cpu/DistributionTemplates.h`,
//! `ATen/native/TensorFactories.cpp`.

use super::Generator;
use crate::shaped::{check_integers, shaped};
use free_memory::assert_fits;
use ndarray::{Array, Array1, IntoDimension};
use ndarray_rand::rand::RngCore;

/// For a range of at least this size, PyTorch draws two words per integer.
const WIDE_RANGE: u64 = 1 << 28;

/// For at least this many numbers, PyTorch draws two words per position of a permutation.
const MANY: usize = u32::MAX as usize / 20;

impl Generator {
    /// Integers from `low` (included) to `high` (excluded).
    ///
    /// PyTorch: `torch.randint(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is not below `high`, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let dice = Generator::manual_seed(0).randint(1, 7, 100);
    /// assert!(dice.iter().all(|eyes| (1..7).contains(eyes)));
    /// ```
    #[track_caller]
    pub fn randint<D: IntoDimension>(
        &mut self,
        low: i64,
        high: i64,
        shape: D,
    ) -> Array<i64, D::Dim> {
        check_integers("randint", low, high);
        shaped("randint", shape, |count| self.integers(count, low, high))
    }

    /// The numbers from 0 to `count - 1` in random order.
    ///
    /// PyTorch: `torch.randperm(count)`
    ///
    /// # Panics
    ///
    /// If that many numbers do not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let mut order = Generator::manual_seed(1).randperm(5).to_vec();
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// ```
    #[track_caller]
    pub fn randperm(&mut self, count: usize) -> Array1<i64> {
        assert_fits("randperm", &[count], size_of::<i64>());
        let mut order: Vec<i64> = (0..count as i64).collect();
        if count < MANY {
            for place in 0..count.saturating_sub(1) {
                let left = (count - place) as u64;
                let offset = u64::from(self.engine.next_u32()) % left;
                order.swap(place, place + offset as usize);
            }
        } else {
            for place in 0..count {
                let other = self.engine.next_u64() % (place as u64 + 1);
                order.swap(place, other as usize);
            }
        }
        order.into()
    }

    fn integers(&mut self, count: usize, low: i64, high: i64) -> Vec<i64> {
        let range = high.wrapping_sub(low) as u64;
        let mut word = || match range {
            WIDE_RANGE.. => self.engine.next_u64(),
            _ => u64::from(self.engine.next_u32()),
        };
        (0..count)
            .map(|_| low.wrapping_add((word() % range) as i64))
            .collect()
    }
}
