//! The forward pass for few queries. A tile of them would be nearly empty but take as long as a
//! full one, so each query visits the keys on its own, reading keys and values once.

use super::finish::{LogSumExp, finish};
use super::task::Task;
use crate::numerics::parallel::for_each_with;
use crate::numerics::row_products::{add_weighted_rows, dots};
use crate::numerics::simd::{exp_of_difference, fused, larger, largest, simd, sum_pairs};

/// A head with up to this many queries is handled here, unless its mask is causal.
const FEW: usize = 2;

pub(super) fn are_few(task: Task) -> bool {
    task.queries <= FEW && !task.causal
}

/// Writes the context, (heads, T, D'), which starts out as zeros, and the log-sum-exp, (heads, T).
pub(super) fn forward_few(
    [q, k, v]: [&[f32]; 3],
    task: Task,
    context: &mut [f32],
    log_sum_exp: &mut [LogSumExp],
) {
    let queries = q.chunks_exact(task.width).zip(log_sum_exp);
    let queries = queries.zip(context.chunks_exact_mut(task.value_width));
    for_each_with(
        queries.enumerate().collect(),
        || vec![0.0; task.tiles.keys.min(task.keys)],
        |scores, (index, ((q, log_sum_exp), context))| {
            let first = index / task.queries * task.keys;
            let k = &k[first * task.width..][..task.keys * task.width];
            let v = &v[first * task.value_width..][..task.keys * task.value_width];
            *log_sum_exp = attend_alone(task, [q, k, v], scores, context);
        },
    );
}

/// Writes the context of the query `q` to `context`, (D'), which starts out as zeros, and returns
/// the query's log-sum-exp. `scores` has room for a tile of keys.
fn attend_alone(
    task: Task,
    [q, k, v]: [&[f32]; 3],
    scores: &mut [f32],
    context: &mut [f32],
) -> LogSumExp {
    let q: Vec<f32> = q.iter().map(|number| number * task.scale).collect();
    let tile = scores.len();
    simd(
        #[inline(always)]
        || {
            let (mut max, mut sum) = (f32::NEG_INFINITY, 0.0_f32);
            let values = v.chunks(tile * task.value_width);
            for (k, v) in k.chunks(tile * task.width).zip(values) {
                let scores = &mut scores[..k.len() / task.width];
                dots(&q, |key| &k[key * task.width..][..task.width], scores);
                let new = larger(largest(scores), max);
                // Only -inf so far: the exponentials are 0, whereas inf - inf would give NaN.
                let shift = if new == f32::NEG_INFINITY { 0.0 } else { new };
                let factor = exp_of_difference(max - shift);
                for score in scores.iter_mut() {
                    *score = exp_of_difference(*score - shift);
                }
                let new_sum = sum_pairs(scores, scores, |weight, _, sum| sum + weight);
                sum = fused(sum, factor, new_sum);
                context.iter_mut().for_each(|context| *context *= factor);
                let value = |key| &v[key * task.value_width..][..task.value_width];
                add_weighted_rows(context, 0..scores.len(), |key| scores[key], value);
                max = new;
            }
            finish(context, max, sum)
        },
    )
}

/// Writes the scores of a tile, (keys, lanes), bit for bit as [`forward_few`] computes them, from
/// scaled queries, (D, lanes), and keys, (keys, D).
pub(super) fn few_scores(task: Task, q: &[f32], k: &[f32], scores: &mut [f32]) {
    let keys = k.len() / task.width;
    let lanes = scores.len() / keys;
    let mut of_one = vec![0.0; keys];
    for query in 0..task.queries {
        let channels = q.chunks_exact(lanes).take(task.width);
        let q: Vec<f32> = channels.map(|lanes| lanes[query]).collect();
        simd(
            #[inline(always)]
            || dots(&q, |key| &k[key * task.width..][..task.width], &mut of_one),
        );
        for (scores, score) in scores.chunks_exact_mut(lanes).zip(&of_one) {
            scores[query] = *score;
        }
    }
}
