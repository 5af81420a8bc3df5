//! The initial weights of layers.
//!
//! Sources in PyTorch: `torch/nn/init.py`, `torch/nn/modules/linear.py` and `sparse.py`.

use super::{Generator, check_range};
use crate::exponential::exp;
use crate::logarithm::ln;
use crate::shaped::{check_fits, shaped};
use ndarray::{Array1, Array2};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

impl Generator {
    /// The initial weight (outputs, inputs) of a linear layer, and its bias
    /// (outputs,) if it has one: uniform within `±1 / sqrt(inputs)`.
    ///
    /// PyTorch: `torch.nn.Linear(inputs, outputs, bias=bias)`
    ///
    /// # Panics
    ///
    /// If there are no inputs, or the weight does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let (weight, bias) = Generator::manual_seed(1).linear(16, 4, true);
    /// assert_eq!(weight.dim(), (4, 16));
    /// assert!(weight.iter().chain(&bias.unwrap()).all(|w| w.abs() <= 0.25)); // 1 / sqrt(16)
    /// ```
    #[track_caller]
    pub fn linear(
        &mut self,
        inputs: usize,
        outputs: usize,
        bias: bool,
    ) -> (Array2<f32>, Option<Array1<f32>>) {
        check_inputs("linear", inputs);
        // The Kaiming bound for a = sqrt(5), with its operations in PyTorch's order.
        let weight_bound = (3.0_f64.sqrt() * kaiming_std(inputs, 5.0_f64.sqrt())) as f32;
        let bias_bound = (1.0 / (inputs as f64).sqrt()) as f32;
        let weight = self.within("linear", (outputs, inputs), weight_bound);
        let bias = bias.then(|| self.uniforms(outputs, -bias_bound, bias_bound).into());
        (weight, bias)
    }

    /// The initial vectors (count, width) of an embedding, drawn from a standard normal distribution.
    ///
    /// PyTorch: `torch.nn.Embedding(count, width)`
    ///
    /// # Panics
    ///
    /// If they do not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// assert_eq!(Generator::manual_seed(1).embedding(65, 64).dim(), (65, 64));
    /// ```
    #[track_caller]
    pub fn embedding(&mut self, count: usize, width: usize) -> Array2<f32> {
        self.bell("embedding", (count, width), 0.0, 1.0)
    }

    /// A weight (outputs, inputs) that keeps the variance of activations and gradients about
    /// equal: uniform within `±gain * sqrt(6 / (inputs + outputs))`. The gain is 1 if no
    /// activation function follows, and 5/3 before a tanh.
    ///
    /// PyTorch: `torch.nn.init.xavier_uniform_(torch.empty(shape), gain)`
    ///
    /// Source: Glorot and Bengio 2010, "Understanding the difficulty of training deep
    /// feedforward neural networks".
    ///
    /// # Panics
    ///
    /// If `shape` contains a 0 or does not fit into memory, or if `gain` is negative or not
    /// finite.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let weight = Generator::manual_seed(1).xavier_uniform((2, 4), 1.0);
    /// assert!(weight.iter().all(|w| w.abs() <= 1.0)); // sqrt(6 / (4 + 2))
    /// ```
    #[track_caller]
    pub fn xavier_uniform(&mut self, shape: (usize, usize), gain: f64) -> Array2<f32> {
        let std = xavier_std("xavier_uniform", shape, gain);
        self.within("xavier_uniform", shape, (3.0_f64.sqrt() * std) as f32)
    }

    /// Like [`Generator::xavier_uniform`], but with normal numbers of standard deviation
    /// `gain * sqrt(2 / (inputs + outputs))`.
    ///
    /// PyTorch: `torch.nn.init.xavier_normal_(torch.empty(shape), gain)`
    ///
    /// # Panics
    ///
    /// Same as [`Generator::xavier_uniform`].
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let weight = Generator::manual_seed(1).xavier_normal((100, 100), 1.0);
    /// assert!((weight.std(0.0) - 0.1).abs() < 0.01); // sqrt(2 / (100 + 100))
    /// ```
    #[track_caller]
    pub fn xavier_normal(&mut self, shape: (usize, usize), gain: f64) -> Array2<f32> {
        let std = xavier_std("xavier_normal", shape, gain);
        self.bell("xavier_normal", shape, 0.0, std)
    }

