//! NumPy's newer random generator.
//!
//! Sources in NumPy: `numpy/random/_generator.pyx`,
//! `numpy/random/src/distributions/distributions.c`.

use super::bounded::multiplied;
use super::choice::{check_count, check_probabilities, weighted};
use super::{check_normal, check_range, order};
use crate::pcg64::Pcg64;
use crate::raw_words::draw_words_of_engine;
use crate::shaped::{check_integers, shaped, size_of_shape};
use crate::ziggurat;
use free_memory::assert_fits;
use ndarray::{Array, Array1, ArrayRef1, IntoDimension};
use std::collections::HashSet;

/// The generator for a seed.
///
/// NumPy: `np.random.default_rng(seed)`
///
/// ```
/// use torch_random::numpy;
///
/// let drawn = numpy::default_rng(42).standard_normal(2);
/// assert_eq!(format!("{:.8}", drawn), "[0.30471708, -1.03998411]");
/// ```
pub fn default_rng(seed: u64) -> Generator {
    Generator {
        engine: Pcg64::new(seed),
    }
}

/// NumPy's current generator, created by [`default_rng`].
///
/// Methods that fill an array take its shape as in ndarray: `5`, `(3, 2)`.
/// Numbers are drawn in row-major order.
///
/// NumPy: `np.random.Generator` of `np.random.PCG64`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    engine: Pcg64,
}

