//! Several heads at once: the columns split, each part attends, the results
//! joined.

use crate::batch::each_sequence;
use crate::linear::{linear_backward_of, linear_of};
use crate::rng::torch::Generator;
use crate::shape::{same_shape, same_width};
use crate::{Attention, Linear, Real, attend, causal_mask, context};
use ndarray::{Array1, Array2, Array3, ArrayRef2, ArrayRef3, Axis, Slice};

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
    /// PyTorch: the class of that name in chapter 3 of Raschka, with `qkv_bias=False`
    ///
    /// # Panics
    ///
    /// If the number of heads is 0 or does not divide `outputs`.
    ///
    /// ```
    /// use attention::{MultiHeadAttention, rng::torch::Generator};
    ///
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(123));
    /// assert_eq!(layer.query.weight.dim(), (4, 3)); // both heads: two rows each
    /// ```
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
    /// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True)` on (heads, T,
    /// out / heads)
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
    /// let heads = layer.attend(&rng.rand((6, 3)));
    /// assert_eq!(heads.len(), 2);
    /// assert_eq!(heads[0].weights.dim(), (6, 6));
    /// assert_eq!(heads[0].context.dim(), (6, 2));
    /// ```
    #[track_caller]
    pub fn attend(&self, x: &ArrayRef2<f32>) -> Vec<Attention<f32>> {
        self.run_heads(x).attentions
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
        each_sequence(x, self.projection.weight.nrows(), |x| {
            self.projection.forward(&self.run_heads(x).joined())
        })
    }

    /// [`MultiHeadAttention::forward`] in training: some weights are dropped, as
    /// `rng` decides, sequence after sequence, head after head, row after row.
    ///
    /// PyTorch: `layer.train()(x)`
    ///
    /// # Panics
    ///
    /// If `x` and the layers differ in width, or the dropout is no probability.
    ///
    /// ```
    /// use attention::{MultiHeadAttention, rng::torch::Generator};
    ///
    /// let rng = &mut Generator::manual_seed(123);
    /// let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng); // a dropout of 0 drops nothing
    /// let x = rng.rand((2, 6, 3));
    /// assert_eq!(layer.forward_training(&x, rng), layer.forward(&x));
    /// ```
    #[track_caller]
    pub fn forward_training(&self, x: &ArrayRef3<f32>, rng: &mut Generator) -> Array3<f32> {
        each_sequence(x, self.projection.weight.nrows(), |x| {
            let mut heads = self.run_heads(x);
            for (head, attention) in heads.attentions.iter_mut().enumerate() {
                let weights = rng.dropout(&attention.weights, self.dropout);
                attention.context = context(&weights, &part(&heads.v, head, self.heads));
            }
            self.projection.forward(&heads.joined())
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
    ///
    /// ```
    /// use attention::{MultiHeadAttention, rng::torch::Generator};
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
        let y = [x.nrows(), self.projection.weight.nrows()];
        same_shape(
            "MultiHeadAttention::backward",
            ("d_y", d_y.shape()),
            ("the result", &y),
        );
        let heads = self.run_heads(x);
        let (d_x, d) = backward_of(d_y, x, &heads, &self.weights());
        let without_bias = |weight| Linear { weight, bias: None };
        let layer = MultiHeadAttention {
            query: without_bias(d.query),
            key: without_bias(d.key),
            value: without_bias(d.value),
            projection: Linear {
                weight: d.projection,
                bias: self.projection.bias.as_ref().map(|_| d.bias),
            },
            ..*self
        };
        (d_x, layer)
    }

    #[track_caller]
    fn run_heads(&self, x: &ArrayRef2<f32>) -> Heads<f32> {
        let weight = self.query.weight.shape();
        same_width("MultiHeadAttention", ("x", x.shape()), ("a weight", weight));
        heads_of(x, &self.weights())
    }

    fn weights(&self) -> Weights<'_, f32> {
        Weights {
            query: &self.query.weight,
            key: &self.key.weight,
            value: &self.value.weight,
            projection: &self.projection.weight,
            heads: self.heads,
        }
    }
}

/// The matrices of a layer, (out, in) each: f32, or f64 where gradients are
/// checked.
struct Weights<'a, A> {
    query: &'a Array2<A>,
    key: &'a Array2<A>,
    value: &'a Array2<A>,
    projection: &'a Array2<A>,
    heads: usize,
}

/// Queries, keys and values of all heads side by side, (T, out), and what each
/// head made of its columns.
struct Heads<A> {
    q: Array2<A>,
    k: Array2<A>,
    v: Array2<A>,
    attentions: Vec<Attention<A>>,
}

impl<A: Real> Heads<A> {
    fn joined(&self) -> Array2<A> {
        join(self.attentions.iter().map(|head| &head.context), &self.v)
    }
}

struct Gradients<A> {
    query: Array2<A>,
    key: Array2<A>,
    value: Array2<A>,
    projection: Array2<A>,
    bias: Array1<A>,
}

