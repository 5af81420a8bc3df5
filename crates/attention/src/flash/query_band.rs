//! A band: some of the queries of a head, in the order in which products read them.

use super::aligned::{AlignedBuffer, copy_padded, padded, transpose_scaled};
use super::inputs::Inputs;
use super::task::Task;
use crate::numerics::parallel::for_each_with;
use crate::numerics::simd::{dot, simd};
use std::f32::consts::LOG2_E;

pub(super) struct QueryBand {
    task: Task,
    /// It holds so many queries, whole tiles or all that there are.
    pub height: usize,
    /// The number of the first query.
    pub first: usize,
    tiles: Vec<QueryTile>,
    /// So many tiles are in use: the last band of a sequence may have fewer.
    count: usize,
}

/// A tile of queries.
pub(super) struct QueryTile {
    pub first: usize,
    pub count: usize,
    /// (D, lanes), scaled, and by log2(e), too: e^score is then a power of 2.
    pub q: AlignedBuffer,
    /// (D', lanes)
    pub d_context: AlignedBuffer,
    /// (queries, padded(D))
    pub q_rows: AlignedBuffer,
    /// (queries, padded(D'))
    pub d_context_rows: AlignedBuffer,
    /// For each lane, times log2(e); inf where there was nothing to attend to or is no query, so that
    /// `exp(score - log_sum_exp)` is 0.
    pub log_sum_exp: Vec<f32>,
    /// For each lane `d_context · context`: the D of FlashAttention-2 (Dao 2023, algorithm 2).
    pub delta: Vec<f32>,
}

impl QueryBand {
    pub(super) fn new(task: Task, height: usize) -> QueryBand {
        let tiles = height.div_ceil(task.tiles.queries);
        QueryBand {
            task,
            height,
            first: 0,
            tiles: (0..tiles).map(|_| QueryTile::new(task)).collect(),
            count: 0,
        }
    }

    /// Makes this the band of the queries of `inputs`, of which the first has number
    /// `first`. No more than `threads` share the work: one alone waits for nobody.
    pub(super) fn fill(&mut self, first: usize, inputs: Inputs, threads: usize) {
        let task = self.task;
        let tile = task.tiles.queries;
        let count = inputs.log_sum_exp.len();
        self.first = first;
        self.count = count.div_ceil(tile);
        let share = self.count.div_ceil(threads);
        let shares = self.tiles[..self.count].chunks_mut(share).enumerate();
        let fill = |(index, tiles): (usize, &mut [QueryTile])| {
            for (queries, index) in tiles.iter_mut().zip(index * share..) {
                let start = index * tile;
                let end = (start + tile).min(count);
                queries.fill(task, first + start, inputs.queries(task, start..end));
            }
        };
        for_each_with(shares.collect(), || (), |(), share| fill(share));
    }

    pub(super) fn tiles(&self) -> &[QueryTile] {
        &self.tiles[..self.count]
    }
}

impl QueryTile {
    fn new(task: Task) -> QueryTile {
        let queries = task.tiles.queries;
        let lanes = padded(queries);
        QueryTile {
            first: 0,
            count: 0,
            q: AlignedBuffer::new(task.width * lanes),
            d_context: AlignedBuffer::new(task.value_width * lanes),
            q_rows: AlignedBuffer::new(queries * padded(task.width)),
            d_context_rows: AlignedBuffer::new(queries * padded(task.value_width)),
            log_sum_exp: Vec::with_capacity(lanes),
            delta: Vec::with_capacity(lanes),
        }
    }

    fn fill(&mut self, task: Task, first: usize, inputs: Inputs) {
        self.first = first;
        self.count = inputs.log_sum_exp.len();
        let lanes = padded(self.count);
        let or_infinity = |one: &f32| {
            if *one == f32::NEG_INFINITY {
                f32::INFINITY
            } else {
                *one * LOG2_E
            }
        };
        self.log_sum_exp.clear();
        self.log_sum_exp
            .extend(inputs.log_sum_exp.iter().map(or_infinity));
        self.log_sum_exp.resize(lanes, f32::INFINITY);
        let width = task.width;
        let scale = task.scale * LOG2_E;
        transpose_scaled(inputs.q, width, scale, self.q.as_mut_slice(), lanes);
        copy_padded(inputs.q, width, self.q_rows.as_mut_slice());
        let (width, d_context) = (task.value_width, inputs.d_context);
        transpose_scaled(d_context, width, 1.0, self.d_context.as_mut_slice(), lanes);
        copy_padded(d_context, width, self.d_context_rows.as_mut_slice());
        let rows = d_context.chunks(width).zip(inputs.context.chunks(width));
        self.delta.clear();
        simd(
            #[inline(always)]
            || {
                for (d_context, context) in rows.clone() {
                    self.delta.push(dot(d_context, context));
                }
            },
        );
        self.delta.resize(lanes, 0.0);
    }
}