    /// A weight (outputs, inputs) that preserves the variance of activations before a rectifier
    /// whose slope for negative inputs is `a` (0 for ReLU): uniform within
    /// `±sqrt(6 / ((1 + a²) inputs))`.
    ///
    /// PyTorch: `torch.nn.init.kaiming_uniform_(torch.empty(shape), a)`
    ///
    /// Source: He et al. 2015, "Delving deep into rectifiers".
    ///
    /// # Panics
    ///
    /// If `shape` contains a 0 or does not fit into memory, or if `a` is not finite.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let weight = Generator::manual_seed(1).kaiming_uniform((4, 6), 0.0);
    /// assert!(weight.iter().all(|w| w.abs() <= 1.0)); // sqrt(6 / 6)
    /// ```
    #[track_caller]
    pub fn kaiming_uniform(&mut self, shape: (usize, usize), a: f64) -> Array2<f32> {
        check_kaiming("kaiming_uniform", shape, a);
        let std = kaiming_std(shape.1, a);
        self.within("kaiming_uniform", shape, (3.0_f64.sqrt() * std) as f32)
    }

    /// Like [`Generator::kaiming_uniform`], but with normal numbers of standard deviation
    /// `sqrt(2 / ((1 + a²) inputs))`.
    ///
    /// PyTorch: `torch.nn.init.kaiming_normal_(torch.empty(shape), a)`
    ///
    /// # Panics
    ///
    /// Same as [`Generator::kaiming_uniform`].
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let weight = Generator::manual_seed(1).kaiming_normal((100, 50), 0.0);
    /// assert!((weight.std(0.0) - 0.2).abs() < 0.01); // sqrt(2 / 50)
    /// ```
    #[track_caller]
    pub fn kaiming_normal(&mut self, shape: (usize, usize), a: f64) -> Array2<f32> {
        check_kaiming("kaiming_normal", shape, a);
        self.bell("kaiming_normal", shape, 0.0, kaiming_std(shape.1, a))
    }

    /// Normal numbers from `low` to `high`; numbers outside are drawn again.
    ///
    /// If fewer than 30 % of the numbers would be inside, PyTorch draws uniform numbers and keeps
    /// each with a probability proportional to the normal density, which is compared as a logarithm
    /// in f32. PyTorch's own logarithm may differ from this one in its last bit, which changes the
    /// decision about once in a billion numbers.
    ///
    /// PyTorch: `torch.nn.init.trunc_normal_(torch.empty(shape), mean, std, low, high)`
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, if `std` is not above 0, if one of the four numbers is not finite
    /// in f32, if less than a thousandth of the uniform numbers would be kept, or if the array does
    /// not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let weight = Generator::manual_seed(1).trunc_normal((4, 6), 0.0, 0.02, -0.04, 0.04);
    /// assert!(weight.iter().all(|w| w.abs() <= 0.04));
    /// ```
    #[track_caller]
    pub fn trunc_normal(
        &mut self,
        shape: (usize, usize),
        mean: f64,
        std: f64,
        low: f64,
        high: f64,
    ) -> Array2<f32> {
        let function = "trunc_normal";
        super::check_normal(function, mean as f32, std as f32);
        assert!(
            std as f32 > 0.0,
            "{function}: std is {std}: it must be above 0"
        );
        check_range(function, low as f32, high as f32);
        assert!(low <= high, "{function}: low {low} is above high {high}");
        let inside = below((high - mean) / std) - below((low - mean) / std);
        if inside <= 0.3 {
            check_kept(mean, std, low, high);
        }
        let mut numbers = shaped(function, shape, |count| match inside > 0.3 {
            true => self.normals(count, mean, std),
            false => self.uniforms(count, low as f32, high as f32),
        });
        let count = numbers.len();
        let numbers_of = numbers.as_slice_mut().expect("in row order");
        if inside > 0.3 {
            let outside = |number: f32| number < low as f32 || number > high as f32;
            while numbers_of.iter().any(|&number| outside(number)) {
                let redrawn = self.normals(count, mean, std);
                for (number, redrawn) in numbers_of.iter_mut().zip(redrawn) {
                    if outside(*number) {
                        *number = redrawn;
                    }
                }
            }
            return numbers;
        }
        let z = (low.max(high.min(mean)) - mean) / std;
        let peak = -0.5 * (z * z);
        let height = |number: f32| {
            let z = (number - mean as f32) / std as f32;
            z * z * -0.5 - peak as f32
        };
        let mut pending = self.refused(numbers_of, height);
        while pending.contains(&true) {
            let redrawn = self.uniforms(count, low as f32, high as f32);
            let refused = self.refused(&redrawn, height);
            for (index, pending) in pending.iter_mut().enumerate() {
                if *pending {
                    numbers_of[index] = redrawn[index];
                    *pending = refused[index];
                }
            }
        }
        numbers
    }

