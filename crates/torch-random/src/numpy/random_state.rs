//! NumPy's legacy random generator.
//!
//! Source in NumPy: `numpy/random/src/legacy/legacy-distributions.c` and
//! `numpy/random/mtrand.pyx`.

use super::bounded::masked;
use super::choice::{check_count, check_probabilities, weighted};
use super::{check_normal, check_range, check_scale, order};
use crate::logarithm::ln;
use crate::mt19937::Mt19937;
use crate::raw_words::draw_words_of_engine;
use crate::shaped::{check_integers, shaped, size_of_shape};
use free_memory::assert_fits;
use ndarray::{Array, Array1, ArrayRef1, IntoDimension};
use ndarray_rand::rand::RngCore;

/// NumPy's legacy generator.
///
/// Methods that fill an array take its shape as in ndarray: `5`, `(3, 2)`.
/// Numbers are f64, drawn in row-major order.
///
/// NumPy: `np.random.RandomState`; `np.random.seed` and the functions of
/// `np.random` use a global one.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomState {
    engine: Mt19937,
    /// The second normal of a pair, kept for the next call.
    spare_normal: Option<f64>,
}

impl RandomState {
    /// The generator for a seed.
    ///
    /// NumPy: `np.random.seed(seed)`
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let drawn = RandomState::new(42).randn(2);
    /// assert_eq!(format!("{:.8}", drawn), "[0.49671415, -0.13826430]");
    /// ```
    pub fn new(seed: u32) -> RandomState {
        RandomState {
            engine: Mt19937::new(seed),
            spare_normal: None,
        }
    }

    /// The generator for a list of numbers.
    ///
    /// NumPy: `np.random.seed(key)`
    ///
    /// # Panics
    ///
    /// If the list is empty, or longer than the 624 words of the generator's state.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// assert_ne!(RandomState::from_key(&[1, 2]), RandomState::from_key(&[2, 1]));
    /// ```
    #[track_caller]
    pub fn from_key(key: &[u32]) -> RandomState {
        assert!(
            (1..=624).contains(&key.len()),
            "RandomState: the key has {} numbers: give 1 to 624",
            key.len()
        );
        RandomState {
            engine: Mt19937::from_key(key),
            spare_normal: None,
        }
    }

