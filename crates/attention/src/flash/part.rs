//! Some of the keys, one tile after the other, and all tiles of queries of a band.

use super::Task;
use super::band::{Band, Queries};
use super::forward::hide_future;
use super::product::{Left, product};
use super::room::{Room, pad, whole};
use crate::numerics::simd::{exp, simd};

/// A tile of keys and their values, with the place for their gradients.
pub(super) struct Keys<'a> {
    /// The number of the first key.
    pub start: usize,
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub d_k: &'a mut [f32],
    pub d_v: &'a mut [f32],
}

/// Room for the gradients that some of the keys give.
pub(super) struct Part {
    task: Task,
    /// (keys, lanes): weights, and the gradient of the scores
    weights: Room,
    d_scores: Room,
    /// (keys, whole(D))
    k_rows: Room,
    /// (keys, whole(D)) and (keys, whole(D'))
    d_k: Room,
    d_v: Room,
    /// (queries of the band, whole(D))
    d_q: Room,
}

impl Part {
    /// For bands of up to `height` queries.
    pub(super) fn new(task: Task, height: usize) -> Part {
        let Task {
            width,
            value_width,
            tiles,
            ..
        } = task;
        let scores = tiles.keys * whole(tiles.queries);
        Part {
            task,
            weights: Room::new(scores),
            d_scores: Room::new(scores),
            k_rows: Room::new(tiles.keys * whole(width)),
            d_k: Room::new(tiles.keys * whole(width)),
            d_v: Room::new(tiles.keys * whole(value_width)),
            d_q: Room::new(height * whole(width)),
        }
    }

    /// What is added to the gradients of the queries of the last band, not yet scaled.
    pub(super) fn d_q(&self) -> &[f32] {
        self.d_q.numbers()
    }

    /// Adds to the gradients of keys and values what the queries of the band give.
    pub(super) fn backward(&mut self, band: &Band, tiles: Vec<Keys>) {
        let Task {
            width,
            value_width,
            scale,
            causal,
            ..
        } = self.task;
        self.d_q.numbers_mut().fill(0.0);
        for keys in tiles {
            pad(keys.k, width, self.k_rows.numbers_mut());
            self.d_k.numbers_mut().fill(0.0);
            self.d_v.numbers_mut().fill(0.0);
            for queries in band.tiles() {
                if !causal || queries.first + queries.count > keys.start {
                    self.add(&keys, queries, queries.first - band.first);
                }
            }
            if band.first == 0 || (causal && band.first <= keys.start) {
                // They are zeros already. But the system provides memory when it is written
                // to, and takes longer if it is read before.
                keys.d_k.fill(0.0);
                keys.d_v.fill(0.0);
            }
            let sums = self.d_k.numbers().chunks_exact(whole(width));
            for (d_k, sum) in keys.d_k.chunks_exact_mut(width).zip(sums) {
                let sums = d_k.iter_mut().zip(sum);
                sums.for_each(|(d_k, sum)| *d_k += sum * scale);
            }
            let sums = self.d_v.numbers().chunks_exact(whole(value_width));
            for (d_v, sum) in keys.d_v.chunks_exact_mut(value_width).zip(sums) {
                d_v.iter_mut().zip(sum).for_each(|(d_v, sum)| *d_v += sum);
            }
        }
    }

    /// Adds what the keys get from the queries, which begin at row `row` of the band, and
    /// give to them.
    fn add(&mut self, keys: &Keys, queries: &Queries, row: usize) {
        let Task {
            width,
            value_width,
            causal,
            ..
        } = self.task;
        let (count, lanes) = (keys.k.len() / width, whole(queries.count));
        // forward: context = weights v, so: d_weights = d_context vᵀ
        let weights = &mut self.weights.numbers_mut()[..count * lanes];
        let left = Left::of(keys.k, width, count, width);
        product(left, queries.q.numbers(), weights, lanes, false);
        let d_scores = &mut self.d_scores.numbers_mut()[..count * lanes];
        let left = Left::of(keys.v, value_width, count, value_width);
        product(left, queries.d_context.numbers(), d_scores, lanes, false);
        let along = &queries.along[..queries.count];
        softmax_backward(weights, d_scores, &queries.log_sum_exp, along, lanes);
        if causal && keys.start + count > queries.first + 1 {
            hide_future(weights, lanes, keys.start, queries.first, 0.0);
            hide_future(d_scores, lanes, keys.start, queries.first, 0.0);
        }
        // and: d_v = weightsᵀ d_context
        let left = Left::of(weights, lanes, count, queries.count);
        let (rows, columns) = (queries.d_context_rows.numbers(), whole(value_width));
        product(left, rows, self.d_v.numbers_mut(), columns, true);
        // forward: scores = scale · q kᵀ, so: d_k = scale · d_scoresᵀ q, d_q = scale · d_scores k
        let left = Left::of(d_scores, lanes, count, queries.count);
        let (rows, columns) = (queries.q_rows.numbers(), whole(width));
        product(left, rows, self.d_k.numbers_mut(), columns, true);
        let left = Left::transposed(d_scores, lanes, queries.count, count);
        let d_q = &mut self.d_q.numbers_mut()[row * columns..];
        product(left, self.k_rows.numbers(), d_q, columns, true);
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