    /// Whether each number is rejected: it is if its log density is below the logarithm of a
    /// uniform number.
    fn refused(&mut self, numbers: &[f32], height: impl Fn(f32) -> f32) -> Vec<bool> {
        let uniforms = self.uniforms(numbers.len(), 0.0, 1.0);
        let above = |(&number, uniform): (&f32, f32)| {
            uniform > 0.0 && ln(f64::from(uniform)) as f32 > height(number)
        };
        numbers.iter().zip(uniforms).map(above).collect()
    }

    #[track_caller]
    fn within(&mut self, function: &str, shape: (usize, usize), bound: f32) -> Array2<f32> {
        shaped(function, shape, |count| self.uniforms(count, -bound, bound))
    }

    #[track_caller]
    fn bell(&mut self, function: &str, shape: (usize, usize), mean: f64, std: f64) -> Array2<f32> {
        shaped(function, shape, |count| self.normals(count, mean, std))
    }
}

#[track_caller]
fn check_inputs(function: &str, inputs: usize) {
    assert!(
        inputs > 0,
        "{function}: a layer of 0 inputs has no weights: give it 1 or more"
    );
}

#[track_caller]
fn check_shape(function: &str, (outputs, inputs): (usize, usize)) {
    assert!(
        outputs > 0 && inputs > 0,
        "{function}: a weight of {outputs} outputs and {inputs} inputs has no numbers"
    );
    check_fits(function, &[outputs, inputs], size_of::<f32>());
}

#[track_caller]
fn xavier_std(function: &str, shape: (usize, usize), gain: f64) -> f64 {
    check_shape(function, shape);
    assert!(
        gain >= 0.0 && (gain as f32).is_finite(),
        "{function}: gain is {gain}: it must be 0 or more, and finite"
    );
    gain * (2.0 / (shape.0 + shape.1) as f64).sqrt()
}

#[track_caller]
fn check_kaiming(function: &str, shape: (usize, usize), a: f64) {
    check_shape(function, shape);
    assert!(a.is_finite(), "{function}: a is {a}: it must be finite");
}

fn kaiming_std(inputs: usize, a: f64) -> f64 {
    (2.0 / (1.0 + a * a)).sqrt() / (inputs as f64).sqrt()
}

/// Panics if uniform numbers from `low` to `high` would hardly ever be kept.
#[track_caller]
fn check_kept(mean: f64, std: f64, low: f64, high: f64) {
    let beyond = (low - mean).max(mean - high).max(0.0);
    // Away from the middle, the curve falls by a factor of e within std² / distance.
    let reach = (1.25 * std).min(std * std / beyond);
    assert!(
        reach / (high - low) > 1e-3 || high == low,
        "trunc_normal: of the numbers from {low} to {high} less than a thousandth would be \
         kept at mean {mean} and std {std}: give narrower limits"
    );
}

