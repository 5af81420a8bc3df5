//! The forward and backward passes of several heads: the columns are split, each part attends,
//! and the results are joined.

use crate::dot_product::attend::{Attention, attend, gradients_of};
use crate::dot_product::mask::causal_mask;
use crate::layers::linear::{linear_backward_of, linear_of};
use crate::numerics::real::Real;
use ndarray::{Array1, Array2, ArrayRef2, Axis, Slice};

/// Weight, (out, in), and bias, (out,).
pub(super) type Matrix<'a, A> = (&'a Array2<A>, Option<&'a Array1<A>>);

/// The matrices of a layer, in f32, or in f64 for the tests of the gradients.
pub(super) struct Layers<'a, A> {
    pub query: Matrix<'a, A>,
    pub key: Matrix<'a, A>,
    pub value: Matrix<'a, A>,
    pub projection: Matrix<'a, A>,
    pub heads: usize,
}

/// The queries, keys and values of all heads side by side, (T, out), and each head's
/// results.
pub(super) struct Heads<A> {
    pub q: Array2<A>,
    pub k: Array2<A>,
    pub v: Array2<A>,
    pub attentions: Vec<Attention<A>>,
}

impl<A: Real> Heads<A> {
    pub fn joined(&self) -> Array2<A> {
        join(self.attentions.iter().map(|head| &head.context), &self.v)
    }
}

/// The gradients of each layer's weight and bias.
pub(super) struct Gradients<A> {
    pub query: (Array2<A>, Array1<A>),
    pub key: (Array2<A>, Array1<A>),
    pub value: (Array2<A>, Array1<A>),
    pub projection: (Array2<A>, Array1<A>),
}

#[track_caller]
pub(super) fn heads_of<A: Real>(x: &ArrayRef2<A>, layers: &Layers<'_, A>) -> Heads<A> {
    let [q, k, v] =
        [layers.query, layers.key, layers.value].map(|(weight, bias)| linear_of(x, weight, bias));
    let mask = causal_mask(x.nrows());
    let mut attentions = Vec::new();
    for head in 0..layers.heads {
        let part = |matrix| part(matrix, head, layers.heads);
        attentions.push(attend(&part(&q), &part(&k), &part(&v), Some(&mask)));
    }
    Heads {
        q,
        k,
        v,
        attentions,
    }
}

pub(super) fn backward_of<A: Real>(
    d_y: &ArrayRef2<A>,
    x: &ArrayRef2<A>,
    forward: &Heads<A>,
    layers: &Layers<'_, A>,
) -> (Array2<A>, Gradients<A>) {
    // forward: y = projection(joined), where each head attends using its own columns
    // so:      each head gets its columns of d_joined, and returns its columns of d_q, d_k and d_v
    let (d_joined, projection, bias) =
        linear_backward_of(d_y, &forward.joined(), layers.projection.0);
    let scale = A::one_over_sqrt(forward.q.ncols() / layers.heads);
    let head = |(head, attention): (usize, &Attention<A>)| {
        let part = |matrix| part(matrix, head, layers.heads);
        gradients_of(
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

    let (d_x_q, query, query_bias) = linear_backward_of(&d_q, x, layers.query.0);
    let (d_x_k, key, key_bias) = linear_backward_of(&d_k, x, layers.key.0);
    let (d_x_v, value, value_bias) = linear_backward_of(&d_v, x, layers.value.0);
    let gradients = Gradients {
        query: (query, query_bias),
        key: (key, key_bias),
        value: (value, value_bias),
        projection: (projection, bias),
    };
    (d_x_q + d_x_k + d_x_v, gradients)
}

/// The columns of one head.
pub(super) fn part<A: Real>(matrix: &Array2<A>, head: usize, heads: usize) -> Array2<A> {
    matrix
        .slice_axis(Axis(1), columns(matrix.ncols(), head, heads))
        .to_owned()
}

/// The matrices of all heads side by side, in the shape of `like`.
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
    let size = width / heads;
    Slice::from(head * size..(head + 1) * size)
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
        let biases = draw(4, 4);
        let loss = |x: &Array2<f64>, matrices: &[Array2<f64>; 4], biases: &Array2<f64>| {
            let biases = biases.outer_iter().map(|bias| bias.to_owned());
            let biases: Vec<_> = biases.collect();
            let layers = of(matrices, &biases);
            let joined = heads_of(x, &layers).joined();
            (linear_of(&joined, layers.projection.0, layers.projection.1) * &d_y).sum()
        };
        let each: Vec<_> = biases.outer_iter().map(|bias| bias.to_owned()).collect();
        let layers = of(&matrices, &each);
        let (d_x, d) = backward_of(&d_y, &x, &heads_of(&x, &layers), &layers);
        let check = |name: &str, claimed: &Array2<f64>, at: &dyn Fn((usize, usize), f64) -> f64| {
            for (index, claimed) in claimed.indexed_iter() {
                let measured = (at(index, STEP) - at(index, -STEP)) / (2.0 * STEP);
                assert!(
                    (measured - claimed).abs() < 1e-8 * claimed.abs().max(1.0),
                    "{name}{index:?}: claimed {claimed}, measured {measured}"
                );
            }
        };
        let moved = |of: &Array2<f64>, index, by| {
            let mut of = of.clone();
            of[index] += by;
            of
        };
        check("d_x", &d_x, &|index, by| {
            loss(&moved(&x, index, by), &matrices, &biases)
        });
        let names = ["query", "key", "value", "projection"];
        let claimed = [d.query, d.key, d.value, d.projection];
        for (number, (name, (weight, bias))) in names.into_iter().zip(claimed).enumerate() {
            check(name, &weight, &|index, by| {
                let mut matrices = matrices.clone();
                matrices[number] = moved(&matrices[number], index, by);
                loss(&x, &matrices, &biases)
            });
            let bias = bias.insert_axis(Axis(0));
            check(&format!("bias of {name}"), &bias, &|(_, column), by| {
                loss(&x, &matrices, &moved(&biases, (number, column), by))
            });
        }
    }

    fn of<'a>(matrices: &'a [Array2<f64>; 4], biases: &'a [Array1<f64>]) -> Layers<'a, f64> {
        let layer = |number: usize| (&matrices[number], Some(&biases[number]));
        Layers {
            query: layer(0),
            key: layer(1),
            value: layer(2),
            projection: layer(3),
            heads: 2,
        }
    }
}
