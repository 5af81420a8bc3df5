//! PyTorch's random numbers on the CPU.
//!
//! Sources in PyTorch: `ATen/core/MT19937RNGEngine.h`, `DistributionsHelper.h` and
//! `TransformationHelper.h` (engine and single numbers),
//! `ATen/native/cpu/DistributionTemplates.h` (whole tensors), `torch/nn/init.py`
//! (layers).

use super::draws;
use super::mt19937::Mt19937;
use ndarray::{Array, Array1, Array2, ArrayRef, Dimension, IntoDimension, Ix1};
use ndarray_rand::rand::RngCore;

pub use super::distributions::{Normal, Uniform};

/// From this range on PyTorch draws two words for an integer.
const WIDE_RANGE: u64 = 1 << 28;

/// PyTorch's CPU generator.
///
/// Methods that fill an array take its shape as ndarray does: `5`, `(3, 2)`,
/// `(4, 8, 2)`. Numbers are drawn in row order.
///
/// PyTorch: `torch.Generator`
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    seed: u32,
    engine: Mt19937,
    /// The second normal of a pair, kept for the next call that draws single ones.
    spare_normal: Option<f64>,
}

impl Generator {
    /// The generator of a seed, of which PyTorch uses the low 32 bits.
    ///
    /// PyTorch: `torch.manual_seed(seed)`
    ///
    /// ```
    /// use attention::{rng::torch::Generator, show};
    ///
    /// let mut rng = Generator::manual_seed(123);
    /// assert_eq!(show(&rng.rand(3)).to_string(), "[0.2961, 0.5166, 0.2517]  f32 (3,)");
    /// ```
    pub fn manual_seed(seed: u64) -> Generator {
        let seed = seed as u32;
        Generator {
            seed,
            engine: Mt19937::new(seed),
            spare_normal: None,
        }
    }

    /// The generator at a place of its stream: the seed, how many words were drawn, and
    /// the spare normal. Takes 3 seconds for a thousand million words.
    pub(crate) fn at(state: (u32, u64, Option<f64>)) -> Generator {
        let mut rng = Generator::manual_seed(u64::from(state.0));
        for _ in 0..state.1 {
            rng.engine.next_u32();
        }
        rng.spare_normal = state.2;
        rng
    }

    /// What [`Generator::at`] needs to go on from here.
    pub(crate) fn state(&self) -> (u32, u64, Option<f64>) {
        (self.seed, self.engine.drawn(), self.spare_normal)
    }

    /// Uniform numbers from 0 (included) to 1.
    ///
    /// PyTorch: `torch.rand(shape)`
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let matrix = Generator::manual_seed(123).rand((3, 2));
    /// assert!(matrix.iter().all(|number| (0.0..1.0).contains(number)));
    /// ```
    pub fn rand<D: IntoDimension>(&mut self, shape: D) -> Array<f32, D::Dim> {
        shaped(shape, |count| {
            draws::uniforms(&mut self.engine, count, 0.0, 1.0)
        })
    }

