//! The backward pass: bands of queries visit the keys one after another.
//!
//! The gradients of the keys and values are sums over queries; those of the queries are sums over
//! keys. Within a band, the keys are split into shares, each with its own sums for the band's
//! queries. So the memory needed beyond the gradients depends on the height of a band, not on the
//! length of the sequence.

use super::aligned::padded;
use super::inputs::Inputs;
use super::key_share::{KeyShare, KeyTile};
use super::query_band::QueryBand;
use super::task::{Task, Tiles};
use crate::numerics::parallel::for_each_with;

/// Queries per band, rounded down to whole tiles. With 64 channels, the data that is read and
/// written again for each tile of keys takes 0.6 MB per band, and stays in a core's L2 cache.
/// A band is also enough work to make up for the time threads wait for each other at its end.
const QUERIES: usize = 512;

/// Minimum number of shares over all heads, provided there are enough tiles of keys. It limits how
/// many threads can help.
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

/// Scratch memory for one head at a time, reused by every band and head: asking the system for
/// memory takes longer than filling it.
struct HeadScratch {
    task: Task,
    band: QueryBand,
    /// The number of shares depends only on the shapes, and the shares are added in order, so the
    /// result is the same to the last bit for any number of threads.
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

    /// Writes the gradients of the head into `d_q`, `d_k` and `d_v`, which start out as zeros.
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

    /// Writes the gradients of the band's queries into `d_q`, which starts out as zeros.
    fn sum(&self, d_q: &mut [f32]) {
        let Task { width, scale, .. } = self.task;
        let each = self.band.height.div_ceil(self.shares.len());
        let bands = d_q.chunks_mut(each * width).enumerate().collect();
        let sum = |(index, d_q): (usize, &mut [f32])| {
            for (row, d_q) in d_q.chunks_mut(width).enumerate() {
                d_q.fill(0.0); // for the same reason as in KeyShare::backward
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

/// Splits the first `visible` keys, in whole tiles, into `shares` parts.
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
    // Round-robin, because with a causal mask early keys are visible to more queries.
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
