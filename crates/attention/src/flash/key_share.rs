//! A share of the keys: each of its tiles in turn is combined with all query tiles of a band.

use super::aligned::{AlignedBuffer, copy_padded, padded};
use super::few_queries::{are_few, few_scores};
use super::forward::hide_future;
use super::query_band::{QueryBand, QueryTile};
use super::task::Task;
use crate::numerics::product::{Left, Store, product};
use crate::numerics::simd::{LANES, exp_of_difference, simd};

/// A tile of keys and their values, and where their gradients go.
pub(super) struct KeyTile<'a> {
    /// The index of the first key in its head.
    pub start: usize,
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub d_k: &'a mut [f32],
    pub d_v: &'a mut [f32],
}

/// Scratch memory for the gradients that one share of the keys produces.
pub(super) struct KeyShare {
    task: Task,
    /// (keys, lanes): the weights, and the gradient of the scores
    weights: AlignedBuffer,
    d_scores: AlignedBuffer,
    /// (keys, padded(D))
    k_rows: AlignedBuffer,
    /// (keys, padded(D)) and (keys, padded(D'))
    d_k: AlignedBuffer,
    d_v: AlignedBuffer,
    /// (queries of the band, padded(D))
    d_q: AlignedBuffer,
}

impl KeyShare {
    /// Scratch memory for bands of up to `height` queries.
    pub(super) fn new(task: Task, height: usize) -> KeyShare {
        let Task {
            width,
            value_width,
            tiles,
            ..
        } = task;
        let scores = tiles.keys * padded(tiles.queries);
        KeyShare {
            task,
            weights: AlignedBuffer::new(scores),
            d_scores: AlignedBuffer::new(scores),
            k_rows: AlignedBuffer::new(tiles.keys * padded(width)),
            d_k: AlignedBuffer::new(tiles.keys * padded(width)),
            d_v: AlignedBuffer::new(tiles.keys * padded(value_width)),
            d_q: AlignedBuffer::new(height * padded(width)),
        }
    }

    /// The share's contribution to the gradients of the queries in the band that was processed
    /// last, not yet scaled.
    pub(super) fn d_q(&self) -> &[f32] {
        self.d_q.as_slice()
    }

    /// Adds the contribution of the band's queries to the gradients of the keys and values in
    /// `tiles`, and replaces [`KeyShare::d_q`].
    pub(super) fn backward(&mut self, band: &QueryBand, tiles: Vec<KeyTile>) {
        let Task {
            width,
            value_width,
            scale,
            causal,
            ..
        } = self.task;
        self.d_q.as_mut_slice().fill(0.0);
        for keys in tiles {
            copy_padded(keys.k, width, self.k_rows.as_mut_slice());
            self.d_k.as_mut_slice().fill(0.0);
            self.d_v.as_mut_slice().fill(0.0);
            for queries in band.tiles() {
                if !causal || queries.first + queries.count > keys.start {
                    self.add(&keys, queries, queries.first - band.first);
                }
            }
            if band.first == 0 || (causal && band.first <= keys.start) {
                // They are zeros already, but the system provides a page of memory on the first
                // write, and takes longer if the page is read first.
                keys.d_k.fill(0.0);
                keys.d_v.fill(0.0);
            }
            let sums = self.d_k.as_slice().chunks_exact(padded(width));
            for (d_k, sum) in keys.d_k.chunks_exact_mut(width).zip(sums) {
                let sums = d_k.iter_mut().zip(sum);
                sums.for_each(|(d_k, sum)| *d_k += sum * scale);
            }
            let sums = self.d_v.as_slice().chunks_exact(padded(value_width));
            for (d_v, sum) in keys.d_v.chunks_exact_mut(value_width).zip(sums) {
                d_v.iter_mut().zip(sum).for_each(|(d_v, sum)| *d_v += sum);
            }
        }
    }

