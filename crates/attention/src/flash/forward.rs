//! The forward pass: each tile of queries visits one tile of keys after another.
//!
//! A register holds neighbouring queries: a tile of scores is (keys, queries), a tile of
//! the context (D', queries). So keys and values are read in memory order, and a query's maximum and
//! sum never have to be gathered from across a register.

use super::aligned::{AlignedBuffer, padded, transpose_scaled};
use super::few_queries::{are_few, forward_few};
use super::finish::{LogSumExp, finish};
use super::task::Task;
use crate::numerics::fresh::Fresh;
use crate::numerics::parallel::for_each_with;
use crate::numerics::product::{Left, Store, product};
use crate::numerics::simd::{LANES, all_finite, exp_of_difference, fused, larger, simd};
use crate::numerics::transpose::transpose;

/// Returns the context, (heads, T, D'), and the log-sum-exp, (heads, T).
pub(crate) fn forward(q: &[f32], k: &[f32], v: &[f32], task: Task) -> (Vec<f32>, Vec<LogSumExp>) {
    let rows = task.heads * task.queries;
    let mut context = Fresh::new(rows * task.value_width);
    let mut log_sum_exp = vec![LogSumExp::default(); rows];
    if are_few(task) || rows == 0 {
        forward_few([q, k, v], task, context.whole().zeros(), &mut log_sum_exp);
        return (context.into_vec(), log_sum_exp);
    }
    let tile = task.tiles.queries.min(task.queries);
    let mut tiles = Vec::new();
    let heads = context.whole().chunks(task.queries * task.value_width);
    for (head, (context, log_sum_exp)) in
        heads.zip(log_sum_exp.chunks_mut(task.queries)).enumerate()
    {
        let keys = head * task.keys..(head + 1) * task.keys;
        let k = &k[keys.start * task.width..keys.end * task.width];
        let v = &v[keys.start * task.value_width..keys.end * task.value_width];
        let q = &q[head * task.queries * task.width..][..task.queries * task.width];
        let chunks = context.chunks(tile * task.value_width);
        let chunks = chunks.zip(log_sum_exp.chunks_mut(tile));
        for (index, ((context, log_sum_exp), q)) in
            chunks.zip(q.chunks(tile * task.width)).enumerate()
        {
            let first = index * tile;
            tiles.push((first, q, k, v, context, log_sum_exp));
        }
    }
    if task.causal {
        // The last queries see the most keys. They go first, so that at the end threads wait only
        // for short tiles.
        tiles.reverse();
    }
    for_each_with(
        tiles,
        || Tile::new(task, tile),
        |scratch, (first, q, k, v, context, log_sum_exp)| {
            scratch.attend(first, q, k, v);
            scratch.write(context.zeros(), log_sum_exp);
        },
    );
    (context.into_vec(), log_sum_exp)
}

/// A group of queries processed together, and their running results.
struct Tile {
    task: Task,
    /// The number of queries, rounded up to whole registers; fewer at the end of a sequence.
    lanes: usize,
    /// (D, queries), scaled
    q: AlignedBuffer,
    /// (keys, queries): scores, then their exponentials
    scores: AlignedBuffer,
    /// (D', queries): the sum of the values, each times the exponential of its score
    context: AlignedBuffer,
    /// The largest score of each query, and the sum of its exponentials.
    max: AlignedBuffer,
    sum: AlignedBuffer,
}

impl Tile {
    fn new(task: Task, queries: usize) -> Tile {
        let lanes = padded(queries);
        Tile {
            task,
            lanes,
            q: AlignedBuffer::new(task.width * lanes),
            scores: AlignedBuffer::new(task.tiles.keys.min(task.keys) * lanes),
            context: AlignedBuffer::new(task.value_width * lanes),
            max: AlignedBuffer::new(lanes),
            sum: AlignedBuffer::new(lanes),
        }
    }

    /// Visits all keys visible to the queries `q`, the first of which is query number `first`.
    fn attend(&mut self, first: usize, q: &[f32], k: &[f32], v: &[f32]) {
        let Task {
            width,
            value_width,
            scale,
            ..
        } = self.task;
        let queries = q.len() / width;
        self.lanes = padded(queries);
        transpose_scaled(q, width, scale, self.q.as_mut_slice(), self.lanes);
        let max = &mut self.max.as_mut_slice()[..self.lanes];
        let sum = &mut self.sum.as_mut_slice()[..self.lanes];
        let context = &mut self.context.as_mut_slice()[..value_width * self.lanes];
        max.fill(f32::NEG_INFINITY);
        sum.fill(0.0);
        context.fill(0.0);
        let visible = self.task.visible(first + queries);
        for start in (0..visible).step_by(self.task.tiles.keys) {
            let keys = self.task.tiles.keys.min(visible - start);
            let rows = &k[start * width..(start + keys) * width];
            let scores = &mut self.scores.as_mut_slice()[..keys * self.lanes];
            let left = Left::of(rows, width, keys, width);
            product(
                left,
                self.q.as_slice(),
                scores,
                self.lanes,
                Store::Overwrite,
            );
            let on_the_edge = self.task.causal && start + keys > first + 1;
            if on_the_edge {
                hide_future(scores, self.lanes, start, first, f32::NEG_INFINITY);
            }
            rescale(scores, max, sum, context);
            let rows = &v[start * value_width..(start + keys) * value_width];
            if on_the_edge && !all_finite(rows) {
                add_visible(scores, rows, context, self.lanes, start, first);
                continue;
            }
            let left = Left::transposed(rows, value_width, value_width, keys);
            product(left, scores, context, self.lanes, Store::Accumulate);
        }
    }

