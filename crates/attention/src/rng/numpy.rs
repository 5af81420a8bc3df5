//! NumPy's legacy random numbers.
//!
//! Source in NumPy: `numpy/random/src/legacy/legacy-distributions.c` and
//! `numpy/random/mtrand.pyx`.

use super::mt19937::Mt19937;
use super::torch::shaped;
use ndarray::{Array, Array1, IntoDimension};
use ndarray_rand::rand::distr::Distribution;
use ndarray_rand::rand::{Rng, RngCore};
use std::cell::Cell;

/// NumPy's legacy generator.
///
/// Methods that fill an array take its shape as ndarray does: `5`, `(3, 2)`.
/// Numbers are f64 and drawn in row order.
///
/// NumPy: `np.random.RandomState`; `np.random.seed` and the functions of
/// `np.random` use a global one.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomState {
    engine: Mt19937,
    /// The second normal of a pair, kept for the next one.
    spare_normal: Option<f64>,
}

impl RandomState {
    /// The generator of a seed.
    ///
    /// NumPy: `np.random.seed(seed)`
    ///
    /// ```
    /// use attention::{rng::numpy::RandomState, show};
    ///
    /// let drawn = RandomState::new(42).randn(2);
    /// assert_eq!(show(&drawn).to_string(), "[ 0.49671415, -0.1382643 ]  f64 (2,)");
    /// ```
    pub fn new(seed: u32) -> RandomState {
        RandomState {
            engine: Mt19937::new(seed),
            spare_normal: None,
        }
    }

    /// The generator of a list of numbers.
    ///
    /// NumPy: `np.random.seed(key)`
    ///
    /// # Panics
    ///
    /// If the list is empty, or longer than the 624 words of the generator's state.
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
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
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// let numbers = RandomState::new(42).random_sample(3);
    /// assert_eq!(numbers, RandomState::new(42).rand(3));
    /// ```
    pub fn random_sample<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped(shape, |count| {
            (0..count).map(|_| uniform(&mut self.engine)).collect()
        })
    }

    /// The same as [`RandomState::random_sample`].
    ///
    /// NumPy: `np.random.rand(*shape)`
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// let matrix = RandomState::new(42).rand((3, 2));
    /// assert_eq!(matrix[[0, 0]], 0.3745401188473625);
    /// ```
    pub fn rand<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        self.random_sample(shape)
    }

    /// Uniform numbers from `low` (included) to `high`.
    ///
    /// NumPy: `np.random.uniform(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If one of them is not finite.
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
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
        assert!(
            low.is_finite() && high.is_finite(),
            "uniform: low is {low} and high is {high}: both must be finite"
        );
        shaped(shape, |count| {
            (0..count)
                .map(|_| low + (high - low) * uniform(&mut self.engine))
                .collect()
        })
    }

    /// Normal numbers with mean 0 and standard deviation 1.
    ///
    /// NumPy: `np.random.randn(*shape)`
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// assert_eq!(RandomState::new(42).randn(1)[0], 0.4967141530112327);
    /// ```
    pub fn randn<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped(shape, |count| {
            (0..count)
                .map(|_| normal(&mut self.engine, &mut self.spare_normal))
                .collect()
        })
    }

    /// Normal numbers with mean `loc` and standard deviation `scale`.
    ///
    /// NumPy: `np.random.normal(loc, scale, shape)`
    ///
    /// # Panics
    ///
    /// If `scale` is negative or not finite.
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
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
        check_scale("normal", scale);
        shaped(shape, |count| {
            (0..count)
                .map(|_| loc + scale * normal(&mut self.engine, &mut self.spare_normal))
                .collect()
        })
    }

    /// Exponentially distributed numbers with mean `scale`.
    ///
    /// NumPy: `np.random.exponential(scale, shape)`
    ///
    /// # Panics
    ///
    /// If `scale` is negative or not finite.
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// let waits = RandomState::new(1).exponential(0.5, 10_000);
    /// assert!((waits.mean().unwrap() - 0.5).abs() < 0.05);
    /// ```
    #[track_caller]
    pub fn exponential<D: IntoDimension>(&mut self, scale: f64, shape: D) -> Array<f64, D::Dim> {
        check_scale("exponential", scale);
        shaped(shape, |count| {
            (0..count)
                .map(|_| scale * -(1.0 - uniform(&mut self.engine)).ln())
                .collect()
        })
    }

    /// Whole numbers from `low` (included) to `high`.
    ///
    /// NumPy: `np.random.randint(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is not below `high`.
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
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
        assert!(low < high, "randint: low {low} is not below high {high}");
        let largest = high.wrapping_sub(low) as u64 - 1;
        shaped(shape, |count| {
            (0..count)
                .map(|_| low.wrapping_add(self.at_most(largest) as i64))
                .collect()
        })
    }

    /// Puts `items` into random order.
    ///
    /// NumPy: `np.random.shuffle(items)`
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// let mut cards = [1, 2, 3, 4, 5];
    /// RandomState::new(1).shuffle(&mut cards);
    /// cards.sort();
    /// assert_eq!(cards, [1, 2, 3, 4, 5]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.at_most(last as u64) as usize);
        }
    }

    /// The numbers from 0 to `count - 1` in random order.
    ///
    /// NumPy: `np.random.permutation(count)`
    ///
    /// ```
    /// use attention::rng::numpy::RandomState;
    ///
    /// let mut order = RandomState::new(1).permutation(5).to_vec();
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// ```
    pub fn permutation(&mut self, count: usize) -> Array1<i64> {
        let mut order: Vec<i64> = (0..count as i64).collect();
        self.shuffle(&mut order);
        order.into()
    }

    /// A whole number from 0 to `largest`: bits are drawn until they fit.
    fn at_most(&mut self, largest: u64) -> u64 {
        let mask = u64::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        if mask == 0 {
            return 0;
        }
        loop {
            let word = if largest <= u64::from(u32::MAX) {
                u64::from(self.engine.next_u32())
            } else {
                self.engine.next_u64()
            };
            if word & mask <= largest {
                return word & mask;
            }
        }
    }
}