    /// Uniform numbers from `low` (included) to `high`.
    ///
    /// PyTorch: `torch.empty(shape).uniform_(low, high)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, or one of them is not finite.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
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
        check_range(low, high);
        shaped(shape, |count| {
            draws::uniforms(&mut self.engine, count, low, high)
        })
    }

    /// Normal numbers with mean 0 and standard deviation 1.
    ///
    /// PyTorch makes up to 15 of them one by one in f64, and from 16 on in blocks
    /// in f32; so the first numbers of a large array are not those of a small one.
    ///
    /// PyTorch: `torch.randn(shape)`
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let numbers = Generator::manual_seed(74).randn((100, 100));
    /// assert!(numbers.mean().unwrap().abs() < 0.05);
    /// ```
    pub fn randn<D: IntoDimension>(&mut self, shape: D) -> Array<f32, D::Dim> {
        shaped(shape, |count| {
            draws::normals(&mut self.engine, &mut self.spare_normal, count, 0.0, 1.0)
        })
    }

    /// Normal numbers with the given mean and standard deviation.
    ///
    /// PyTorch: `torch.normal(mean, std, shape)`
    ///
    /// # Panics
    ///
    /// If `std` is negative or not finite.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
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
        assert!(
            std >= 0.0 && std.is_finite(),
            "normal: std is {std}: it must be 0 or more"
        );
        shaped(shape, |count| {
            draws::normals(&mut self.engine, &mut self.spare_normal, count, mean, std)
        })
    }

    /// Whole numbers from `low` (included) to `high`.
    ///
    /// PyTorch: `torch.randint(low, high, shape)`
    ///
    /// # Panics
    ///
    /// If `low` is not below `high`.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
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
        assert!(low < high, "randint: low {low} is not below high {high}");
        shaped(shape, |count| {
            let range = high.wrapping_sub(low) as u64;
            let mut word = || match range {
                WIDE_RANGE.. => self.engine.next_u64(),
                _ => u64::from(self.engine.next_u32()),
            };
            (0..count)
                .map(|_| low.wrapping_add((word() % range) as i64))
                .collect()
        })
    }

    /// The numbers from 0 to `count - 1` in random order.
    ///
    /// PyTorch: `torch.randperm(count)`
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let mut order = Generator::manual_seed(1).randperm(5).to_vec();
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// ```
    pub fn randperm(&mut self, count: usize) -> Array1<i64> {
        let mut order: Vec<i64> = (0..count as i64).collect();
        for place in 0..count.saturating_sub(1) {
            let left = (count - place) as u64;
            let offset = u64::from(self.engine.next_u32()) % left;
            order.swap(place, place + offset as usize);
        }
        order.into()
    }

    /// Ones with probability `p`, else zeros.
    ///
    /// PyTorch: `torch.empty(shape).bernoulli_(p)`
    ///
    /// # Panics
    ///
    /// If `p` is not from 0 to 1.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let coins = Generator::manual_seed(1).bernoulli(1000, 0.25);
    /// assert!((coins.sum() - 250.0).abs() < 50.0);
    /// ```
    #[track_caller]
    pub fn bernoulli<D: IntoDimension>(&mut self, shape: D, p: f64) -> Array<f32, D::Dim> {
        check_probability("bernoulli", p);
        shaped(shape, |count| draws::coins(&mut self.engine, count, p))
    }

    /// Ones and zeros, each with the probability of a one that stands at its place.
    ///
    /// PyTorch: `torch.bernoulli(probabilities)`
    ///
    /// # Panics
    ///
    /// If a probability is not from 0 to 1.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    /// use ndarray::array;
    ///
    /// let sure = Generator::manual_seed(1).bernoulli_each(&array![0.0, 1.0, 1.0]);
    /// assert_eq!(sure, array![0.0, 1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn bernoulli_each<D: Dimension>(
        &mut self,
        probabilities: &ArrayRef<f32, D>,
    ) -> Array<f32, D> {
        shaped(probabilities.raw_dim(), |_| {
            let flip = |&p: &f32| {
                check_probability("bernoulli_each", p.into());
                f32::from(u8::from(draws::uniform_f32(&mut self.engine) < p))
            };
            probabilities.iter().map(flip).collect()
        })
    }

    /// `x` with each number dropped (made 0) with probability `p`, and the others
    /// divided by `1 - p`, so that the expected sum stays.
    ///
    /// PyTorch: `torch.nn.functional.dropout(x, p, training=True)`
    ///
    /// # Panics
    ///
    /// If `p` is not from 0 to 1.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    /// use ndarray::{Array1, array};
    ///
    /// let ones = Array1::<f32>::ones(6);
    /// let dropped = Generator::manual_seed(123).dropout(&ones, 0.5);
    /// assert_eq!(dropped, array![2.0, 2.0, 0.0, 2.0, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn dropout<D: Dimension>(&mut self, x: &ArrayRef<f32, D>, p: f64) -> Array<f32, D> {
        check_probability("dropout", p);
        shaped(x.raw_dim(), |count| {
            // Nothing is drawn where nothing is left to chance.
            let noise = match p {
                0.0 => vec![1.0; count],
                1.0 => vec![0.0; count],
                _ => draws::coins(&mut self.engine, count, 1.0 - p),
            };
            let kept = if p == 1.0 { 1.0 } else { (1.0 - p) as f32 };
            x.iter()
                .zip(noise)
                .map(|(x, noise)| x * (noise / kept))
                .collect()
        })
    }

    /// Exponentially distributed numbers with the given rate; their mean is
    /// `1 / rate`.
    ///
    /// PyTorch: `torch.empty(shape).exponential_(rate)`
    ///
    /// # Panics
    ///
    /// If `rate` is not above 0.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let waits = Generator::manual_seed(1).exponential(10_000, 2.0);
    /// assert!((waits.mean().unwrap() - 0.5).abs() < 0.05);
    /// ```
    #[track_caller]
    pub fn exponential<D: IntoDimension>(&mut self, shape: D, rate: f64) -> Array<f32, D::Dim> {
        assert!(
            rate > 0.0,
            "exponential: rate is {rate}: it must be above 0"
        );
        shaped(shape, |count| {
            draws::exponentials(&mut self.engine, count, rate)
        })
    }

    /// The indices of `samples` different categories, drawn with the given
    /// probabilities (which need not add up to 1).
    ///
    /// `probabilities` is (V,), the result (`samples`,).
    ///
    /// PyTorch: `torch.multinomial(probabilities, samples)`
    ///
    /// # Panics
    ///
    /// If a probability is negative or not finite, or if fewer than `samples` of
    /// them are above 0.
    ///
    /// ```
    /// use attention::rng::torch::Generator;
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
        for p in probabilities {
            assert!(
                *p >= 0.0 && p.is_finite(),
                "multinomial: a probability is {p}: it must be 0 or more"
            );
        }
        let possible = probabilities.iter().filter(|p| **p > 0.0).count();
        assert!(
            samples <= possible,
            "multinomial: {samples} samples from {possible} probabilities above 0"
        );
        // A race: the category with the largest p / q, q exponential, comes first.
        let times = draws::exponentials(&mut self.engine, probabilities.len(), 1.0);
        let speeds: Vec<f32> = probabilities
            .iter()
            .zip(times)
            .map(|(p, q)| p / q)
            .collect();
        let mut order: Vec<usize> = (0..speeds.len()).collect();
        order.sort_by(|&a, &b| speeds[b].total_cmp(&speeds[a]));
        order.truncate(samples);
        order.into()
    }

    /// The initial weight (outputs, inputs) of a linear layer, and its bias
    /// (outputs,) if it has one: uniform within `±1 / sqrt(inputs)`.
    ///
    /// PyTorch: `torch.nn.Linear(inputs, outputs, bias=bias)`
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// let (weight, bias) = Generator::manual_seed(1).linear(16, 4, true);
    /// assert_eq!(weight.dim(), (4, 16));
    /// assert!(weight.iter().chain(&bias.unwrap()).all(|w| w.abs() <= 0.25)); // 1 / sqrt(16)
    /// ```
    pub fn linear(
        &mut self,
        inputs: usize,
        outputs: usize,
        bias: bool,
    ) -> (Array2<f32>, Option<Array1<f32>>) {
        // Kaiming's bound with a = sqrt(5), computed in PyTorch's order.
        let gain = (2.0 / (1.0 + 5.0_f64.sqrt().powi(2))).sqrt();
        let weight_bound = (3.0_f64.sqrt() * (gain / (inputs as f64).sqrt())) as f32;
        let bias_bound = (1.0 / (inputs as f64).sqrt()) as f32;
        let weight = self.uniform((outputs, inputs), -weight_bound, weight_bound);
        (
            weight,
            bias.then(|| self.uniform(outputs, -bias_bound, bias_bound)),
        )
    }

    /// The initial vectors (count, width) of an embedding: standard normal.
    ///
    /// PyTorch: `torch.nn.Embedding(count, width)`
    ///
    /// ```
    /// use attention::rng::torch::Generator;
    ///
    /// assert_eq!(Generator::manual_seed(1).embedding(65, 64).dim(), (65, 64));
    /// ```
    pub fn embedding(&mut self, count: usize, width: usize) -> Array2<f32> {
        self.randn((count, width))
    }
}

/// An array of what `draw` returns for its number of elements.
pub(crate) fn shaped<A, D: IntoDimension>(
    shape: D,
    draw: impl FnOnce(usize) -> Vec<A>,
) -> Array<A, D::Dim> {
    let shape = shape.into_dimension();
    let numbers = draw(shape.size());
    Array::from_shape_vec(shape, numbers).expect("as many numbers as the shape has places")
}

#[track_caller]
pub(crate) fn check_range(low: f32, high: f32) {
    assert!(
        low <= high && low.is_finite() && high.is_finite(),
        "uniform: low {low} is above high {high}, or one of them is not finite"
    );
}

#[track_caller]
fn check_probability(function: &str, p: f64) {
    assert!(
        (0.0..=1.0).contains(&p),
        "{function}: p is {p}, but a probability is from 0 to 1"
    );
}

/// Raw words, for the distributions of the crate `rand`.
impl RngCore for Generator {
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
