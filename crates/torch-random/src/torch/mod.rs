//! PyTorch's random numbers on the CPU.
//!
//! Sources in PyTorch: `ATen/core/MT19937RNGEngine.h`, `DistributionsHelper.h` and
//! `TransformationHelper.h` (engine and single numbers),
//! `ATen/native/cpu/DistributionTemplates.h` (whole tensors), `torch/nn/init.py`
//! (layers).

mod chance;
mod distributions;
mod init;
mod integers;
mod multinomial;

use super::draws;
use super::mt19937::Mt19937;
use super::shaped::shaped;
use crate::raw_words::draw_words_of_engine;
use ndarray::{Array, IntoDimension, NdFloat};
use ndarray_rand::rand::RngCore;

pub use distributions::{Normal, Uniform};

/// PyTorch's CPU generator.
///
/// Methods that fill an array take its shape as in ndarray: `5`, `(3, 2)`,
/// `(4, 8, 2)`. Numbers are drawn in row-major order.
///
/// PyTorch: `torch.Generator`
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    seed: u32,
    engine: Mt19937,
    /// The second normal of a pair, kept for the next call that draws fewer than 16.
    spare_normal: Option<f64>,
}

/// A position in the stream of a [`Generator`]: everything needed to restore one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The seed.
    pub seed: u32,
    /// How many 32-bit words have been drawn.
    pub words: u64,
    /// The second normal of a pair, kept for the next call that draws fewer than 16.
    pub spare_normal: Option<f64>,
}

impl Generator {
    /// The generator for a seed, of which PyTorch uses the low 32 bits.
    ///
    /// PyTorch: `torch.manual_seed(seed)`
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let mut rng = Generator::manual_seed(123);
    /// assert_eq!(format!("{:.4}", rng.rand(3)), "[0.2961, 0.5166, 0.2517]");
    /// ```
    pub fn manual_seed(seed: u64) -> Generator {
        let seed = seed as u32;
        Generator {
            seed,
            engine: Mt19937::new(seed),
            spare_normal: None,
        }
    }

    /// The generator at a position in its stream. Takes 3 seconds per billion
    /// words.
    ///
    /// PyTorch: `generator.set_state(state)`
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let mut rng = Generator::manual_seed(1);
    /// rng.randn(3);
    /// assert_eq!(Generator::at(rng.state()), rng);
    /// ```
    pub fn at(state: State) -> Generator {
        let mut rng = Generator::manual_seed(u64::from(state.seed));
        for _ in 0..state.words {
            rng.engine.next_u32();
        }
        rng.spare_normal = state.spare_normal;
        rng
    }

    /// The generator's position in its stream, from which [`Generator::at`] continues.
    ///
    /// PyTorch: `generator.get_state()`
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let mut rng = Generator::manual_seed(1);
    /// rng.rand(5);
    /// assert_eq!(rng.state().words, 5);
    /// ```
    pub fn state(&self) -> State {
        State {
            seed: self.seed,
            words: self.engine.drawn(),
            spare_normal: self.spare_normal,
        }
    }

    /// Uniform numbers from 0 (included) to 1.
    ///
    /// PyTorch: `torch.rand(shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let matrix = Generator::manual_seed(123).rand((3, 2));
    /// assert!(matrix.iter().all(|number| (0.0..1.0).contains(number)));
    /// ```
    #[track_caller]
    pub fn rand<D: IntoDimension>(&mut self, shape: D) -> Array<f32, D::Dim> {
        shaped("rand", shape, |count| self.uniforms(count, 0.0, 1.0))
    }

