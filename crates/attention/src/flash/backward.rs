//! The backward pass: one tile of keys looks at one tile of queries after the other.
//!
//! The gradient of a key and of a value is a sum over queries, that of a query a sum over
//! keys. Keys are dealt to parts that each sum up queries of their own; the parts, whose
//! number depends on the shapes only, are added in their order at the end.

use super::forward::hide_future;
use super::product::{Left, product};
use super::room::{Room, pad, turn, whole};
use super::{Task, Tiles};
use crate::simd::{dot, exp, simd};
use rayon::prelude::*;

/// So many parts there are at least, over all heads: no more threads can help.
const PARTS: usize = 8;

/// What the gradients are computed from, each (heads, rows, width).
pub(super) struct Inputs<'a> {
    pub d_context: &'a [f32],
    pub q: &'a [f32],
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub context: &'a [f32],
    pub log_sum_exp: &'a [f32],
}

pub(super) struct Gradients {
    pub d_q: Vec<f32>,
    pub d_k: Vec<f32>,
    pub d_v: Vec<f32>,
}

pub(super) fn backward(inputs: Inputs, task: Task) -> Gradients {
    let mut gradients = Gradients {
        d_q: vec![0.0; inputs.q.len()],
        d_k: vec![0.0; inputs.k.len()],
        d_v: vec![0.0; inputs.v.len()],
    };
    if task.heads * task.queries == 0 {
        return gradients;
    }
    let tiles = Tiles {
        queries: task.tiles.queries.min(task.queries),
        keys: task.tiles.keys.min(task.keys),
    };
    let task = Task { tiles, ..task };
    let heads = gradients.d_q.chunks_mut(task.queries * task.width);
    let heads = heads.zip(gradients.d_k.chunks_mut(task.keys * task.width));
    let heads = heads.zip(gradients.d_v.chunks_mut(task.keys * task.value_width));
    let heads: Vec<_> = heads.enumerate().collect();
    heads
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(head, ((d_q, d_k), d_v))| {
            Head::new(&inputs, task, head).backward(d_q, d_k, d_v);
        });
    gradients
}

/// What the products of one head need, in the order in which they read it.
struct Head<'a> {
    task: Task,
    k: &'a [f32],
    v: &'a [f32],
    log_sum_exp: &'a [f32],
    /// The sum of `d_context · context` for each query.
    along: Vec<f32>,
    tiles: Vec<Queries>,
    /// (S, whole(D))
    k_rows: Room,
}

/// A tile of queries.
struct Queries {
    first: usize,
    count: usize,
    /// (D, lanes), scaled
    q: Room,
    /// (D', lanes)
    d_context: Room,
    /// (queries, whole(D))
    q_rows: Room,
    /// (queries, whole(D'))
    d_context_rows: Room,
}

impl Queries {
    fn new(task: Task, first: usize, q: &[f32], d_context: &[f32]) -> Queries {
        let count = q.len() / task.width;
        let lanes = whole(count);
        let mut tile = Queries {
            first,
            count,
            q: Room::new(task.width * lanes),
            d_context: Room::new(task.value_width * lanes),
            q_rows: Room::new(count * whole(task.width)),
            d_context_rows: Room::new(count * whole(task.value_width)),
        };
        turn(q, task.width, task.scale, tile.q.numbers_mut(), lanes);
        turn(
            d_context,
            task.value_width,
            1.0,
            tile.d_context.numbers_mut(),
            lanes,
        );
        pad(q, task.width, tile.q_rows.numbers_mut());
        pad(
            d_context,
            task.value_width,
            tile.d_context_rows.numbers_mut(),
        );
        tile
    }
}

/// A tile of keys, with the place for its gradients.
struct Keys<'a> {
    start: usize,
    d_k: &'a mut [f32],
    d_v: &'a mut [f32],
}

impl<'a> Head<'a> {
    fn new(inputs: &Inputs<'a>, task: Task, head: usize) -> Head<'a> {
        let of = |numbers: &'a [f32], rows: usize, width: usize| {
            &numbers[head * rows * width..(head + 1) * rows * width]
        };
        let (width, value_width) = (task.width, task.value_width);
        let q = of(inputs.q, task.queries, width);
        let d_context = of(inputs.d_context, task.queries, value_width);
        let context = of(inputs.context, task.queries, value_width);
        let k = of(inputs.k, task.keys, width);
        let rows = d_context.par_chunks(value_width);
        let along = rows
            .zip(context.par_chunks(value_width))
            .map(|(d_context, context)| {
                simd(
                    #[inline(always)]
                    || dot(d_context, context),
                )
            });
        let chunks = q.par_chunks(task.tiles.queries * width);
        let chunks = chunks.zip(d_context.par_chunks(task.tiles.queries * value_width));
        let tiles = chunks.enumerate().map(|(index, (q, d_context))| {
            Queries::new(task, index * task.tiles.queries, q, d_context)
        });
        let mut k_rows = Room::new(task.keys * whole(width));
        pad(k, width, k_rows.numbers_mut());
        Head {
            task,
            k,
            v: of(inputs.v, task.keys, value_width),
            log_sum_exp: of(inputs.log_sum_exp, task.queries, 1),
            along: along.collect(),
            tiles: tiles.collect(),
            k_rows,
        }
    }

    fn backward(&self, d_q: &mut [f32], d_k: &mut [f32], d_v: &mut [f32]) {
        let Task { width, tiles, .. } = self.task;
        let count = PARTS.div_ceil(self.task.heads);
        let mut parts: Vec<Vec<Keys>> = (0..count).map(|_| Vec::new()).collect();
        let chunks = d_k.chunks_mut(tiles.keys * width);
        let chunks = chunks.zip(d_v.chunks_mut(tiles.keys * self.task.value_width));
        // Dealt like cards: with a causal mask early keys are looked at more often.
        for (index, (d_k, d_v)) in chunks.enumerate() {
            let start = index * tiles.keys;
            parts[index % count].push(Keys { start, d_k, d_v });
        }
        parts.retain(|keys| !keys.is_empty());
        let sums: Vec<Room> = parts
            .into_par_iter()
            .with_max_len(1)
            .map(|keys| Part::new(self).backward(keys))
            .collect();
        let rows = d_q.par_chunks_mut(width).enumerate();
        rows.for_each(|(query, d_q)| {
            for sum in &sums {
                let sum = &sum.numbers()[query * whole(width)..][..width];
                d_q.iter_mut().zip(sum).for_each(|(d_q, sum)| *d_q += sum);
            }
            d_q.iter_mut().for_each(|d_q| *d_q *= self.task.scale);
        });
    }
}

/// The gradients that some of the keys give.
struct Part<'a> {
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
    fn new(head: &'a Head<'a>) -> Part<'a> {
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
    fn backward(mut self, tiles: Vec<Keys>) -> Room {
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