    /// Writes the context of each query, (queries, D'), and its log-sum-exp.
    fn write(&self, context: &mut [f32], log_sum_exp: &mut [LogSumExp]) {
        let (max, sum, sums) = (
            self.max.as_slice(),
            self.sum.as_slice(),
            self.context.as_slice(),
        );
        let (width, queries) = (self.task.value_width, log_sum_exp.len());
        transpose(sums, self.lanes, (width, queries), context, width);
        let queries = context.chunks_exact_mut(width).zip(log_sum_exp);
        for ((context, log_sum_exp), (max, sum)) in queries.zip(max.iter().zip(sum)) {
            *log_sum_exp = finish(context, *max, *sum);
        }
    }
}

/// Sets the entries of `tile`, (keys, lanes), that belong to future keys to the value `with`. The
/// tile's first key is key number `start`, and its first query is query number `first`.
pub(super) fn hide_future(tile: &mut [f32], lanes: usize, start: usize, first: usize, with: f32) {
    for (row, tile) in tile.chunks_exact_mut(lanes).enumerate() {
        let hidden = (start + row).saturating_sub(first).min(lanes);
        tile[..hidden].fill(with);
    }
}

/// Adds the product of values and exponentials to `context`, (D', lanes), skipping hidden values:
/// multiplied by a weight of 0, a hidden NaN or infinity would give NaN.
fn add_visible(
    scores: &[f32],
    v: &[f32],
    context: &mut [f32],
    lanes: usize,
    start: usize,
    first: usize,
) {
    let width = context.len() / lanes;
    for (key, v) in v.chunks_exact(width).enumerate() {
        for lane in (start + key).saturating_sub(first)..lanes {
            let weight = scores[key * lanes + lane];
            for (channel, value) in v.iter().enumerate() {
                context[channel * lanes + lane] += weight * value;
            }
        }
    }
}

/// One step of the running softmax: `scores`, (keys, lanes), become exponentials relative to
/// the new maximum, `max` and `sum` are updated, and `context`, (D', lanes), is rescaled to match.
fn rescale(scores: &mut [f32], max: &mut [f32], sum: &mut [f32], context: &mut [f32]) {
    let registers = max.len() / LANES;
    let (scores, context) = (
        scores.as_chunks_mut::<LANES>().0,
        context.as_chunks_mut::<LANES>().0,
    );
    let (max, sum) = (
        max.as_chunks_mut::<LANES>().0,
        sum.as_chunks_mut::<LANES>().0,
    );
    simd(
        #[inline(always)]
        || {
            for register in 0..registers {
                let factor = exponentials(
                    &mut scores[register..],
                    registers,
                    &mut max[register],
                    &mut sum[register],
                );
                if factor == [1.0; LANES] {
                    continue;
                }
                for context in context[register..].iter_mut().step_by(registers) {
                    // Without this copy, the compiler does not vectorise the loop.
                    let mut sums = *context;
                    for lane in 0..LANES {
                        sums[lane] *= factor[lane];
                    }
                    *context = sums;
                }
            }
        },
    );
}

/// The maximum in each lane of `before` and of every `registers`-th register of `scores`. Keeps
/// four independent maxima, so that a comparison need not wait for the previous one.
#[inline(always)]
fn largest(scores: &[[f32; LANES]], registers: usize, before: [f32; LANES]) -> [f32; LANES] {
    let (mut a, mut b, mut c, mut d) = (before, before, before, before);
    let mut at = 0;
    while at + 3 * registers < scores.len() {
        a = larger_of_each(scores[at], a);
        b = larger_of_each(scores[at + registers], b);
        c = larger_of_each(scores[at + 2 * registers], c);
        d = larger_of_each(scores[at + 3 * registers], d);
        at += 4 * registers;
    }
    while at < scores.len() {
        a = larger_of_each(scores[at], a);
        at += registers;
    }
    larger_of_each(larger_of_each(a, b), larger_of_each(c, d))
}

#[inline(always)]
fn larger_of_each(a: [f32; LANES], mut b: [f32; LANES]) -> [f32; LANES] {
    for lane in 0..LANES {
        b[lane] = larger(a[lane], b[lane]);
    }
    b
}

/// Does the step of [`rescale`] for one register of queries, whose scores are every `registers`-th
/// register of `scores`. Returns the factor by which their context must still be multiplied.
#[inline(always)]
fn exponentials(
    scores: &mut [[f32; LANES]],
    registers: usize,
    max: &mut [f32; LANES],
    sum: &mut [f32; LANES],
) -> [f32; LANES] {
    let new = largest(scores, registers, *max);
    // Only -inf so far: the exponentials are 0, whereas inf - inf would give NaN.
    let shift = new.map(|max| if max == f32::NEG_INFINITY { 0.0 } else { max });
    let (mut factor, mut new_sum) = ([0.0; LANES], [0.0; LANES]);
    let mut at = 0;
    while at < scores.len() {
        // A copy tells the compiler that a score does not alias the sum.
        let mut row = scores[at];
        for lane in 0..LANES {
            row[lane] = exp_of_difference(row[lane] - shift[lane]);
            new_sum[lane] += row[lane];
        }
        scores[at] = row;
        at += registers;
    }
    for lane in 0..LANES {
        factor[lane] = exp_of_difference(max[lane] - shift[lane]);
        sum[lane] = fused(sum[lane], factor[lane], new_sum[lane]);
    }
    *max = new;
    factor
}
