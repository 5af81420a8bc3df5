//! Coin tosses, dropout, and waiting times.
//!
//! Sources in PyTorch: `ATen/native/cpu/DistributionTemplates.h`, `ATen/native/Dropout.cpp`.

use super::Generator;
use crate::draws;
use crate::shaped::{check_probability, shaped};
use ndarray::{Array, ArrayRef, Dimension, IntoDimension};

impl Generator {
    /// Ones and zeros: each number is 1 with probability `p`.
    ///
    /// PyTorch: `torch.empty(shape).bernoulli_(p)`
    ///
    /// # Panics
    ///
    /// If `p` is not from 0 to 1, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    ///
    /// let coins = Generator::manual_seed(1).bernoulli(1000, 0.25);
    /// assert!((coins.sum() - 250.0).abs() < 50.0);
    /// ```
    #[track_caller]
    pub fn bernoulli<D: IntoDimension>(&mut self, shape: D, p: f64) -> Array<f32, D::Dim> {
        check_probability("bernoulli", p);
        shaped("bernoulli", shape, |count| self.coins(count, p))
    }

    /// Ones and zeros: a 1 with the probability given for its position, otherwise a 0.
    ///
    /// PyTorch: `torch.bernoulli(probabilities)`
    ///
    /// # Panics
    ///
    /// If a probability is not from 0 to 1.
    ///
    /// ```
    /// use torch_random::torch::Generator;
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
        for &p in probabilities {
            check_probability("bernoulli_each", p.into());
        }
        shaped("bernoulli_each", probabilities.raw_dim(), |_| {
            let flip = |&p: &f32| f32::from(u8::from(draws::uniform_f32(&mut self.engine) < p));
            probabilities.iter().map(flip).collect()
        })
    }

    /// `x` with each number dropped (set to 0) with probability `p`, and the others
    /// divided by `1 - p`, which preserves the expected sum.
    ///
    /// PyTorch: `torch.nn.functional.dropout(x, p, training=True)`
    ///
    /// # Panics
    ///
    /// If `p` is not between 0 and 1.
    ///
    /// ```
    /// use torch_random::torch::Generator;
    /// use ndarray::{Array1, array};
    ///
    /// let ones = Array1::<f32>::ones(6);
    /// let dropped = Generator::manual_seed(123).dropout(&ones, 0.5);
    /// assert_eq!(dropped, array![2.0, 2.0, 0.0, 2.0, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn dropout<D: Dimension>(&mut self, x: &ArrayRef<f32, D>, p: f64) -> Array<f32, D> {
        check_probability("dropout", p);
        shaped("dropout", x.raw_dim(), |count| {
            // No random numbers are drawn if the result is certain.
            let noise = match p {
                0.0 => vec![1.0; count],
                1.0 => vec![0.0; count],
                _ => self.coins(count, 1.0 - p),
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
    /// If `rate` is not above 0, or the array does not fit into memory.
    ///
    /// ```
    /// use torch_random::torch::Generator;
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
        shaped("exponential", shape, |count| self.exponentials(count, rate))
    }

    fn coins(&mut self, count: usize, p: f64) -> Vec<f32> {
        draws::coins(&mut self.engine, count, p)
    }

    pub(super) fn exponentials(&mut self, count: usize, rate: f64) -> Vec<f32> {
        draws::exponentials(&mut self.engine, count, rate)
    }
}