    /// Adds what `keys` and `queries` contribute to each other's gradients. `row` is the position
    /// of the first query in the band.
    fn add(&mut self, keys: &KeyTile, queries: &QueryTile, row: usize) {
        let Task {
            width,
            value_width,
            causal,
            ..
        } = self.task;
        let (count, lanes) = (keys.k.len() / width, padded(queries.count));
        // forward: context = weights v, so: d_weights = d_context vᵀ
        let weights = &mut self.weights.as_mut_slice()[..count * lanes];
        let q = queries.q.as_slice();
        if are_few(self.task) {
            few_scores(self.task, q, keys.k, weights);
        } else {
            let left = Left::of(keys.k, width, count, width);
            product(left, q, weights, lanes, Store::Overwrite);
        }
        let d_scores = &mut self.d_scores.as_mut_slice()[..count * lanes];
        let left = Left::of(keys.v, value_width, count, value_width);
        product(
            left,
            queries.d_context.as_slice(),
            d_scores,
            lanes,
            Store::Overwrite,
        );
        softmax_backward(weights, d_scores, queries);
        if causal && keys.start + count > queries.first + 1 {
            hide_future(weights, lanes, keys.start, queries.first, 0.0);
            hide_future(d_scores, lanes, keys.start, queries.first, 0.0);
        }
        // and: d_v = weightsᵀ d_context
        let left = Left::of(weights, lanes, count, queries.count);
        let (rows, columns) = (queries.d_context_rows.as_slice(), padded(value_width));
        product(
            left,
            rows,
            self.d_v.as_mut_slice(),
            columns,
            Store::Accumulate,
        );
        // forward: scores = scale · q kᵀ, so: d_k = scale · d_scoresᵀ q, d_q = scale · d_scores k
        let left = Left::of(d_scores, lanes, count, queries.count);
        let (rows, columns) = (queries.q_rows.as_slice(), padded(width));
        product(
            left,
            rows,
            self.d_k.as_mut_slice(),
            columns,
            Store::Accumulate,
        );
        let left = Left::transposed(d_scores, lanes, queries.count, count);
        let d_q = &mut self.d_q.as_mut_slice()[row * columns..];
        product(
            left,
            self.k_rows.as_slice(),
            d_q,
            columns,
            Store::Accumulate,
        );
    }
}

/// Overwrites `scores`, (keys, lanes), with the weights, and `d_weights` with the gradient with
/// respect to the scores.
fn softmax_backward(scores: &mut [f32], d_weights: &mut [f32], queries: &QueryTile) {
    let lanes = queries.log_sum_exp.len();
    let of_queries = [&queries.log_sum_exp, &queries.rest, &queries.delta];
    let [log_sum_exp, rest, delta] = of_queries.map(|numbers| numbers.as_chunks::<LANES>().0);
    simd(
        #[inline(always)]
        || {
            // forward: w = exp(s - log_sum_exp)
            // so:      d_s = w (d_w - Σ w d_w), and Σ w d_w = d_context · context
            for (scores, d_weights) in scores
                .chunks_exact_mut(lanes)
                .zip(d_weights.chunks_exact_mut(lanes))
            {
                let registers = scores.as_chunks_mut().0.iter_mut();
                let registers = registers.zip(d_weights.as_chunks_mut().0);
                let of_queries = log_sum_exp.iter().zip(rest).zip(delta);
                for ((scores, d_weights), of_queries) in registers.zip(of_queries) {
                    weights_and_d_scores(scores, d_weights, of_queries);
                }
            }
        },
    );
}

/// [`softmax_backward`] for one register.
#[inline(always)]
fn weights_and_d_scores(
    scores: &mut [f32; LANES],
    d_weights: &mut [f32; LANES],
    ((log_sum_exp, rest), delta): ((&[f32; LANES], &[f32; LANES]), &[f32; LANES]),
) {
    // Copies tell the compiler that writes cannot change what is read.
    let (mut weights, mut d_scores) = (*scores, *d_weights);
    for lane in 0..LANES {
        weights[lane] = exp_of_difference(weights[lane] - log_sum_exp[lane] - rest[lane]);
        d_scores[lane] = weights[lane] * (d_scores[lane] - delta[lane]);
    }
    (*scores, *d_weights) = (weights, d_scores);
}
