//! NumPy's legacy random numbers as distributions for the crate `rand`.

use super::random_state::{normal, uniform};
use super::{check_normal, check_range};
use ndarray_rand::rand::Rng;
use ndarray_rand::rand::distr::Distribution;
use std::cell::Cell;

/// NumPy's uniform numbers as a distribution for
/// [`random_using`](ndarray_rand::RandomExt::random_using).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    /// Numbers from `low` (included) to `high`.
    ///
    /// NumPy: `np.random.uniform(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If one of them, or their difference, is not finite.
    ///
    /// ```
    /// use torch_random::numpy::{Uniform, RandomState};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let drawn = Array1::random_using(3, Uniform::new(-1.0, 1.0), &mut RandomState::new(42));
    /// assert_eq!(drawn, RandomState::new(42).uniform(-1.0, 1.0, 3));
    /// ```
    #[track_caller]
    pub fn new(low: f64, high: f64) -> Uniform {
        check_range("Uniform", low, high);
        Uniform { low, high }
    }
}

impl Distribution<f64> for Uniform {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.low + (self.high - self.low) * uniform(rng)
    }
}

/// NumPy's normal numbers as a distribution for
/// [`random_using`](ndarray_rand::RandomExt::random_using).
///
/// It keeps the second number of a pair to itself, and does not use the one that
/// [`RandomState::randn`](super::RandomState::randn) may have left.
#[derive(Clone, Debug)]
pub struct Normal {
    loc: f64,
    scale: f64,
    spare: Cell<Option<f64>>,
}

impl Normal {
    /// Numbers with mean `loc` and standard deviation `scale`.
    ///
    /// # Panics
    ///
    /// If `scale` is negative, or `loc` or `scale` is not finite.
    ///
    /// NumPy: `np.random.normal(loc, scale, shape)`
    ///
    /// ```
    /// use torch_random::numpy::{Normal, RandomState};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let drawn = Array1::random_using(3, Normal::new(0.0, 1.0), &mut RandomState::new(42));
    /// assert_eq!(drawn, RandomState::new(42).normal(0.0, 1.0, 3));
    /// ```
    #[track_caller]
    pub fn new(loc: f64, scale: f64) -> Normal {
        check_normal("Normal", loc, scale);
        Normal {
            loc,
            scale,
            spare: Cell::new(None),
        }
    }
}

impl Distribution<f64> for Normal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mut spare = self.spare.take();
        let drawn = normal(rng, &mut spare);
        self.spare.set(spare);
        self.loc + self.scale * drawn
    }
}