/// The fraction of a standard normal distribution below `x`.
fn below(x: f64) -> f64 {
    (1.0 + erf(x / SQRT_2)) / 2.0
}

/// The error function, by a series whose terms all have the sign of `x`; accurate to a few units
/// in the last place.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    FRAC_2_SQRT_PI * exp(-x * x) * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torch::State;
    use std::panic::catch_unwind;

    #[test]
    fn a_number_is_refused_if_its_density_is_below_the_uniform_number() {
        let rng = Generator::manual_seed(1);
        let uniform = rng.clone().rand(1)[0];
        let height = ln(f64::from(uniform)) as f32;
        for (height, is_refused) in [
            (height, false),
            (height.next_down(), true),
            (height.next_up(), false),
        ] {
            assert_eq!(rng.clone().refused(&[0.0], |_| height), [is_refused]);
        }
        // A uniform number of exactly 0 has no logarithm; the next word of this generator gives
        // a 0.
        let mut rng = Generator::at(State {
            seed: 11993,
            words: 827,
            spare_normal: None,
        });
        assert_eq!(rng.clone().rand(1)[0], 0.0);
        assert_eq!(rng.refused(&[0.0], |_| f32::MIN), [false]);
    }

    #[test]
    fn limits_are_refused_beyond_a_thousandth() {
        let is_kept =
            |low: f64, high: f64| catch_unwind(|| check_kept(5.0, 3.0, low, high)).is_ok();
        // At a distance of 10 from the mean, the curve falls by a factor of e within 3² / 10 = 0.9.
        assert!(is_kept(15.0, 15.0 + 880.0) && !is_kept(15.0, 15.0 + 920.0));
        assert!(is_kept(-5.0 - 880.0, -5.0) && !is_kept(-5.0 - 920.0, -5.0));
        // Around the mean, the curve counts as 1.25 standard deviations wide.
        assert!(is_kept(-1895.0, 1805.0) && !is_kept(-1895.0, 1905.0));
        assert!(is_kept(1e9, 1e9), "a single number");
    }

    #[test]
    fn the_fraction_below_is_that_of_the_normal_distribution() {
        // >>> [statistics.NormalDist().cdf(x) for x in (0, 1, -2)]
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.8413447460685429),
            (-2.0, 0.02275013194817921),
        ] {
            assert!((below(x) - expected).abs() < 1e-15, "below {x}");
        }
    }

    #[test]
    fn a_half_of_a_narrow_curve_is_drawn_from_the_curve() {
        // As a fraction of the curve, each pair of limits encloses more than 0.3.
        for (mean, std, low, high) in [
            (0.0, 0.02, 0.0, 0.04),
            (0.0, 0.02, -0.04, 0.0),
            (2.0, 0.5, 1.0, 3.0),
        ] {
            let rng = Generator::manual_seed(1);
            let drawn = rng.clone().normal((4, 6), mean, std);
            let kept = rng.clone().trunc_normal((4, 6), mean, std, low, high);
            let limits = low as f32..=high as f32;
            for (drawn, kept) in drawn.iter().zip(&kept) {
                assert!(limits.contains(kept) && (drawn == kept || !limits.contains(drawn)));
            }
        }
    }

    #[test]
    fn the_error_function_is_right() {
        // >>> [math.erf(x) for x in (0.1, 1.0, -2.5, 5.0)]
        let expected = [
            0.1124629160182849,
            0.8427007929497149,
            -0.999593047982555,
            0.9999999999984626,
        ];
        for (x, expected) in [0.1, 1.0, -2.5, 5.0].into_iter().zip(expected) {
            assert!((erf(x) - expected).abs() < 1e-14, "erf {x}");
        }
        assert_eq!(
            (erf(0.0), erf(7.0), erf(f64::NEG_INFINITY)),
            (0.0, 1.0, -1.0)
        );
    }
}
