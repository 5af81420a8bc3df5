//! A band: some of the queries of a head, in the order in which products read them.

use super::Task;
use super::backward::Inputs;
use super::room::{Room, pad, turn, whole};
use crate::numerics::simd::{dot, simd};
use rayon::prelude::*;

pub(super) struct Band {
    task: Task,
    /// Room for so many queries, whole tiles or all that there are.
    pub height: usize,
    /// The number of the first query.
    pub first: usize,
    tiles: Vec<Queries>,
    /// So many tiles are in use: the last band of a sequence may have fewer.
    count: usize,
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
    /// For each query; inf where there was nothing to attend to, so that `exp(score -
    /// log_sum_exp)` is 0.
    pub log_sum_exp: Vec<f32>,
    /// The sum of `d_context · context` for each query.
    pub along: Vec<f32>,
}

impl Band {
    pub(super) fn new(task: Task, height: usize) -> Band {
        let tiles = height.div_ceil(task.tiles.queries);
        Band {
            task,
            height,
            first: 0,
            tiles: (0..tiles).map(|_| Queries::new(task)).collect(),
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
        let tiles = self.tiles[..self.count].par_iter_mut().enumerate();
        let share = self.count.div_ceil(threads);
        tiles.with_min_len(share).for_each(|(index, queries)| {
            let start = index * tile;
            let end = (start + tile).min(count);
            queries.fill(task, first + start, inputs.queries(task, start..end));
        });
    }

    pub(super) fn tiles(&self) -> &[Queries] {
        &self.tiles[..self.count]
    }
}

impl Queries {
    fn new(task: Task) -> Queries {
        let queries = task.tiles.queries;
        let lanes = whole(queries);
        Queries {
            first: 0,
            count: 0,
            q: Room::new(task.width * lanes),
            d_context: Room::new(task.value_width * lanes),
            q_rows: Room::new(queries * whole(task.width)),
            d_context_rows: Room::new(queries * whole(task.value_width)),
            log_sum_exp: Vec::with_capacity(queries),
            along: vec![0.0; queries],
        }
    }

    fn fill(&mut self, task: Task, first: usize, inputs: Inputs) {
        self.first = first;
        self.count = inputs.log_sum_exp.len();
        self.log_sum_exp.clear();
        let or_infinity = |one: &f32| {
            if *one == f32::NEG_INFINITY {
                f32::INFINITY
            } else {
                *one
            }
        };
        self.log_sum_exp
            .extend(inputs.log_sum_exp.iter().map(or_infinity));
        let (width, lanes) = (task.width, whole(self.count));
        turn(inputs.q, width, task.scale, self.q.numbers_mut(), lanes);
        pad(inputs.q, width, self.q_rows.numbers_mut());
        let (width, d_context) = (task.value_width, inputs.d_context);
        turn(d_context, width, 1.0, self.d_context.numbers_mut(), lanes);
        pad(d_context, width, self.d_context_rows.numbers_mut());
        let rows = d_context.chunks(width).zip(inputs.context.chunks(width));
        for (along, (d_context, context)) in self.along.iter_mut().zip(rows) {
            *along = simd(
                #[inline(always)]
                || dot(d_context, context),
            );
        }
    }
}
