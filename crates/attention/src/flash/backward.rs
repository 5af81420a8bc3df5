//! The backward pass: one band of queries after the other looks at the keys.
//!
//! The gradient of a key and of a value is a sum over queries, that of a query a sum over
//! keys. Within a band, keys are distributed over shares that each sum up queries of their own. So
//! what is held besides the gradients has the height of a band, however long the sequence.

use super::aligned::padded;
use super::inputs::Inputs;
use super::key_share::{KeyShare, KeyTile};
use super::query_band::QueryBand;
use super::task::{Task, Tiles};
use crate::numerics::parallel::for_each_with;

/// So many queries are in a band, rounded down to whole tiles. With 64 channels, what is
/// read and written of them again for each tile of keys is 0.6 MB, and stays in the second
/// cache of a core. And they are enough to hide that threads wait for each other at the end.
const QUERIES: usize = 512;

/// So many shares there are at least, over all heads, if there are as many tiles of keys: no
/// more threads can help.
const SHARES: usize = 8;

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
    for_each_with(
        heads,
        || HeadScratch::new(task),
        |scratch, (head, ((d_q, d_k), d_v))| {
            scratch.backward(inputs.head(task, head), d_q, d_k, d_v);
        },
    );
    gradients
}

/// Scratch memory for one head at a time. Every band and every head uses it again: asking the system
/// for memory takes longer than filling it.
struct HeadScratch {
    task: Task,
    band: QueryBand,
    /// Their number depends on the shapes only, and they are added in their order: so the
    /// number of threads does not change a bit.
    shares: Vec<KeyShare>,
}

impl HeadScratch {
    fn new(task: Task) -> HeadScratch {
        let tile = task.tiles.queries;
        let height = ((QUERIES / tile).max(1) * tile).min(task.queries);
        let shares = SHARES.div_ceil(task.heads);
        let shares = shares.min(task.keys.div_ceil(task.tiles.keys));
        HeadScratch {
            task,
            band: QueryBand::new(task, height),
            shares: (0..shares).map(|_| KeyShare::new(task, height)).collect(),
        }
    }

    /// Writes the gradients of the head, which are zeros before.
    fn backward(&mut self, inputs: Inputs, d_q: &mut [f32], d_k: &mut [f32], d_v: &mut [f32]) {
        let (width, height) = (self.task.width, self.band.height);
        for (index, d_q) in d_q.chunks_mut(height * width).enumerate() {
            let first = index * height;
            let end = first + d_q.len() / width;
            let queries = inputs.queries(self.task, first..end);
            self.band.fill(first, queries, self.shares.len());
            let visible = self.task.visible(end);
            let keys = distribute_keys(inputs, self.task, visible, self.shares.len(), d_k, d_v);
            let shares = self.shares.iter_mut().zip(keys).collect();
            let band = &self.band;
            for_each_with(
                shares,
                || (),
                |(), (share, keys)| share.backward(band, keys),
            );
            self.sum(d_q);
        }
    }

    /// Writes the gradients of the queries of the band, which are zeros before.
    fn sum(&self, d_q: &mut [f32]) {
        let Task { width, scale, .. } = self.task;
        let each = self.band.height.div_ceil(self.shares.len());
        let bands = d_q.chunks_mut(each * width).enumerate().collect();
        let sum = |(index, d_q): (usize, &mut [f32])| {
            for (row, d_q) in d_q.chunks_mut(width).enumerate() {
                d_q.fill(0.0); // as KeyShare::backward does
                for share in &self.shares {
                    let start = (index * each + row) * padded(width);
                    let sum = &share.d_q()[start..][..width];
                    d_q.iter_mut().zip(sum).for_each(|(d_q, sum)| *d_q += sum);
                }
                d_q.iter_mut().for_each(|d_q| *d_q *= scale);
            }
        };
        for_each_with(bands, || (), |(), band| sum(band));
    }
}

/// The first `visible` keys, in whole tiles, for so many shares.
fn distribute_keys<'a>(
    inputs: Inputs<'a>,
    task: Task,
    visible: usize,
    shares: usize,
    d_k: &'a mut [f32],
    d_v: &'a mut [f32],
) -> Vec<Vec<KeyTile<'a>>> {
    let (tile, width, value_width) = (task.tiles.keys, task.width, task.value_width);
    let chunks = inputs.k.chunks(tile * width);
    let chunks = chunks.zip(inputs.v.chunks(tile * value_width));
    let chunks = chunks.zip(d_k.chunks_mut(tile * width));
    let chunks = chunks.zip(d_v.chunks_mut(tile * value_width));
    let chunks = chunks.take(visible.div_ceil(tile)).enumerate();
    let mut distributed: Vec<_> = (0..shares).map(|_| Vec::new()).collect();
    // Dealt like cards: with a causal mask early keys are looked at more often.
    for (index, (((k, v), d_k), d_v)) in chunks {
        let start = index * tile;
        distributed[index % shares].push(KeyTile {
            start,
            k,
            v,
            d_k,
            d_v,
        });
    }
    distributed
}
