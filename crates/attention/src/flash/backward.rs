//! The backward pass: one band of queries after the other looks at the keys.
//!
//! The gradient of a key and of a value is a sum over queries, that of a query a sum over
//! keys. Within a band, keys are dealt to parts that each sum up queries of their own. So
//! what is held besides the gradients has the height of a band, however long the sequence.

use super::band::Band;
use super::part::{Keys, Part};
use super::room::whole;
use super::{Task, Tiles};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// So many queries are in a band, rounded down to whole tiles. With 64 channels, what is
/// read and written of them again for each tile of keys is 0.6 MB, and stays in the second
/// cache of a core. And they are enough to hide that threads wait for each other at the end.
const QUERIES: usize = 512;

/// So many parts there are at least, over all heads, if there are as many tiles of keys: no
/// more threads can help.
const PARTS: usize = 8;

/// What the gradients are computed from, each (heads, rows, width).
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub d_context: &'a [f32],
    pub q: &'a [f32],
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub context: &'a [f32],
    pub log_sum_exp: &'a [f32],
}

impl<'a> Inputs<'a> {
    fn head(self, task: Task, head: usize) -> Inputs<'a> {
        let keys = head * task.keys..(head + 1) * task.keys;
        Inputs {
            k: rows(self.k, task.width, keys.clone()),
            v: rows(self.v, task.value_width, keys),
            ..self.queries(task, head * task.queries..(head + 1) * task.queries)
        }
    }

    /// All keys, but these queries only.
    pub(super) fn queries(self, task: Task, queries: Range<usize>) -> Inputs<'a> {
        Inputs {
            d_context: rows(self.d_context, task.value_width, queries.clone()),
            q: rows(self.q, task.width, queries.clone()),
            context: rows(self.context, task.value_width, queries.clone()),
            log_sum_exp: rows(self.log_sum_exp, 1, queries),
            ..self
        }
    }
}

fn rows(numbers: &[f32], width: usize, rows: Range<usize>) -> &[f32] {
    &numbers[rows.start * width..rows.end * width]
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
    let idle = Mutex::new(Vec::new());
    let take = || idle.lock().expect("no panic").pop();
    heads
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(head, ((d_q, d_k), d_v))| {
            let mut room = take().unwrap_or_else(|| Head::new(task));
            room.backward(inputs.head(task, head), d_q, d_k, d_v);
            idle.lock().expect("no panic").push(room);
        });
    gradients
}

/// Room for one head at a time. Every band and every head uses it again: asking the system
/// for memory takes longer than filling it.
struct Head {
    task: Task,
    band: Band,
    /// Their number depends on the shapes only, and they are added in their order: so the
    /// number of threads does not change a bit.
    parts: Vec<Part>,
}

impl Head {
    fn new(task: Task) -> Head {
        let tile = task.tiles.queries;
        let height = ((QUERIES / tile).max(1) * tile).min(task.queries);
        let parts = PARTS.div_ceil(task.heads);
        let parts = parts.min(task.keys.div_ceil(task.tiles.keys));
        Head {
            task,
            band: Band::new(task, height),
            parts: (0..parts).map(|_| Part::new(task, height)).collect(),
        }
    }

    /// Writes the gradients of the head, which are zeros before.
    fn backward(&mut self, inputs: Inputs, d_q: &mut [f32], d_k: &mut [f32], d_v: &mut [f32]) {
        let (width, height) = (self.task.width, self.band.height);
        for (index, d_q) in d_q.chunks_mut(height * width).enumerate() {
            let first = index * height;
            let end = first + d_q.len() / width;
            let queries = inputs.queries(self.task, first..end);
            self.band.fill(first, queries, self.parts.len());
            let visible = self.task.visible(end);
            let keys = deal(inputs, self.task, visible, self.parts.len(), d_k, d_v);
            let parts = self.parts.par_iter_mut().zip(keys).with_max_len(1);
            parts.for_each(|(part, keys)| part.backward(&self.band, keys));
            self.sum(d_q);
        }
    }

    /// Writes the gradients of the queries of the band, which are zeros before.
    fn sum(&self, d_q: &mut [f32]) {
        let Task { width, scale, .. } = self.task;
        let share = self.band.height.div_ceil(self.parts.len());
        let rows = d_q.par_chunks_mut(width).enumerate().with_min_len(share);
        rows.for_each(|(query, d_q)| {
            d_q.fill(0.0); // as Part::backward does
            for part in &self.parts {
                let sum = &part.d_q()[query * whole(width)..][..width];
                d_q.iter_mut().zip(sum).for_each(|(d_q, sum)| *d_q += sum);
            }
            d_q.iter_mut().for_each(|d_q| *d_q *= scale);
        });
    }
}

/// The first `visible` keys, in whole tiles, for so many parts.
fn deal<'a>(
    inputs: Inputs<'a>,
    task: Task,
    visible: usize,
    parts: usize,
    d_k: &'a mut [f32],
    d_v: &'a mut [f32],
) -> Vec<Vec<Keys<'a>>> {
    let (tile, width, value_width) = (task.tiles.keys, task.width, task.value_width);
    let chunks = inputs.k.chunks(tile * width);
    let chunks = chunks.zip(inputs.v.chunks(tile * value_width));
    let chunks = chunks.zip(d_k.chunks_mut(tile * width));
    let chunks = chunks.zip(d_v.chunks_mut(tile * value_width));
    let chunks = chunks.take(visible.div_ceil(tile)).enumerate();
    let mut dealt: Vec<_> = (0..parts).map(|_| Vec::new()).collect();
    // Dealt like cards: with a causal mask early keys are looked at more often.
    for (index, (((k, v), d_k), d_v)) in chunks {
        let start = index * tile;
        dealt[index % parts].push(Keys {
            start,
            k,
            v,
            d_k,
            d_v,
        });
    }
    dealt
}