fn heads_of<A: Real>(x: &ArrayRef2<A>, weights: &Weights<'_, A>) -> Heads<A> {
    let q = linear_of(x, weights.query, None);
    let k = linear_of(x, weights.key, None);
    let v = linear_of(x, weights.value, None);
    let mask = causal_mask(x.nrows());
    let head = |head| {
        let part = |of| part(of, head, weights.heads);
        attend(&part(&q), &part(&k), &part(&v), Some(&mask))
    };
    let attentions = (0..weights.heads).map(head).collect();
    Heads {
        q,
        k,
        v,
        attentions,
    }
}

fn backward_of<A: Real>(
    d_y: &ArrayRef2<A>,
    x: &ArrayRef2<A>,
    forward: &Heads<A>,
    weights: &Weights<'_, A>,
) -> (Array2<A>, Gradients<A>) {
    // forward: y = projection(joined), each head attends to its own columns
    // so:      every head gets its columns of d_joined, and returns its columns
    let (d_joined, projection, bias) =
        linear_backward_of(d_y, &forward.joined(), weights.projection);
    let scale = A::one_over_sqrt(forward.q.ncols() / weights.heads);
    let head = |(head, attention): (usize, &Attention<A>)| {
        let part = |of| part(of, head, weights.heads);
        A::attend_backward(
            &part(&d_joined),
            &part(&forward.q),
            &part(&forward.k),
            &part(&forward.v),
            &attention.weights,
            scale,
        )
    };
    let heads: Vec<_> = forward.attentions.iter().enumerate().map(head).collect();
    let d_q = join(heads.iter().map(|head| &head.d_q), &forward.q);
    let d_k = join(heads.iter().map(|head| &head.d_k), &forward.k);
    let d_v = join(heads.iter().map(|head| &head.d_v), &forward.v);

    let (d_x_q, query, _) = linear_backward_of(&d_q, x, weights.query);
    let (d_x_k, key, _) = linear_backward_of(&d_k, x, weights.key);
    let (d_x_v, value, _) = linear_backward_of(&d_v, x, weights.value);
    let gradients = Gradients {
        query,
        key,
        value,
        projection,
        bias,
    };
    (d_x_q + d_x_k + d_x_v, gradients)
}

/// The columns of one head.
fn part<A: Real>(of_all: &Array2<A>, head: usize, heads: usize) -> Array2<A> {
    of_all
        .slice_axis(Axis(1), columns(of_all.ncols(), head, heads))
        .to_owned()
}

/// The matrices of all heads side by side, as they stand in `like`.
fn join<'a, A: Real>(
    parts: impl ExactSizeIterator<Item = &'a Array2<A>>,
    like: &Array2<A>,
) -> Array2<A> {
    let heads = parts.len();
    let mut joined = Array2::zeros(like.raw_dim());
    for (head, part) in parts.enumerate() {
        joined
            .slice_axis_mut(Axis(1), columns(like.ncols(), head, heads))
            .assign(part);
    }
    joined
}

fn columns(width: usize, head: usize, heads: usize) -> Slice {
    let each = width / heads;
    Slice::from(head * each..(head + 1) * each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray_rand::{
        RandomExt,
        rand::{SeedableRng, rngs::StdRng},
        rand_distr::StandardNormal,
    };

    #[test]
    fn gradients_agree_with_central_differences() {
        const STEP: f64 = 1e-5;
        let rng = &mut StdRng::seed_from_u64(0);
        let mut draw = |rows, columns| -> Array2<f64> {
            Array2::random_using((rows, columns), StandardNormal, rng)
        };
        let (x, d_y) = (draw(5, 3), draw(5, 4));
        let matrices = [draw(4, 3), draw(4, 3), draw(4, 3), draw(4, 4)];
        let loss = |x: &Array2<f64>, matrices: &[Array2<f64>; 4]| {
            let weights = of(matrices);
            let y = linear_of(&heads_of(x, &weights).joined(), weights.projection, None);
            (y * &d_y).sum()
        };
        let (d_x, d) = backward_of(&d_y, &x, &heads_of(&x, &of(&matrices)), &of(&matrices));
        let check = |name: &str, claimed: &Array2<f64>, at: &dyn Fn((usize, usize), f64) -> f64| {
            for (index, claimed) in claimed.indexed_iter() {
                let measured = (at(index, STEP) - at(index, -STEP)) / (2.0 * STEP);
                assert!(
                    (measured - claimed).abs() < 1e-8 * claimed.abs().max(1.0),
                    "{name}{index:?}: claimed {claimed}, measured {measured}"
                );
            }
        };
        check("d_x", &d_x, &|index, by| {
            let mut x = x.clone();
            x[index] += by;
            loss(&x, &matrices)
        });
        let names = ["query", "key", "value", "projection"];
        let claimed = [&d.query, &d.key, &d.value, &d.projection];
        for (number, (name, claimed)) in names.into_iter().zip(claimed).enumerate() {
            check(name, claimed, &|index, by| {
                let mut matrices = matrices.clone();
                matrices[number][index] += by;
                loss(&x, &matrices)
            });
        }
        assert_eq!(d.bias, d_y.sum_axis(Axis(0)));
    }

    fn of(matrices: &[Array2<f64>; 4]) -> Weights<'_, f64> {
        let [query, key, value, projection] = matrices;
        Weights {
            query,
            key,
            value,
            projection,
            heads: 2,
        }
    }
}
