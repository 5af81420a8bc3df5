//! Categories drawn with given probabilities.
//!
//! Sources in PyTorch: `ATen/native/Distributions.cpp` (without replacement),
//! `ATen/native/cpu/MultinomialKernel.cpp` (with replacement).

use super::Generator;
use crate::draws;
use free_memory::assert_fits;
use ndarray::{Array1, Array2, ArrayRef, ArrayRef1, ArrayRef2, ArrayView1, Dimension, Ix1};

/// PyTorch's limit on the number of categories.
const MOST: usize = 1 << 24;

impl Generator {
    /// The indices of `samples` different categories, drawn with the given
    /// probabilities (which need not add up to 1).
    ///
    /// `probabilities` is (V,), the result (`samples`,).
    ///
    /// PyTorch: `torch.multinomial(probabilities, samples)`
    ///
    /// # Panics
    ///
    /// If a probability is negative or not finite, if fewer than `samples` of them are
    /// above 0, if `samples` is 0, or if there are more than 2^24 categories.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    /// use ndarray::array;
    ///
    /// let certain = Generator::manual_seed(1).multinomial(&array![0.0, 1.0, 0.0], 1);
    /// assert_eq!(certain, array![1]);
    /// ```
    #[track_caller]
    pub fn multinomial(
        &mut self,
        probabilities: &ArrayRef<f32, Ix1>,
        samples: usize,
    ) -> Array1<usize> {
        check("multinomial", probabilities, samples);
        check_different("multinomial", probabilities.view(), samples);
        self.different(probabilities.view(), samples).into()
    }

    /// The indices of `samples` categories, drawn with the given probabilities (which
    /// need not add up to 1); a category may occur more than once.
    ///
    /// `probabilities` is (V,), the result (`samples`,).
    ///
    /// PyTorch: `torch.multinomial(probabilities, samples, replacement=True)`
    ///
    /// # Panics
    ///
    /// If a probability is negative or not finite, if none is above 0, if `samples` is 0
    /// or does not fit into memory, or if there are more than 2^24 categories.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    /// use ndarray::array;
    ///
    /// let rng = &mut Generator::manual_seed(1);
    /// let certain = rng.multinomial_with_replacement(&array![0.0, 1.0, 0.0], 3);
    /// assert_eq!(certain, array![1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn multinomial_with_replacement(
        &mut self,
        probabilities: &ArrayRef1<f32>,
        samples: usize,
    ) -> Array1<usize> {
        let function = "multinomial_with_replacement";
        check(function, probabilities, samples);
        check_possible(function, probabilities.view());
        assert_fits(function, &[samples], size_of::<usize>());
        self.repeated(probabilities.view(), samples).into()
    }

    /// Draws from each row of a matrix, with or without replacement: (N, V) becomes (N, `samples`).
    ///
    /// PyTorch: `torch.multinomial(probabilities, samples, replacement)`
    ///
    /// # Panics
    ///
    /// If a row does not meet the requirements of [`Generator::multinomial`] or
    /// [`Generator::multinomial_with_replacement`], respectively.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    /// use ndarray::array;
    ///
    /// let rng = &mut Generator::manual_seed(1);
    /// let certain = rng.multinomial_rows(&array![[0.0, 1.0], [1.0, 0.0]], 1, false);
    /// assert_eq!(certain, array![[1], [0]]);
    /// ```
    #[track_caller]
    pub fn multinomial_rows(
        &mut self,
        probabilities: &ArrayRef2<f32>,
        samples: usize,
        replacement: bool,
    ) -> Array2<usize> {
        check("multinomial_rows", probabilities, samples);
        for row in probabilities.rows() {
            match replacement {
                true => check_possible("multinomial_rows", row),
                false => check_different("multinomial_rows", row, samples),
            }
        }
        let shape = (probabilities.nrows(), samples);
        assert_fits("multinomial_rows", &[shape.0, shape.1], size_of::<usize>());
        let mut drawn = Vec::with_capacity(shape.0 * shape.1);
        for row in probabilities.rows() {
            drawn.extend(match replacement {
                true => self.repeated(row, samples),
                false => self.different(row, samples),
            });
        }
        Array2::from_shape_vec(shape, drawn).expect("as many samples for each row")
    }

    /// Draws different categories by a race: they are ordered by p / q, largest first, where q is
    /// exponentially distributed.
    fn different(&mut self, probabilities: ArrayView1<f32>, samples: usize) -> Vec<usize> {
        let times = self.exponentials(probabilities.len(), 1.0);
        let speeds: Vec<f32> = probabilities
            .iter()
            .zip(times)
            .map(|(p, q)| p / q)
            .collect();
        let mut order: Vec<usize> = (0..speeds.len()).collect();
        order.sort_by(|&a, &b| speeds[b].total_cmp(&speeds[a]));
        order.truncate(samples);
        order
    }

    /// Looks up uniform numbers in the cumulative probabilities.
    fn repeated(&mut self, probabilities: ArrayView1<f32>, samples: usize) -> Vec<usize> {
        if samples == 1 {
            return self.different(probabilities, 1); // a single sample cannot repeat
        }
        let mut sum = 0.0;
        let add = |p: &f32| {
            sum += p;
            sum
        };
        let mut sums: Vec<f32> = probabilities.iter().map(add).collect();
        for so_far in &mut sums {
            *so_far /= sum;
        }
        let last = sums.len() - 1;
        sums[last] = 1.0;
        let draw = |_| {
            let number = draws::uniform_f64(&mut self.engine);
            sums.partition_point(|&so_far| f64::from(so_far) < number)
        };
        (0..samples).map(draw).collect()
    }
}

#[track_caller]
fn check<D: Dimension>(function: &str, probabilities: &ArrayRef<f32, D>, samples: usize) {
    for p in probabilities {
        assert!(
            *p >= 0.0 && p.is_finite(),
            "{function}: a probability is {p}: it must be 0 or more, and finite"
        );
    }
    let categories = probabilities.shape().last().copied().unwrap_or(0);
    assert!(
        categories <= MOST,
        "{function}: there are {categories} categories: PyTorch takes at most {MOST}"
    );
    assert!(samples > 0, "{function}: samples is 0: ask for 1 or more");
}

#[track_caller]
fn check_possible(function: &str, probabilities: ArrayView1<f32>) {
    let sum: f32 = probabilities.iter().sum();
    assert!(
        sum > 0.0,
        "{function}: none of {} probabilities is above 0",
        probabilities.len()
    );
    assert!(
        sum.is_finite(),
        "{function}: the sum of the probabilities is infinite: divide them by their largest"
    );
}

#[track_caller]
fn check_different(function: &str, probabilities: ArrayView1<f32>, samples: usize) {
    let possible = probabilities.iter().filter(|p| **p > 0.0).count();
    assert!(
        samples <= possible,
        "{function}: {samples} samples from {possible} probabilities above 0"
    );
}
