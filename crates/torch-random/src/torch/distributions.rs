//! PyTorch's random numbers as distributions for the crate `rand`.

use super::{check_normal, check_range};
use crate::draws;
use free_memory::assert_fits;
use ndarray_rand::rand::Rng;
use ndarray_rand::rand::distr::Distribution;
use std::cell::RefCell;

/// PyTorch's uniform numbers as a distribution for
/// [`random_using`](ndarray_rand::RandomExt::random_using).
///
/// ```
/// use torch_random::torch::{Generator, Uniform};
/// use ndarray_rand::RandomExt;
/// use ndarray::Array2;
///
/// let mut rng = Generator::manual_seed(123);
/// let drawn = Array2::random_using((3, 2), Uniform::new(0.0, 1.0), &mut rng);
/// assert_eq!(drawn, Generator::manual_seed(123).rand((3, 2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    low: f32,
    high: f32,
}

impl Uniform {
    /// Numbers from `low` (included) to `high`.
    ///
    /// PyTorch: `tensor.uniform_(low, high)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, or if one of them or their difference is not finite.
    ///
    /// ```
    /// use torch_random::torch::{Generator, Uniform};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let drawn = Array1::random_using(3, Uniform::new(0.0, 1.0), rng);
    /// assert_eq!(drawn, Generator::manual_seed(123).rand(3));
    /// ```
    #[track_caller]
    pub fn new(low: f32, high: f32) -> Uniform {
        check_range("Uniform", low, high);
        Uniform { low, high }
    }
}

impl Distribution<f32> for Uniform {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f32 {
        draws::uniform_between(rng, self.low, self.high)
    }
}

/// PyTorch's normal numbers as a distribution for
/// [`random_using`](ndarray_rand::RandomExt::random_using).
///
/// How PyTorch makes normals depends on how many are drawn at once, so this needs to
/// know the number of elements of the array. It draws all of them when the first is
/// requested. For up to 15 elements, it starts with a new pair: it neither uses a spare number that
/// [`Generator::randn`](super::Generator::randn) left behind, nor leaves one.
///
/// ```
/// use torch_random::torch::{Generator, Normal};
/// use ndarray_rand::RandomExt;
/// use ndarray::Array2;
///
/// let mut rng = Generator::manual_seed(74);
/// let drawn = Array2::random_using((5, 8), Normal::new(0.0, 1.0, 5 * 8), &mut rng);
/// assert_eq!(drawn, Generator::manual_seed(74).randn((5, 8)));
/// ```
#[derive(Clone, Debug)]
pub struct Normal {
    mean: f64,
    std: f64,
    count: usize,
    /// The remaining numbers, the next one last.
    waiting: RefCell<Vec<f32>>,
}

impl Normal {
    /// Normal numbers for an array of `count` elements.
    ///
    /// PyTorch: `torch.normal(mean, std, (count,))`
    ///
    /// # Panics
    ///
    /// If `std` is negative, if `mean` or `std` is not finite in f32, or if `count` is 0
    /// or that many numbers do not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::{Generator, Normal};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let drawn = Array1::random_using(20, Normal::new(0.0, 1.0, 20), rng);
    /// assert_eq!(drawn, Generator::manual_seed(123).randn(20));
    /// ```
    #[track_caller]
    pub fn new(mean: f64, std: f64, count: usize) -> Normal {
        check_normal("Normal", mean as f32, std as f32);
        assert!(count > 0, "Normal: count is 0: give the size of the array");
        assert_fits("Normal", &[count], size_of::<f32>());
        Normal {
            mean,
            std,
            count,
            waiting: RefCell::default(),
        }
    }
}

impl Distribution<f32> for Normal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f32 {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.is_empty() {
            *waiting = draws::normals(rng, &mut None, self.count, self.mean, self.std);
            waiting.reverse();
        }
        waiting.pop().unwrap_or(f32::NAN) // never empty: count is at least 1
    }
}
