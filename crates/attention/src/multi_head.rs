//! Several heads at once: the columns split, each part attends, the results
//! joined.

use crate::attention::attend_backward_of;
use crate::batch::each_sequence;
use crate::rng::torch::Generator;
use crate::shape::same_shape;
use crate::{Attention, Linear, attend, causal_mask, context};
use ndarray::{Array2, Array3, ArrayRef2, ArrayRef3, Axis, Slice};

/// Causal attention with several heads: one large layer each for queries, keys
/// and values, whose columns are split among the heads, and a layer that mixes
/// the joined results.
///
/// PyTorch: the class of that name in chapter 3 of Raschka, "Build a Large
/// Language Model (From Scratch)"
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiHeadAttention {
    /// x to the queries of all heads, without bias
    pub query: Linear,
    /// x to the keys of all heads, without bias
    pub key: Linear,
    /// x to the values of all heads, without bias
    pub value: Linear,
    /// joined heads to the result, with bias
    pub projection: Linear,
    /// How many heads share the columns.
    pub heads: usize,
    /// The probability with which a weight is dropped in training.
    pub dropout: f64,
}

impl MultiHeadAttention {
    /// Layers drawn in the order query, key, value, projection. The result of each
    /// has `outputs` numbers, `outputs / heads` for each head.
    ///
    /// # Panics
    ///
    /// If the number of heads is 0 or does not divide `outputs`.
    pub fn new(
        inputs: usize,
        outputs: usize,
        dropout: f64,
        heads: usize,
        rng: &mut Generator,
    ) -> MultiHeadAttention {
        assert!(
            heads > 0 && outputs.is_multiple_of(heads),
            "MultiHeadAttention: {heads} heads cannot share {outputs} columns: the number of heads \
             must divide the width"
        );
        let mut draw = || Linear::new(inputs, outputs, false, rng);
        MultiHeadAttention {
            query: draw(),
            key: draw(),
            value: draw(),
            projection: Linear::new(outputs, outputs, true, rng),
            heads,
            dropout,
        }
    }

    /// Scores, weights and context of each head for one sequence, (T, in).
    ///
    /// # Panics
    ///
    /// If `x` and the layers differ in width.
    #[track_caller]
    pub fn attend(&self, x: &ArrayRef2<f32>) -> Vec<Attention<f32>> {
        let (q, k, v) = (
            self.query.forward(x),
            self.key.forward(x),
            self.value.forward(x),
        );
        let mask = causal_mask(x.nrows());
        let head = |head| {
            attend(
                &self.part(&q, head),
                &self.part(&k, head),
                &self.part(&v, head),
                Some(&mask),
            )
        };
        (0..self.heads).map(head).collect()
    }

    /// The result for a batch: (B, T, in) becomes (B, T, out). Nothing is dropped.
    ///
    /// PyTorch: `layer.eval()(x)`
    ///
    /// # Panics
    ///
    /// If `x` and the layers differ in width.
    ///
    /// ```
    /// use attention::{MultiHeadAttention, rng::torch::Generator};
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    /// assert_eq!(layer.forward(&rng.rand((2, 6, 3))).dim(), (2, 6, 4));
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef3<f32>) -> Array3<f32> {
        each_sequence(x, self.projection.weight.nrows(), |x| self.forward_one(x))
    }

    fn forward_one(&self, x: &ArrayRef2<f32>) -> Array2<f32> {
        let contexts = self.attend(x).into_iter().map(|head| head.context);
        self.projection.forward(&self.join(contexts, x.nrows()))
    }

    /// [`MultiHeadAttention::forward`] in training: some weights are dropped, as
    /// `rng` decides, sequence after sequence, head after head, row after row.
    ///
    /// PyTorch: `layer.train()(x)`
    ///
    /// # Panics
    ///
    /// If `x` and the layers differ in width, or the dropout is no probability.
    #[track_caller]
    pub fn forward_training(&self, x: &ArrayRef3<f32>, rng: &mut Generator) -> Array3<f32> {
        each_sequence(x, self.projection.weight.nrows(), |x| {
            let v = self.value.forward(x);
            let dropped = self
                .attend(x)
                .into_iter()
                .enumerate()
                .map(|(head, attention)| {
                    let weights = rng.dropout(&attention.weights, self.dropout);
                    context(&weights, &self.part(&v, head))
                });
            self.projection.forward(&self.join(dropped, x.nrows()))
        })
    }

    /// Gradients with respect to `x` and to the layer, from `d_y`, the gradient
    /// with respect to the result of [`MultiHeadAttention::forward`] for `x`.
    ///
    /// `d_y` is (T, out), `x` and the first result are (T, in), one sequence; the
    /// second has the type of the layer, and is summed over the sequences of a
    /// batch by the caller.
    ///
    /// PyTorch: `layer(x).backward(d_y)`
    ///
    /// # Panics
    ///
    /// If the shapes do not fit.
    #[track_caller]
    pub fn backward(
        &self,
        d_y: &ArrayRef2<f32>,
        x: &ArrayRef2<f32>,
    ) -> (Array2<f32>, MultiHeadAttention) {
        let y = [x.nrows(), self.projection.weight.nrows()];
        same_shape(
            "MultiHeadAttention::backward",
            ("d_y", d_y.shape()),
            ("the result", &y),
        );
        let (q, k, v) = (
            self.query.forward(x),
            self.key.forward(x),
            self.value.forward(x),
        );
        let attentions = self.attend(x);
        let contexts = attentions.iter().map(|head| head.context.clone());
        let joined = self.join(contexts, x.nrows());

        // forward: y = projection(joined), each head attends to its own columns
        // so:      every head gets its columns of d_joined, and returns its columns
        let (d_joined, projection) = self.projection.backward(d_y, &joined);
        let scale = 1.0 / ((q.ncols() / self.heads) as f32).sqrt();
        let heads: Vec<_> = (0..self.heads)
            .map(|head| {
                let part = |of: &Array2<f32>| self.part(of, head);
                let weights = &attentions[head].weights;
                attend_backward_of(
                    &part(&d_joined),
                    &part(&q),
                    &part(&k),
                    &part(&v),
                    weights,
                    scale,
                )
            })
            .collect();
        let d_q = self.join(heads.iter().map(|head| head.d_q.clone()), x.nrows());
        let d_k = self.join(heads.iter().map(|head| head.d_k.clone()), x.nrows());
        let d_v = self.join(heads.iter().map(|head| head.d_v.clone()), x.nrows());

        let (d_x_q, query) = self.query.backward(&d_q, x);
        let (d_x_k, key) = self.key.backward(&d_k, x);
        let (d_x_v, value) = self.value.backward(&d_v, x);
        let gradients = MultiHeadAttention {
            query,
            key,
            value,
            projection,
            ..*self
        };
        (d_x_q + d_x_k + d_x_v, gradients)
    }

    /// The columns of one head.
    fn part(&self, of_all: &Array2<f32>, head: usize) -> Array2<f32> {
        of_all
            .slice_axis(Axis(1), self.columns(of_all.ncols(), head))
            .to_owned()
    }

    /// The matrices of all heads side by side.
    fn join(&self, parts: impl Iterator<Item = Array2<f32>>, rows: usize) -> Array2<f32> {
        let width = self.value.weight.nrows();
        let mut joined = Array2::zeros((rows, width));
        for (head, part) in parts.enumerate() {
            joined
                .slice_axis_mut(Axis(1), self.columns(width, head))
                .assign(&part);
        }
        joined
    }

    fn columns(&self, width: usize, head: usize) -> Slice {
        let each = width / self.heads;
        Slice::from(head * each..(head + 1) * each)
    }
}
