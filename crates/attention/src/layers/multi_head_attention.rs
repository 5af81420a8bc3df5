//! Several heads at once: the columns are split, each part attends, and the results are
//! joined.

use crate::dot_product::attend::Attention;
use crate::dot_product::batch::result_for;
use crate::dot_product::context::context;
use crate::layers::heads::{Heads, Layers, Matrix, backward_of, heads_of, part};
use crate::layers::linear::{Linear, check_dropout, check_sizes};
use crate::numerics::shape::{same_shape, same_width};
use ndarray::{Array2, Array3, ArrayRef2, ArrayRef3};
use torch_random::torch::Generator;

/// Causal attention with several heads: one large layer each for queries, keys
/// and values, whose columns are split among the heads, and a layer that mixes
/// the joined results.
///
/// PyTorch: the class of the same name in chapter 3 of Raschka, "Build a Large
/// Language Model (From Scratch)"
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiHeadAttention {
    /// Maps x to the queries of all heads. [`MultiHeadAttention::new`] gives it no bias.
    pub query: Linear,
    /// Maps x to the keys of all heads. [`MultiHeadAttention::new`] gives it no bias.
    pub key: Linear,
    /// Maps x to the values of all heads. [`MultiHeadAttention::new`] gives it no bias.
    pub value: Linear,
    /// Maps the joined heads to the result, with a bias.
    pub projection: Linear,
    /// How many heads share the columns; it divides the width of queries, keys and values.
    pub heads: usize,
    /// The probability that a weight is dropped in training.
    pub dropout: f64,
}

impl MultiHeadAttention {
    /// Layers with random weights, drawn in the order query, key, value, projection. Each has
    /// `outputs` outputs, `outputs / heads` per head.
    ///
    /// PyTorch: the class of the same name in chapter 3 of Raschka, with `qkv_bias=False`
    ///
    /// # Panics
    ///
    /// Same as [`Linear::new`], and if the number of heads is 0 or does not divide `outputs`, or
    /// `dropout` is not a probability.
    ///
    /// ```
    /// use attention::layers::MultiHeadAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(123));
    /// assert_eq!(layer.query.weight.dim(), (4, 3)); // two heads of two rows each
    /// ```
    #[track_caller]
    pub fn new(
        inputs: usize,
        outputs: usize,
        dropout: f64,
        heads: usize,
        rng: &mut Generator,
    ) -> MultiHeadAttention {
        check_sizes("MultiHeadAttention", inputs, outputs);
        check_heads("MultiHeadAttention", heads, outputs);
        check_dropout("MultiHeadAttention", dropout);
        MultiHeadAttention {
            query: Linear::new(inputs, outputs, false, rng),
            key: Linear::new(inputs, outputs, false, rng),
            value: Linear::new(inputs, outputs, false, rng),
            projection: Linear::new(outputs, outputs, true, rng),
            heads,
            dropout,
        }
    }

    /// The scores, weights and context of each head for one sequence, (T, in).
    ///
    /// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True)` on (heads, T,
    /// out / heads)
    ///
    /// # Panics
    ///
    /// If `x` and the layers do not match, the width is not divisible by the number of heads, or a
    /// sequence is empty.
    ///
    /// ```
    /// use attention::layers::MultiHeadAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    /// let heads = layer.attend(&rng.rand((6, 3)));
    /// assert_eq!(heads.len(), 2);
    /// assert_eq!(heads[0].weights.dim(), (6, 6));
    /// assert_eq!(heads[0].context.dim(), (6, 2));
    /// ```
    #[track_caller]
    pub fn attend(&self, x: &ArrayRef2<f32>) -> Vec<Attention<f32>> {
        self.check("MultiHeadAttention::attend", x.shape());
        self.run_heads(x).attentions
    }

