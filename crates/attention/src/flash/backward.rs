//! The backward pass: one tile of keys looks at one tile of queries after the other.
//!
//! The gradient of a key and of a value is a sum over queries, that of a query a sum over
//! keys. Keys are dealt to parts that each sum up queries of their own; the parts, whose
//! number depends on the shapes only, are added in their order at the end.

use super::part::Part;
use super::room::{Room, pad, turn, whole};
use super::{Task, Tiles};
use crate::simd::{dot, simd};
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
pub(super) struct Head<'a> {
    pub task: Task,
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub log_sum_exp: &'a [f32],
    /// The sum of `d_context · context` for each query.
    pub along: Vec<f32>,
    pub tiles: Vec<Queries>,
    /// (S, whole(D))
    pub k_rows: Room,
}

/// A tile of queries.
pub(super) struct Queries {
    pub first: usize,
    pub count: usize,
    /// (D, lanes), scaled
    pub q: Room,
    /// (D', lanes)
    pub d_context: Room,
    /// (queries, whole(D))
    pub q_rows: Room,
    /// (queries, whole(D'))
    pub d_context_rows: Room,
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
pub(super) struct Keys<'a> {
    pub start: usize,
    pub d_k: &'a mut [f32],
    pub d_v: &'a mut [f32],
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