    /// Uniform numbers from 0 (included) to 1.
    ///
    /// NumPy: `np.random.random_sample(shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let numbers = RandomState::new(42).random_sample(3);
    /// assert_eq!(numbers, RandomState::new(42).rand(3));
    /// ```
    #[track_caller]
    pub fn random_sample<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("random_sample", shape, |count| self.uniforms(count))
    }

    /// Another name for [`RandomState::random_sample`].
    ///
    /// NumPy: `np.random.rand(*shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let matrix = RandomState::new(42).rand((3, 2));
    /// assert_eq!(matrix[[0, 0]], 0.3745401188473625);
    /// ```
    #[track_caller]
    pub fn rand<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("rand", shape, |count| self.uniforms(count))
    }

    /// Uniform numbers from `low` (included) to `high`.
    ///
    /// NumPy: `np.random.uniform(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If one of them, or their difference, is not finite, or if the array does not fit into
    /// memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let numbers = RandomState::new(1).uniform(-2.0, 5.0, 100);
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
        let mut numbers = shaped("uniform", shape, |count| self.uniforms(count));
        numbers.mapv_inplace(|number| low + (high - low) * number);
        numbers
    }

    /// Normal numbers with mean 0 and standard deviation 1.
    ///
    /// NumPy: `np.random.randn(*shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// assert_eq!(RandomState::new(42).randn(1)[0], 0.4967141530112327);
    /// ```
    #[track_caller]
    pub fn randn<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("randn", shape, |count| self.normals(count))
    }

    /// Normal numbers with mean `loc` and standard deviation `scale`.
    ///
    /// NumPy: `np.random.normal(loc, scale, shape)`
    ///
    /// # Panics
    ///
    /// If `scale` is negative, if `loc` or `scale` is not finite, or if the array does not
    /// fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let numbers = RandomState::new(1).normal(10.0, 2.0, 10_000);
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
        let mut numbers = shaped("normal", shape, |count| self.normals(count));
        numbers.mapv_inplace(|number| loc + scale * number);
        numbers
    }

    /// Exponentially distributed numbers with mean `scale`.
    ///
    /// NumPy: `np.random.exponential(scale, shape)`
    ///
    /// # Panics
    ///
    /// If `scale` is negative or not finite, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let waits = RandomState::new(1).exponential(0.5, 10_000);
    /// assert!((waits.mean().unwrap() - 0.5).abs() < 0.05);
    /// ```
    #[track_caller]
    pub fn exponential<D: IntoDimension>(&mut self, scale: f64, shape: D) -> Array<f64, D::Dim> {
        check_scale("exponential", scale);
        shaped("exponential", shape, |count| {
            self.exponentials(count, scale)
        })
    }

    /// Integers from `low` (included) to `high` (excluded).
    ///
    /// NumPy: `np.random.randint(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is not below `high`, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let dice = RandomState::new(0).randint(1, 7, 100);
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
        shaped("randint", shape, |count| {
            self.whole_numbers(count, low, high - 1)
        })
    }

    /// Puts `items` into random order.
    ///
    /// NumPy: `np.random.shuffle(items)`
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let mut cards = [1, 2, 3, 4, 5];
    /// RandomState::new(1).shuffle(&mut cards);
    /// cards.sort();
    /// assert_eq!(cards, [1, 2, 3, 4, 5]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        order::shuffle(&mut self.engine, items);
    }

    /// The numbers from 0 to `count - 1` in random order.
    ///
    /// NumPy: `np.random.permutation(count)`
    ///
    /// # Panics
    ///
    /// If that many numbers do not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let mut order = RandomState::new(1).permutation(5).to_vec();
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// ```
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> Array1<i64> {
        order::permutation(&mut self.engine, count)
    }

    /// Some of the numbers from 0 to `count - 1`, in an array of the given shape; without
    /// replacement, all of them are different.
    ///
    /// NumPy: `np.random.choice(count, shape, replace)`
    ///
    /// # Panics
    ///
    /// If there are no numbers, or too few to choose from without replacement, or if
    /// the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    ///
    /// let mut chosen = RandomState::new(1).choice(5, 5, false).to_vec();
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
        assert_fits(
            "choice",
            &[count],
            if replace { 0 } else { size_of::<i64>() },
        );
        shaped("choice", shape, |samples| match replace {
            true => self.whole_numbers(samples, 0, count as i64 - 1),
            false => self.permutation(count).to_vec()[..samples].to_vec(),
        })
    }

    /// Some of the numbers from 0 to `p.len() - 1`, drawn with the probabilities `p`, in an array
    /// of the given shape; without replacement, all of them are different.
    ///
    /// NumPy: `np.random.choice(len(p), shape, replace, p)`
    ///
    /// # Panics
    ///
    /// If a probability is negative or NaN, if they do not add up to 1, if too few are above
    /// 0 to choose from without replacement, or if the array does not fit
    /// into memory.
    ///
    /// ```
    /// use torch_random::numpy::RandomState;
    /// use ndarray::array;
    ///
    /// let chosen = RandomState::new(1).choice_weighted(&array![0.0, 1.0], 3, true);
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
        let samples = size_of_shape(&shape);
        check_probabilities(&p, samples, replace);
        shaped("choice_weighted", shape, |samples| {
            weighted(&p, samples, replace, |count| self.uniforms(count))
        })
    }

    // The rest has no type parameters, so it is compiled once, with this crate, and not again in
    // every notebook cell that uses it.

    fn uniforms(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| uniform(&mut self.engine)).collect()
    }

    fn normals(&mut self, count: usize) -> Vec<f64> {
        let draw = |_| normal(&mut self.engine, &mut self.spare_normal);
        (0..count).map(draw).collect()
    }

    fn exponentials(&mut self, count: usize, scale: f64) -> Vec<f64> {
        let draw = |_| scale * -ln(1.0 - uniform(&mut self.engine));
        (0..count).map(draw).collect()
    }

    fn whole_numbers(&mut self, count: usize, low: i64, high: i64) -> Vec<i64> {
        let largest = high.wrapping_sub(low) as u64;
        let draw = |_| low.wrapping_add(masked(&mut self.engine, largest) as i64);
        (0..count).map(draw).collect()
    }
}

/// A uniform number from the high bits of two words: 27 of the first and 26 of the
/// second.
pub(super) fn uniform<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    let high = f64::from(words.next_u32() >> 5);
    let low = f64::from(words.next_u32() >> 6);
    (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
}

/// One of a pair of normals; the other is kept in `spare`. (Marsaglia and Bray
/// 1964, the polar method.)
pub(super) fn normal<R: RngCore + ?Sized>(words: &mut R, spare: &mut Option<f64>) -> f64 {
    if let Some(spare) = spare.take() {
        return spare;
    }
    loop {
        let x = 2.0 * uniform(words) - 1.0;
        let y = 2.0 * uniform(words) - 1.0;
        let square = x * x + y * y;
        if square < 1.0 && square != 0.0 {
            let factor = (-2.0 * ln(square) / square).sqrt();
            *spare = Some(factor * x);
            return factor * y;
        }
    }
}

draw_words_of_engine!(RandomState);
