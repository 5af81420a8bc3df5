//! Keys look at all tiles of queries, one tile of keys after the other.

use super::Task;
use super::backward::{Head, Keys, Queries};
use super::forward::hide_future;
use super::product::{Left, product};
use super::room::{Room, whole};
use crate::simd::{exp, simd};

/// The gradients that some of the keys give.
pub(super) struct Part<'a> {
    head: &'a Head<'a>,
    /// (keys, lanes): weights, and the gradient of the scores
    weights: Room,
    d_scores: Room,
    /// (keys, whole(D)) and (keys, whole(D'))
    d_k: Room,
    d_v: Room,
    /// (T, whole(D))
    d_q: Room,
}

impl<'a> Part<'a> {
    pub(super) fn new(head: &'a Head<'a>) -> Part<'a> {
        let Task {
            width,
            value_width,
            tiles,
            ..
        } = head.task;
        let scores = tiles.keys * whole(tiles.queries);
        Part {
            head,
            weights: Room::new(scores),
            d_scores: Room::new(scores),
            d_k: Room::new(tiles.keys * whole(width)),
            d_v: Room::new(tiles.keys * whole(value_width)),
            d_q: Room::new(head.task.queries * whole(width)),
        }
    }

    /// Writes the gradients of keys and values, returns what is added to those of the
    /// queries.
    pub(super) fn backward(mut self, tiles: Vec<Keys>) -> Room {
        let Task {
            width,
            value_width,
            scale,
            ..
        } = self.head.task;
        for Keys { start, d_k, d_v } in tiles {
            let count = d_k.len() / width;
            self.d_k.numbers_mut().fill(0.0);
            self.d_v.numbers_mut().fill(0.0);
            for queries in &self.head.tiles {
                if !self.head.task.causal || queries.first + queries.count > start {
                    self.add(start, count, queries);
                }
            }
            let sums = self.d_k.numbers().chunks_exact(whole(width));
            for (d_k, sum) in d_k.chunks_exact_mut(width).zip(sums) {
                let sums = d_k.iter_mut().zip(sum);
                sums.for_each(|(d_k, sum)| *d_k = sum * scale);
            }
            let sums = self.d_v.numbers().chunks_exact(whole(value_width));
            for (d_v, sum) in d_v.chunks_exact_mut(value_width).zip(sums) {
                d_v.copy_from_slice(&sum[..value_width]);
            }
        }
        self.d_q
    }

    /// Adds what the keys from `start` on get from the queries, and give to them.
    fn add(&mut self, start: usize, keys: usize, queries: &Queries) {
        let Head { task, k, v, .. } = *self.head;
        let lanes = whole(queries.count);
        let left =
            |rows: &'a [f32], width: usize| Left::of(&rows[start * width..], width, keys, width);
        // forward: context = weights v, so: d_weights = d_context vᵀ
        let weights = &mut self.weights.numbers_mut()[..keys * lanes];
        product(
            left(k, task.width),
            queries.q.numbers(),
            weights,
            lanes,
            false,
        );
        let d_scores = &mut self.d_scores.numbers_mut()[..keys * lanes];
        let d_context = queries.d_context.numbers();
        product(left(v, task.value_width), d_context, d_scores, lanes, false);
        let rows = queries.first..queries.first + queries.count;
        let (log_sum_exp, along) = (
            &self.head.log_sum_exp[rows.clone()],
            &self.head.along[rows.clone()],
        );
        softmax_backward(weights, d_scores, log_sum_exp, along, lanes);
        if task.causal && start + keys > queries.first + 1 {
            hide_future(weights, lanes, start, queries.first, 0.0);
            hide_future(d_scores, lanes, start, queries.first, 0.0);
        }
        // and: d_v = weightsᵀ d_context
        let left = Left::of(weights, lanes, keys, queries.count);
        let (rows_of, columns) = (queries.d_context_rows.numbers(), whole(task.value_width));
        product(left, rows_of, self.d_v.numbers_mut(), columns, true);
        // forward: scores = scale · q kᵀ, so: d_k = scale · d_scoresᵀ q, d_q = scale · d_scores k
        let columns = whole(task.width);
        let left = Left::of(d_scores, lanes, keys, queries.count);
        product(
            left,
            queries.q_rows.numbers(),
            self.d_k.numbers_mut(),
            columns,
            true,
        );
        let left = Left::transposed(d_scores, lanes, queries.count, keys);
        let k = &self.head.k_rows.numbers()[start * columns..];
        let d_q = &mut self.d_q.numbers_mut()[rows.start * columns..rows.end * columns];
        product(left, k, d_q, columns, true);
    }
}

/// `scores`, (keys, lanes), become weights, and `d_weights` the gradient with respect
/// to the scores. Lanes without a query keep what is in them.
fn softmax_backward(
    scores: &mut [f32],
    d_weights: &mut [f32],
    log_sum_exp: &[f32],
    along: &[f32],
    lanes: usize,
) {
    simd(
        #[inline(always)]
        || {
            // forward: w = exp(s - log_sum_exp)
            // so:      d_s = w (d_w - Σ w d_w), and Σ w d_w = d_context · context
            for (scores, d_weights) in scores
                .chunks_exact_mut(lanes)
                .zip(d_weights.chunks_exact_mut(lanes))
            {
                for lane in 0..log_sum_exp.len() {
                    scores[lane] = exp(scores[lane] - log_sum_exp[lane]);
                    d_weights[lane] = scores[lane] * (d_weights[lane] - along[lane]);
                }
            }
        },
    );
}
