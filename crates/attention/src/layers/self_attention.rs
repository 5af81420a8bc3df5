//! Self-attention with trainable weights: each word acts as query, key and value.

use crate::dot_product::attend::{Attention, attend};
use crate::layers::linear::{Linear, check_sizes};
use crate::numerics::shape::same_width;
use free_memory::assert_fits;
use ndarray::{Array2, ArrayRef2};
use torch_random::torch::Generator;

/// Self-attention whose three weights are plain matrices, (in, out), multiplied
/// from the right.
///
/// PyTorch: three `torch.nn.Parameter(torch.rand(inputs, outputs))`
#[derive(Clone, Debug, PartialEq)]
pub struct SelfAttentionV1 {
    /// (in, out)
    pub w_query: Array2<f32>,
    /// (in, out)
    pub w_key: Array2<f32>,
    /// (in, out)
    pub w_value: Array2<f32>,
}

impl SelfAttentionV1 {
    /// Random weights, uniform between 0 and 1, drawn in the order query, key, value.
    ///
    /// PyTorch: `torch.rand(inputs, outputs)`, three times
    ///
    /// # Panics
    ///
    /// If there are no inputs or no outputs, or the weights do not fit into memory.
    ///
    /// ```
    /// use attention::layers::SelfAttentionV1;
    /// use attention::rng::torch::Generator;
    /// use attention::show::show;
    ///
    /// let attention = SelfAttentionV1::new(3, 2, &mut Generator::manual_seed(123));
    /// assert_eq!(show(&attention.w_query.row(0)).to_string(), "[0.2961, 0.5166]  f32 (2,)");
    /// ```
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize, rng: &mut Generator) -> SelfAttentionV1 {
        check_sizes("SelfAttentionV1", inputs, outputs);
        assert_fits("SelfAttentionV1", &[3, inputs, outputs], size_of::<f32>());
        let mut draw = || rng.rand((inputs, outputs));
        SelfAttentionV1 {
            w_query: draw(),
            w_key: draw(),
            w_value: draw(),
        }
    }

    /// Scaled attention of every row of `x`, (T, in), to every row.
    ///
    /// PyTorch: `softmax(q @ k.T / d**0.5) @ v` with `q = x @ W_query`, and so on
    ///
    /// # Panics
    ///
    /// If `x` is empty, or `x` and the weights do not match.
    ///
    /// ```
    /// use attention::layers::SelfAttentionV1;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let attention = SelfAttentionV1::new(3, 2, rng).forward(&rng.rand((6, 3)));
    /// assert_eq!(attention.weights.dim(), (6, 6));
    /// assert_eq!(attention.context.dim(), (6, 2));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef2<f32>) -> Attention<f32> {
        for weight in [&self.w_query, &self.w_key, &self.w_value] {
            let transposed = ("a transposed weight", &[weight.ncols(), weight.nrows()][..]);
            same_width("SelfAttentionV1", ("x", x.shape()), transposed);
        }
        attend(
            &x.dot(&self.w_query),
            &x.dot(&self.w_key),
            &x.dot(&self.w_value),
            None,
        )
    }
}

/// Transposes the weights, because [`Linear`] stores them as (out, in), and drops any bias.
impl From<&SelfAttentionV2> for SelfAttentionV1 {
    fn from(v2: &SelfAttentionV2) -> SelfAttentionV1 {
        let matrix = |layer: &Linear| layer.weight.t().to_owned();
        SelfAttentionV1 {
            w_query: matrix(&v2.query),
            w_key: matrix(&v2.key),
            w_value: matrix(&v2.value),
        }
    }
}

/// Self-attention whose three weights are linear layers without bias.
///
/// PyTorch: three `torch.nn.Linear(inputs, outputs, bias=False)`
#[derive(Clone, Debug, PartialEq)]
pub struct SelfAttentionV2 {
    /// Maps x to queries.
    pub query: Linear,
    /// Maps x to keys.
    pub key: Linear,
    /// Maps x to values.
    pub value: Linear,
}

impl SelfAttentionV2 {
    /// Layers with random weights, drawn in the order query, key, value.
    ///
    /// PyTorch: `torch.nn.Linear(inputs, outputs, bias=False)`, three times
    ///
    /// # Panics
    ///
    /// Same as [`Linear::new`].
    ///
    /// ```
    /// use attention::layers::{SelfAttentionV1, SelfAttentionV2};
    /// use attention::rng::torch::Generator;
    /// use ndarray::array;
    ///
    /// let v2 = SelfAttentionV2::new(3, 2, &mut Generator::manual_seed(789));
    /// let v1 = SelfAttentionV1::from(&v2);
    /// let x = array![[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]];
    /// assert_eq!(v1.forward(&x), v2.forward(&x));
    /// ```
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize, rng: &mut Generator) -> SelfAttentionV2 {
        SelfAttentionV2 {
            query: Linear::new(inputs, outputs, false, rng),
            key: Linear::new(inputs, outputs, false, rng),
            value: Linear::new(inputs, outputs, false, rng),
        }
    }

    /// Scaled attention of every row of `x`, (T, in), to every row.
    ///
    /// PyTorch: `softmax(q @ k.T / d**0.5) @ v` with `q = W_query(x)`, and so on
    ///
    /// # Panics
    ///
    /// If `x` is empty, or `x` and the layers do not match.
    ///
    /// ```
    /// use attention::layers::{SelfAttentionV1, SelfAttentionV2};
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(789);
    /// let v2 = SelfAttentionV2::new(3, 2, rng);
    /// let x = rng.rand((6, 3));
    /// let the_same = SelfAttentionV1::from(&v2).forward(&x).context - v2.forward(&x).context;
    /// assert!(the_same.iter().all(|difference| difference.abs() < 1e-6));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef2<f32>) -> Attention<f32> {
        attend(
            &self.query.forward(x),
            &self.key.forward(x),
            &self.value.forward(x),
            None,
        )
    }
}