    /// Uniform numbers from 0 (included) to 1 in f64. Each takes two words where
    /// [`Generator::rand`] takes one, so the numbers are different.
    ///
    /// PyTorch: `torch.rand(shape, dtype=torch.float64)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).rand_f64(2);
    /// assert_eq!(format!("{:.8}", numbers), "[0.06105327, 0.22455451]");
    /// ```
    #[track_caller]
    pub fn rand_f64<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("rand_f64", shape, |count| {
            self.uniforms_f64(count, 0.0, 1.0)
        })
    }

    /// Uniform numbers from `low` (included) to `high`.
    ///
    /// PyTorch: `torch.empty(shape).uniform_(low, high)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, if one of them or their difference is not finite, or if the
    /// array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).uniform(100, -2.0, 5.0);
    /// assert!(numbers.iter().all(|number| (-2.0..5.0).contains(number)));
    /// ```
    #[track_caller]
    pub fn uniform<D: IntoDimension>(
        &mut self,
        shape: D,
        low: f32,
        high: f32,
    ) -> Array<f32, D::Dim> {
        check_range("uniform", low, high);
        shaped("uniform", shape, |count| self.uniforms(count, low, high))
    }

    /// Uniform numbers from `low` (included) to `high` in f64.
    ///
    /// PyTorch: `torch.empty(shape, dtype=torch.float64).uniform_(low, high)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, if one of them or their difference is not finite, or if the
    /// array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).uniform_f64(100, -2.0, 5.0);
    /// assert!(numbers.iter().all(|number| (-2.0..5.0).contains(number)));
    /// ```
    #[track_caller]
    pub fn uniform_f64<D: IntoDimension>(
        &mut self,
        shape: D,
        low: f64,
        high: f64,
    ) -> Array<f64, D::Dim> {
        check_range("uniform_f64", low, high);
        shaped("uniform_f64", shape, |count| {
            self.uniforms_f64(count, low, high)
        })
    }

    /// Normal numbers with mean 0 and standard deviation 1.
    ///
    /// PyTorch generates up to 15 of them one by one in f64, and 16 or more in blocks
    /// in f32, so a large array does not start with the numbers of a small one.
    ///
    /// PyTorch: `torch.randn(shape)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(74).randn((100, 100));
    /// assert!(numbers.mean().unwrap().abs() < 0.05);
    /// ```
    #[track_caller]
    pub fn randn<D: IntoDimension>(&mut self, shape: D) -> Array<f32, D::Dim> {
        shaped("randn", shape, |count| self.normals(count, 0.0, 1.0))
    }

    /// Normal numbers with mean 0 and standard deviation 1 in f64.
    ///
    /// PyTorch: `torch.randn(shape, dtype=torch.float64)`
    ///
    /// # Panics
    ///
    /// If the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).randn_f64(2);
    /// assert_eq!(format!("{:.8}", numbers), "[0.66135217, 0.26692410]");
    /// ```
    #[track_caller]
    pub fn randn_f64<D: IntoDimension>(&mut self, shape: D) -> Array<f64, D::Dim> {
        shaped("randn_f64", shape, |count| {
            self.normals_f64(count, 0.0, 1.0)
        })
    }

    /// Normal numbers with the given mean and standard deviation.
    ///
    /// PyTorch: `torch.normal(mean, std, shape)`
    ///
    /// # Panics
    ///
    /// If `std` is negative, if `mean` or `std` is not finite in f32, or if the array does
    /// not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).normal(10_000, 10.0, 2.0);
    /// assert!((numbers.mean().unwrap() - 10.0).abs() < 0.1);
    /// ```
    #[track_caller]
    pub fn normal<D: IntoDimension>(
        &mut self,
        shape: D,
        mean: f64,
        std: f64,
    ) -> Array<f32, D::Dim> {
        check_normal("normal", mean as f32, std as f32);
        shaped("normal", shape, |count| self.normals(count, mean, std))
    }

    /// Normal numbers with the given mean and standard deviation in f64.
    ///
    /// PyTorch: `torch.normal(mean, std, shape, dtype=torch.float64)`
    ///
    /// # Panics
    ///
    /// If `std` is negative, if `mean` or `std` is not finite, or if the array does not fit
    /// into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(1).normal_f64(10_000, 10.0, 2.0);
    /// assert!((numbers.mean().unwrap() - 10.0).abs() < 0.1);
    /// ```
    #[track_caller]
    pub fn normal_f64<D: IntoDimension>(
        &mut self,
        shape: D,
        mean: f64,
        std: f64,
    ) -> Array<f64, D::Dim> {
        check_normal("normal_f64", mean, std);
        shaped("normal_f64", shape, |count| {
            self.normals_f64(count, mean, std)
        })
    }

    // The rest has no type parameters, so it is compiled once, with this crate, and not again in
    // every notebook cell that uses it.

    fn uniforms(&mut self, count: usize, low: f32, high: f32) -> Vec<f32> {
        draws::uniforms(&mut self.engine, count, low, high)
    }

    fn uniforms_f64(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        draws::uniforms_f64(&mut self.engine, count, low, high)
    }

    fn normals(&mut self, count: usize, mean: f64, std: f64) -> Vec<f32> {
        draws::normals(&mut self.engine, &mut self.spare_normal, count, mean, std)
    }

    fn normals_f64(&mut self, count: usize, mean: f64, std: f64) -> Vec<f64> {
        draws::normals_f64(&mut self.engine, &mut self.spare_normal, count, mean, std)
    }
}

/// Panics unless `low` is at most `high`, and both are finite, as is their difference.
#[track_caller]
fn check_range<A: NdFloat>(function: &str, low: A, high: A) {
    assert!(
        low.is_finite() && high.is_finite(),
        "{function}: low is {low} and high is {high}: both must be finite"
    );
    assert!(low <= high, "{function}: low {low} is above high {high}");
    assert!(
        (high - low).is_finite(),
        "{function}: high - low, {high:?} - {low:?}, is infinite: choose a narrower range"
    );
}

#[track_caller]
fn check_normal<A: NdFloat>(function: &str, mean: A, std: A) {
    assert!(
        mean.is_finite(),
        "{function}: mean is {mean}: it must be finite"
    );
    assert!(
        std >= A::zero() && std.is_finite(),
        "{function}: std is {std}: it must be 0 or more, and finite"
    );
}

draw_words_of_engine!(Generator);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_goes_on_from_its_state() {
        for seed in [0, 5, 0x1_0000, 0xfedc_ba98, u64::MAX - 7] {
            let mut rng = Generator::manual_seed(seed);
            rng.randn(3); // leaves a normal number cached in the generator
            rng.rand(1000);
            let mut resumed = Generator::at(rng.state());
            assert_eq!(resumed, rng, "seed {seed}");
            assert_eq!(resumed.randn(40), rng.randn(40), "seed {seed}");
        }
    }
}