impl Generator {
    /// Uniform numbers from 0 (included) to 1.
    ///
    /// NumPy: `rng.random(shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// assert_eq!(numpy::default_rng(42).random(1)[0], 0.7739560485559633);
    /// ```
    #[track_caller]
    pub fn random<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("random", shape, |count| self.uniforms(count, 0.0, 1.0))
    }

    /// Uniform numbers from `low` (included) to `high`.
    ///
    /// NumPy: `rng.uniform(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, if one of them or their difference is not finite, or if the
    /// array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// let numbers = numpy::default_rng(1).uniform(-2.0, 5.0, 100);
    /// assert!(numbers.iter().all(|number| (-2.0..5.0).contains(number)));
    /// ```
    #[track_caller]
    pub fn uniform<D: IntoDimension>(
        &mut self,
        low: f64,
        high: f64,
        shape: D,
    ) -> Array<f64, D::Dim> {
        check_range("uniform", low, high);
        assert!(low <= high, "uniform: low {low} is above high {high}");
        shaped("uniform", shape, |count| self.uniforms(count, low, high))
    }

    /// Normal numbers with mean 0 and standard deviation 1.
    ///
    /// NumPy: `rng.standard_normal(shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// assert_eq!(numpy::default_rng(42).standard_normal(1)[0], 0.30471707975443135);
    /// ```
    #[track_caller]
    pub fn standard_normal<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("standard_normal", shape, |count| self.normals(count, None))
    }

    /// Normal numbers with mean `loc` and standard deviation `scale`.
    ///
    /// NumPy: `rng.normal(loc, scale, shape)`
    ///
    /// # Panics
    ///
    /// If `scale` is negative, if `loc` or `scale` is not finite, or if the array does not
    /// fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// let numbers = numpy::default_rng(1).normal(10.0, 2.0, 10_000);
    /// assert!((numbers.mean().unwrap() - 10.0).abs() < 0.1);
    /// ```
    #[track_caller]
    pub fn normal<D: IntoDimension>(
        &mut self,
        loc: f64,
        scale: f64,
        shape: D,
    ) -> Array<f64, D::Dim> {
        check_normal("normal", loc, scale);
        shaped("normal", shape, |count| {
            self.normals(count, Some((loc, scale)))
        })
    }

    /// Integers from `low` (included) to `high` (excluded).
    ///
    /// NumPy: `rng.integers(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is not below `high`, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    /// use ndarray::array;
    ///
    /// let dice = numpy::default_rng(42).integers(1, 7, 5);
    /// assert_eq!(dice, array![1, 5, 4, 3, 3]);
    /// ```
    #[track_caller]
    pub fn integers<D: IntoDimension>(
        &mut self,
        low: i64,
        high: i64,
        shape: D,
    ) -> Array<i64, D::Dim> {
        check_integers("integers", low, high);
        shaped("integers", shape, |count| {
            self.whole_numbers(count, low, high - 1)
        })
    }

    /// Integers from `low` to `high`, both included.
    ///
    /// NumPy: `rng.integers(low, high, shape, endpoint=True)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// let dice = numpy::default_rng(42).integers_inclusive(1, 6, 5);
    /// assert_eq!(dice, numpy::default_rng(42).integers(1, 7, 5));
    /// ```
    #[track_caller]
    pub fn integers_inclusive<D: IntoDimension>(
        &mut self,
        low: i64,
        high: i64,
        shape: D,
    ) -> Array<i64, D::Dim> {
        assert!(
            low <= high,
            "integers_inclusive: low {low} is above high {high}"
        );
        shaped("integers_inclusive", shape, |count| {
            self.whole_numbers(count, low, high)
        })
    }

    /// Some of the numbers from 0 to `count - 1`, in an array of the given shape; without
    /// replacement, all of them are different.
    ///
    /// NumPy: `rng.choice(count, shape, replace)`
    ///
    /// # Panics
    ///
    /// If there are no numbers, or too few to choose from without replacement, or if
    /// the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// let mut chosen = numpy::default_rng(1).choice(5, 5, false).to_vec();
    /// chosen.sort();
    /// assert_eq!(chosen, [0, 1, 2, 3, 4]);
    /// ```
    #[track_caller]
    pub fn choice<D: IntoDimension>(
        &mut self,
        count: usize,
        shape: D,
        replace: bool,
    ) -> Array<i64, D::Dim> {
        let shape = shape.into_dimension();
        let samples = size_of_shape(&shape);
        check_count("choice", count, samples, replace);
        if !replace && takes_all(count, samples) {
            assert_fits("choice", &[count], size_of::<i64>());
        }
        shaped("choice", shape, |samples| match replace {
            true => self.whole_numbers(samples, 0, count as i64 - 1),
            false => self.different(count, samples),
        })
    }

    /// Some of the numbers from 0 to `p.len() - 1`, drawn with the probabilities `p`, in an array
    /// of the given shape; without replacement, all of them are different.
    ///
    /// NumPy: `rng.choice(len(p), shape, replace, p)`
    ///
    /// # Panics
    ///
    /// If a probability is negative or NaN, if they do not add up to 1, if too few are above
    /// 0 to choose from without replacement, or if the array does not fit
    /// into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    /// use ndarray::array;
    ///
    /// let chosen = numpy::default_rng(1).choice_weighted(&array![0.0, 1.0], 3, true);
    /// assert_eq!(chosen, array![1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn choice_weighted<D: IntoDimension>(
        &mut self,
        p: &ArrayRef1<f64>,
        shape: D,
        replace: bool,
    ) -> Array<i64, D::Dim> {
        let (p, shape) = (p.to_vec(), shape.into_dimension());
        check_probabilities(&p, size_of_shape(&shape), replace);
        shaped("choice_weighted", shape, |samples| {
            weighted(&p, samples, replace, |count| self.uniforms(count, 0.0, 1.0))
        })
    }

    /// Puts `items` into random order.
    ///
    /// NumPy: `rng.shuffle(items)`
    ///
    /// ```
    /// use torch_random::numpy;
    ///
    /// let mut cards = [1, 2, 3, 4, 5];
    /// numpy::default_rng(1).shuffle(&mut cards);
    /// cards.sort();
    /// assert_eq!(cards, [1, 2, 3, 4, 5]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        order::shuffle(&mut self.engine, items);
    }

    /// The numbers from 0 to `count - 1` in random order.
    ///
    /// NumPy: `rng.permutation(count)`
    ///
    /// # Panics
    ///
    /// If that many numbers do not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy;
    /// use ndarray::array;
    ///
    /// assert_eq!(numpy::default_rng(42).permutation(5), array![4, 2, 3, 1, 0]);
    /// ```
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> Array1<i64> {
        order::permutation(&mut self.engine, count)
    }

    // The rest has no type parameters, so it is compiled once, with this crate, and not again in
    // every notebook cell that uses it.

    fn uniforms(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        let draw = |_| low + (high - low) * ziggurat::uniform(&mut self.engine);
        (0..count).map(draw).collect()
    }

    fn normals(&mut self, count: usize, scaled: Option<(f64, f64)>) -> Vec<f64> {
        let mut draw = || ziggurat::normal(&mut self.engine);
        match scaled {
            None => (0..count).map(|_| draw()).collect(),
            Some((loc, scale)) => (0..count).map(|_| loc + scale * draw()).collect(),
        }
    }

    fn whole_numbers(&mut self, count: usize, low: i64, high: i64) -> Vec<i64> {
        let largest = high.wrapping_sub(low) as u64;
        let draw = |_| low.wrapping_add(multiplied(&mut self.engine, largest) as i64);
        (0..count).map(draw).collect()
    }

    /// Distinct numbers below `count`.
    fn different(&mut self, count: usize, samples: usize) -> Vec<i64> {
        let mut chosen: Vec<i64>;
        if takes_all(count, samples) {
            // The tail of a random order of all numbers; only the tail is shuffled.
            chosen = (0..count as i64).collect();
            for last in ((count - samples).max(1)..count).rev() {
                chosen.swap(last, multiplied(&mut self.engine, last as u64) as usize);
            }
            return chosen.split_off(count - samples);
        }
        // Floyd's algorithm: each round allows one more number, which is taken if the number drawn
        // has been taken before. (Bentley and Floyd 1987, "A Sample of Brilliance")
        let mut seen = HashSet::with_capacity(samples);
        chosen = Vec::with_capacity(samples);
        for most in count - samples..count {
            let drawn = multiplied(&mut self.engine, most as u64) as i64;
            let number = if seen.insert(drawn) {
                drawn
            } else {
                most as i64
            };
            seen.insert(number);
            chosen.push(number);
        }
        for last in (1..samples).rev() {
            chosen.swap(last, multiplied(&mut self.engine, last as u64) as usize);
        }
        chosen
    }
}

/// Whether NumPy makes a list of all numbers and then chooses from it.
fn takes_all(count: usize, samples: usize) -> bool {
    count > 10_000 && samples > count / 50
}

draw_words_of_engine!(Generator);