/// A uniform number of the high bits of two words: 27 of the first, 26 of the
/// second.
fn uniform<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    let high = f64::from(words.next_u32() >> 5);
    let low = f64::from(words.next_u32() >> 6);
    (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
}

/// One of a pair of normals; the other is kept in `spare`. (Marsaglia and Bray
/// 1964, the polar method.)
fn normal<R: RngCore + ?Sized>(words: &mut R, spare: &mut Option<f64>) -> f64 {
    if let Some(spare) = spare.take() {
        return spare;
    }
    loop {
        let x = 2.0 * uniform(words) - 1.0;
        let y = 2.0 * uniform(words) - 1.0;
        let square = x * x + y * y;
        if square < 1.0 && square != 0.0 {
            let factor = (-2.0 * square.ln() / square).sqrt();
            *spare = Some(factor * x);
            return factor * y;
        }
    }
}

#[track_caller]
fn check_scale(function: &str, scale: f64) {
    assert!(
        scale >= 0.0 && scale.is_finite(),
        "{function}: scale is {scale}: it must be 0 or more"
    );
}

/// Raw words, for the distributions of the crate `rand`.
impl RngCore for RandomState {
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
    /// ```
    /// use attention::rng::numpy::{Uniform, RandomState};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let drawn = Array1::random_using(3, Uniform::new(-1.0, 1.0), &mut RandomState::new(42));
    /// assert_eq!(drawn, RandomState::new(42).uniform(-1.0, 1.0, 3));
    /// ```
    pub fn new(low: f64, high: f64) -> Uniform {
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
/// It keeps the second number of a pair to itself, and does not see the one that
/// [`RandomState::randn`] may have left.
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
    /// If `scale` is negative or not finite.
    ///
    /// NumPy: `np.random.normal(loc, scale, shape)`
    ///
    /// ```
    /// use attention::rng::numpy::{Normal, RandomState};
    /// use ndarray::Array1;
    /// use ndarray_rand::RandomExt;
    ///
    /// let drawn = Array1::random_using(3, Normal::new(0.0, 1.0), &mut RandomState::new(42));
    /// assert_eq!(drawn, RandomState::new(42).normal(0.0, 1.0, 3));
    /// ```
    #[track_caller]
    pub fn new(loc: f64, scale: f64) -> Normal {
        check_scale("Normal", scale);
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
