//! A band: some of a head's queries, laid out as the products read them.

use super::aligned::{AlignedBuffer, copy_padded, padded, transpose_scaled};
use super::inputs::Inputs;
use super::task::Task;
use crate::numerics::column_dots::column_dots;
use crate::numerics::parallel::for_each_with;

pub(super) struct QueryBand {
    task: Task,
    /// The number of queries it has room for: whole tiles, or all queries of a head.
    pub height: usize,
    /// The index of the first query in its head.
    pub first: usize,
    tiles: Vec<QueryTile>,
    /// How many tiles are in use: the last band of a sequence may have fewer.
    count: usize,
}

/// A tile of queries.
pub(super) struct QueryTile {
    pub first: usize,
    pub count: usize,
    /// (D, lanes), scaled
    pub q: AlignedBuffer,
    /// (D', lanes)
    pub d_context: AlignedBuffer,
    /// (queries, padded(D))
    pub q_rows: AlignedBuffer,
    /// (queries, padded(D'))
    pub d_context_rows: AlignedBuffer,
    /// One value per lane; inf where there was nothing to attend to or there is no query, so that
    /// `exp(score - log_sum_exp)` is 0.
    pub log_sum_exp: Vec<f32>,
    /// The rounding error of `log_sum_exp`, one value per lane.
    pub rest: Vec<f32>,
    /// `d_context · context`, one value per lane: the D of FlashAttention-2 (Dao 2023, algorithm 2).
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

    /// Fills this band with the queries of `inputs`, the first of which has number `first` in its
    /// head. At most `threads` threads share the work; if it is 1, the caller does it alone.
    pub(super) fn fill(&mut self, first: usize, inputs: Inputs, threads: usize) {
        let task = self.task;
        let tile = task.tiles.queries;
        let count = inputs.log_sum_exp.len();
        self.first = first;
        self.count = count.div_ceil(tile);
        let share = self.count.div_ceil(threads);
        let shares = self.tiles[..self.count].chunks_mut(share).enumerate();
        let room = || AlignedBuffer::new(task.value_width * padded(tile));
        let fill = |context: &mut AlignedBuffer, (index, tiles): (usize, &mut [QueryTile])| {
            for (queries, index) in tiles.iter_mut().zip(index * share..) {
                let start = index * tile;
                let end = (start + tile).min(count);
                let inputs = inputs.queries(task, start..end);
                queries.fill(task, first + start, inputs, context.as_mut_slice());
            }
        };
        for_each_with(shares.collect(), room, fill);
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
            rest: Vec::with_capacity(lanes),
            delta: Vec::with_capacity(lanes),
        }
    }

    /// Fills this tile. `context` is scratch memory for the context of a tile, (D', lanes).
    fn fill(&mut self, task: Task, first: usize, inputs: Inputs, context: &mut [f32]) {
        self.first = first;
        self.count = inputs.log_sum_exp.len();
        let lanes = padded(self.count);
        let or_infinity = |one: &f32| {
            if *one == f32::NEG_INFINITY {
                f32::INFINITY
            } else {
                *one
            }
        };
        self.log_sum_exp.clear();
        self.log_sum_exp
            .extend(inputs.log_sum_exp.iter().map(or_infinity));
        self.log_sum_exp.resize(lanes, f32::INFINITY);
        self.rest.clear();
        self.rest.extend(inputs.rest);
        self.rest.resize(lanes, 0.0);
        let (width, scale) = (task.width, task.scale);
        transpose_scaled(inputs.q, width, scale, self.q.as_mut_slice(), lanes);
        copy_padded(inputs.q, width, self.q_rows.as_mut_slice());
        let (width, d_context) = (task.value_width, inputs.d_context);
        transpose_scaled(d_context, width, 1.0, self.d_context.as_mut_slice(), lanes);
        copy_padded(d_context, width, self.d_context_rows.as_mut_slice());
        // Summed in the same order as the product for d_weights: where a query looks at a single
        // key, delta and d_weight are then the same number, and their difference is exactly 0.
        let context = &mut context[..width * lanes];
        transpose_scaled(inputs.context, width, 1.0, context, lanes);
        self.delta.resize(lanes, 0.0);
        let d_context = &self.d_context.as_slice()[..width * lanes];
        column_dots(context, d_context, &mut self.delta);
    }
}
