//! Causal attention with one head, or with several heads side by side.

use crate::dot_product::attend::{Attention, attend};
use crate::dot_product::batch::result_for;
use crate::dot_product::context::context;
use crate::dot_product::mask::causal_mask;
use crate::layers::linear::{Linear, check_dropout, check_sizes};
use free_memory::assert_fits;
use ndarray::{Array3, ArrayRef2, ArrayRef3, Axis, concatenate};
use torch_random::torch::Generator;

/// Causal self-attention with dropout on the weights.
///
/// PyTorch: the class of the same name in chapter 3 of Raschka, "Build a Large
/// Language Model (From Scratch)"; `F.scaled_dot_product_attention(q, k, v,
/// is_causal=True, dropout_p=dropout)` on three linear layers without bias
#[derive(Clone, Debug, PartialEq)]
pub struct CausalAttention {
    /// Maps x to queries.
    pub query: Linear,
    /// Maps x to keys.
    pub key: Linear,
    /// Maps x to values.
    pub value: Linear,
    /// The probability that a weight is dropped in training.
    pub dropout: f64,
}

impl CausalAttention {
    /// A head with random weights and no biases. The weights are drawn in the order query, key,
    /// value.
    ///
    /// PyTorch: `q = Linear(inputs, outputs, bias=False)`, then `k`, then `v`
    ///
    /// # Panics
    ///
    /// Same as [`Linear::new`], and if `dropout` is not a probability.
    ///
    /// ```
    /// use attention::layers::CausalAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let layer = CausalAttention::new(3, 2, 0.5, &mut Generator::manual_seed(123));
    /// assert_eq!(layer.query.weight.dim(), (2, 3)); // (out, in)
    /// ```
    #[track_caller]
    pub fn new(
        inputs: usize,
        outputs: usize,
        dropout: f64,
        rng: &mut Generator,
    ) -> CausalAttention {
        check_dropout("CausalAttention", dropout);
        CausalAttention {
            query: Linear::new(inputs, outputs, false, rng),
            key: Linear::new(inputs, outputs, false, rng),
            value: Linear::new(inputs, outputs, false, rng),
            dropout,
        }
    }

    /// The scores, weights and context of one sequence, (T, in).
    ///
    /// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True)` on the
    /// layer's queries, keys and values
    ///
    /// # Panics
    ///
    /// If `x` and the layers do not match, if the sequence is empty, or if its scores do not fit
    /// into memory.
    ///
    /// ```
    /// use attention::layers::CausalAttention;
    /// use attention::rng::torch::Generator;
    /// use ndarray::array;
    ///
    /// let layer = CausalAttention::new(3, 2, 0.5, &mut Generator::manual_seed(123));
    /// let x = array![[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]];
    /// assert_eq!(layer.attend(&x).weights.row(0), array![1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn attend(&self, x: &ArrayRef2<f32>) -> Attention<f32> {
        let mask = causal_mask(x.nrows());
        attend(
            &self.query.forward(x),
            &self.key.forward(x),
            &self.value.forward(x),
            Some(&mask),
        )
    }

    /// The context vectors of a batch: (B, T, in) becomes (B, T, out). Nothing is
    /// dropped, as is usual once a model is trained.
    ///
    /// PyTorch: `layer.eval()(x)`
    ///
    /// # Panics
    ///
    /// Same as [`CausalAttention::attend`].
    ///
    /// ```
    /// use attention::layers::CausalAttention;
    /// use attention::rng::torch::Generator;
    /// use ndarray::{Array3, s};
    ///
    /// let layer = CausalAttention::new(3, 2, 0.0, &mut Generator::manual_seed(123));
    /// let x = Generator::manual_seed(1).rand((2, 6, 3));
    /// let context: Array3<f32> = layer.forward(&x);
    /// assert_eq!(context.dim(), (2, 6, 2));
    /// // The first word sees only itself, regardless of what comes later.
    /// assert_eq!(context.slice(s![.., ..1, ..]), layer.forward(&x.slice(s![.., ..1, ..])));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef3<f32>) -> Array3<f32> {
        let mut context = result_for(x, self.value.weight.nrows());
        for (x, mut context) in x.outer_iter().zip(context.outer_iter_mut()) {
            context.assign(&self.attend(&x).context);
        }
        context
    }

    /// [`CausalAttention::forward`] in training: `rng` decides which weights are dropped,
    /// sequence by sequence, row by row.
    ///
    /// PyTorch: `layer.train()(x)`
    ///
    /// # Panics
    ///
    /// Same as [`CausalAttention::attend`], and if the dropout is not a probability.
    ///
    /// ```
    /// use attention::layers::CausalAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = CausalAttention::new(3, 2, 1.0, rng); // drops every weight
    /// let x = rng.rand((2, 6, 3));
    /// assert!(layer.forward_training(&x, rng).iter().all(|value| *value == 0.0));
    /// ```
    #[track_caller]
    pub fn forward_training(&self, x: &ArrayRef3<f32>, rng: &mut Generator) -> Array3<f32> {
        let mut contexts = result_for(x, self.value.weight.nrows());
        for (x, mut result) in x.outer_iter().zip(contexts.outer_iter_mut()) {
            let weights = rng.dropout(&self.attend(&x).weights, self.dropout);
            result.assign(&context(&weights, &self.value.forward(&x)));
        }
        contexts
    }
}