    /// The result for a batch: (B, T, in) becomes (B, T, out). Nothing is dropped.
    ///
    /// PyTorch: `layer.eval()(x)`
    ///
    /// # Panics
    ///
    /// Same as [`MultiHeadAttention::attend`].
    ///
    /// ```
    /// use attention::layers::MultiHeadAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    /// assert_eq!(layer.forward(&rng.rand((2, 6, 3))).dim(), (2, 6, 4));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef3<f32>) -> Array3<f32> {
        self.check("MultiHeadAttention::forward", x.shape());
        let mut y = result_for(x, self.projection.weight.nrows());
        for (x, mut y) in x.outer_iter().zip(y.outer_iter_mut()) {
            y.assign(&self.projection.forward(&self.run_heads(&x).joined()));
        }
        y
    }

    /// [`MultiHeadAttention::forward`] in training: `rng` decides which weights are dropped,
    /// sequence by sequence, head by head, row by row.
    ///
    /// PyTorch: `layer.train()(x)`
    ///
    /// # Panics
    ///
    /// Same as [`MultiHeadAttention::attend`], and if the dropout is not a probability.
    ///
    /// ```
    /// use attention::layers::MultiHeadAttention;
    /// use attention::rng::torch::Generator;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng); // a dropout of 0 drops nothing
    /// let x = rng.rand((2, 6, 3));
    /// assert_eq!(layer.forward_training(&x, rng), layer.forward(&x));
    /// ```
    #[track_caller]
    pub fn forward_training(&self, x: &ArrayRef3<f32>, rng: &mut Generator) -> Array3<f32> {
        self.check("MultiHeadAttention::forward_training", x.shape());
        let mut y = result_for(x, self.projection.weight.nrows());
        for (x, mut y) in x.outer_iter().zip(y.outer_iter_mut()) {
            let mut heads = self.run_heads(&x);
            for (head, attention) in heads.attentions.iter_mut().enumerate() {
                let weights = rng.dropout(&attention.weights, self.dropout);
                attention.context = context(&weights, &part(&heads.v, head, self.heads));
            }
            y.assign(&self.projection.forward(&heads.joined()));
        }
        y
    }

    /// Gradients with respect to `x` and to the layer, from `d_y`, the gradient
    /// with respect to the result of [`MultiHeadAttention::forward`] for `x`.
    ///
    /// `d_y` is (T, out), `x` and the first result are (T, in), for one sequence; the
    /// second result has the type of the layer, and the caller sums it over the sequences of a
    /// batch.
    ///
    /// PyTorch: `layer(x).backward(d_y)`
    ///
    /// # Panics
    ///
    /// Same as [`MultiHeadAttention::attend`], and if `d_y` does not have the shape of the result.
    ///
    /// ```
    /// use attention::layers::MultiHeadAttention;
    /// use attention::rng::torch::Generator;
    /// use ndarray::Array2;
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    /// let (d_x, d) = layer.backward(&Array2::ones((6, 4)), &rng.rand((6, 3)));
    /// assert_eq!(d_x.dim(), (6, 3));
    /// assert_eq!(d.query.weight.dim(), layer.query.weight.dim());
    /// ```
    #[track_caller]
    pub fn backward(
        &self,
        d_y: &ArrayRef2<f32>,
        x: &ArrayRef2<f32>,
    ) -> (Array2<f32>, MultiHeadAttention) {
        let function = "MultiHeadAttention::backward";
        self.check(function, x.shape());
        let y = [x.nrows(), self.projection.weight.nrows()];
        same_shape(function, ("d_y", d_y.shape()), ("the result", &y));
        let (d_x, d) = backward_of(d_y, x, &self.run_heads(x), &self.layers());
        let gradients = |(weight, bias), layer: &Linear| Linear {
            weight,
            bias: layer.bias.as_ref().map(|_| bias),
        };
        let layer = MultiHeadAttention {
            query: gradients(d.query, &self.query),
            key: gradients(d.key, &self.key),
            value: gradients(d.value, &self.value),
            projection: gradients(d.projection, &self.projection),
            ..*self
        };
        (d_x, layer)
    }

    /// Panics unless the layers match each other and `x`.
    #[track_caller]
    fn check(&self, function: &str, x: &[usize]) {
        let layers = [&self.query, &self.key, &self.value];
        for layer in layers {
            layer.check(function, x);
        }
        let [q, k, v] = layers.map(|layer| layer.weight.nrows());
        assert!(
            q == k && k == v,
            "{function}: queries have {q} columns, keys {k} and values {v}: all need the same number"
        );
        check_heads(function, self.heads, v);
        let joined = ("the joined heads", &[x[x.len() - 2], v][..]);
        let weight = self.projection.weight.shape();
        same_width(function, joined, ("projection.weight", weight));
        self.projection.check(function, joined.1);
    }

    #[track_caller]
    fn run_heads(&self, x: &ArrayRef2<f32>) -> Heads<f32> {
        heads_of(x, &self.layers())
    }

    fn layers(&self) -> Layers<'_, f32> {
        fn matrix(layer: &Linear) -> Matrix<'_, f32> {
            (&layer.weight, layer.bias.as_ref())
        }
        Layers {
            query: matrix(&self.query),
            key: matrix(&self.key),
            value: matrix(&self.value),
            projection: matrix(&self.projection),
            heads: self.heads,
        }
    }
}

/// Panics unless the columns can be divided evenly among the heads.
#[track_caller]
fn check_heads(function: &str, heads: usize, columns: usize) {
    assert!(
        heads > 0 && columns.is_multiple_of(heads),
        "{function}: {heads} heads cannot share {columns} columns: the number of heads must \
         divide the width"
    );
}