/// Several causal heads side by side, each with its own layers; their
/// context vectors are concatenated.
///
/// PyTorch: `torch.cat([head(x) for head in heads], dim=-1)`
#[derive(Clone, Debug, PartialEq)]
pub struct MultiHeadWrapper {
    /// The heads, in the order of their columns in the result.
    pub heads: Vec<CausalAttention>,
}

impl MultiHeadWrapper {
    /// `heads` heads, each with `outputs` columns in the result, drawn one after another.
    ///
    /// PyTorch: `nn.ModuleList` of `heads` causal heads
    ///
    /// # Panics
    ///
    /// Same as [`CausalAttention::new`], and if the heads together do not fit into memory.
    ///
    /// ```
    /// use attention::layers::MultiHeadWrapper;
    /// use attention::rng::torch::Generator;
    ///
    /// let two = MultiHeadWrapper::new(3, 2, 0.0, 2, &mut Generator::manual_seed(123));
    /// assert_eq!(two.heads.len(), 2);
    /// ```
    #[track_caller]
    pub fn new(
        inputs: usize,
        outputs: usize,
        dropout: f64,
        heads: usize,
        rng: &mut Generator,
    ) -> MultiHeadWrapper {
        check_sizes("MultiHeadWrapper", inputs, outputs);
        let numbers = [heads, 3, inputs, outputs];
        assert_fits("MultiHeadWrapper", &numbers, size_of::<f32>());
        let draw = |_| CausalAttention::new(inputs, outputs, dropout, rng);
        MultiHeadWrapper {
            heads: (0..heads).map(draw).collect(),
        }
    }

    /// The concatenated context vectors of a batch: (B, T, in) becomes
    /// (B, T, heads · out).
    ///
    /// # Panics
    ///
    /// Same as [`CausalAttention::attend`], and if there is no head.
    ///
    /// ```
    /// use attention::layers::MultiHeadWrapper;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let two_heads = MultiHeadWrapper::new(3, 2, 0.0, 2, rng);
    /// assert_eq!(two_heads.forward(&rng.rand((2, 6, 3))).dim(), (2, 6, 4));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef3<f32>) -> Array3<f32> {
        assert!(
            !self.heads.is_empty(),
            "MultiHeadWrapper: there are 0 heads: give at least 1"
        );
        let mut contexts = Vec::new();
        for head in &self.heads {
            contexts.push(head.forward(x));
        }
        let views: Vec<_> = contexts.iter().map(|context| context.view()).collect();
        concatenate(Axis(2), &views).expect("heads of one input differ in width only")
    }
}
