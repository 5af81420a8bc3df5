//! Causal [`attend`](crate::dot_product::attend()) for every sequence and head of a batch, in
//! preallocated memory.

use crate::numerics::row_products::{add_weighted_rows, dots};
use crate::numerics::simd::{exp, fused, simd};

/// The sizes of attention: sequences of T positions, and H heads of D channels each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    pub time: usize,
    pub heads: usize,
    pub size: usize,
    /// The factor for the scores.
    pub scale: f32,
}

impl Heads {
    /// H D: the width of all heads side by side.
    pub(crate) fn width(self) -> usize {
        self.heads * self.size
    }
}

/// The keys, queries and values of one head in one sequence, as columns of the matrix of all heads,
/// (T, 3 H D).
#[derive(Clone, Copy)]
struct HeadColumns {
    start: usize,
    row: usize,
    width: usize,
    size: usize,
}

impl HeadColumns {
    fn of(heads: Heads, sequence: usize, head: usize) -> HeadColumns {
        let row = 3 * heads.width();
        let start = sequence * heads.time * row + head * heads.size;
        let (width, size) = (heads.width(), heads.size);
        HeadColumns {
            start,
            row,
            width,
            size,
        }
    }

    #[inline(always)]
    fn key(self, t: usize) -> std::ops::Range<usize> {
        let start = self.start + t * self.row;
        start..start + self.size
    }

    #[inline(always)]
    fn query(self, t: usize) -> std::ops::Range<usize> {
        let key = self.key(t);
        key.start + self.width..key.end + self.width
    }

    #[inline(always)]
    fn value(self, t: usize) -> std::ops::Range<usize> {
        let key = self.key(t);
        key.start + 2 * self.width..key.end + 2 * self.width
    }
}

/// Writes the weights, and adds the context to `context`, as a residual connection does.
///
/// `kqv` is (N T, 3 H D), `weights` (N, H, T, T), `context` (N T, H D).
pub(crate) fn attend(kqv: &[f32], heads: Heads, weights: &mut [f32], context: &mut [f32]) {
    let Heads {
        time, size, scale, ..
    } = heads;
    simd(
        #[inline(always)]
        || {
            for (index, weights) in weights.chunks_exact_mut(time * time).enumerate() {
                let (sequence, head) = (index / heads.heads, index % heads.heads);
                let columns = HeadColumns::of(heads, sequence, head);
                for (t, row) in weights.chunks_exact_mut(time).enumerate() {
                    let q = &kqv[columns.query(t)];
                    dots(q, |s| &kqv[columns.key(s)], &mut row[..=t]);
                    let mut max = f32::NEG_INFINITY;
                    for score in &mut row[..=t] {
                        *score *= scale;
                        max = max.max(*score);
                    }
                    row[t + 1..].fill(f32::NEG_INFINITY);
                    row.iter_mut().for_each(|score| *score -= max);
                }
                weights.iter_mut().for_each(|score| *score = exp(*score));
                for (t, row) in weights.chunks_exact_mut(time).enumerate() {
                    let sum: f32 = row[..=t].iter().sum();
                    row.iter_mut().for_each(|weight| *weight /= sum);
                    let start = (sequence * time + t) * heads.width() + head * size;
                    let context = &mut context[start..start + size];
                    add_weighted_rows(context, 0..t + 1, |s| row[s], |s| &kqv[columns.value(s)]);
                }
            }
        },
    );
}

/// Writes the gradients with respect to keys, queries and values to `d_kqv`.
///
/// `d_context` is (N T, H D), `d_scores` scratch memory for (T, T) numbers.
pub(crate) fn attend_backward(
    d_context: &[f32],
    kqv: &[f32],
    heads: Heads,
    weights: &[f32],
    d_scores: &mut [f32],
    d_kqv: &mut [f32],
) {
    let Heads {
        time, size, scale, ..
    } = heads;
    d_kqv.fill(0.0);
    simd(
        #[inline(always)]
        || {
            for (index, weights) in weights.chunks_exact(time * time).enumerate() {
                let (sequence, head) = (index / heads.heads, index % heads.heads);
                let columns = HeadColumns::of(heads, sequence, head);
                let d_context = |t: usize| {
                    let start = (sequence * time + t) * heads.width() + head * size;
                    &d_context[start..start + size]
                };
                // forward: context_t = Σ_s w_s v_s, w = softmax(scale · q_t k_s)
                // so:      d_w_s = d_context_t v_s, d_score_s = scale · w_s (d_w_s - Σ_r w_r d_w_r)
                let rows = weights.chunks_exact(time);
                for (t, (row, d_scores)) in rows.zip(d_scores.chunks_exact_mut(time)).enumerate() {
                    let (row, d_scores) = (&row[..=t], &mut d_scores[..=t]);
                    dots(d_context(t), |s| &kqv[columns.value(s)], d_scores);
                    let weighted = row.iter().zip(&*d_scores);
                    let weighted_sum = weighted.fold(0.0, |sum, (w, d_w)| fused(*w, *d_w, sum));
                    for (d_score, w) in d_scores.iter_mut().zip(row) {
                        *d_score = scale * w * (*d_score - weighted_sum);
                    }
                    // and:  d_q_t = Σ_s d_score_s k_s
                    let d_q = &mut d_kqv[columns.query(t)];
                    add_weighted_rows(d_q, 0..t + 1, |s| d_scores[s], |s| &kqv[columns.key(s)]);
                }
                for s in 0..time {
                    // and:  d_k_s = Σ_t d_score_s q_t, d_v_s = Σ_t w_s d_context_t
                    let d_k = &mut d_kqv[columns.key(s)];
                    let d_score = |t| d_scores[t * time + s];
                    add_weighted_rows(d_k, s..time, d_score, |t| &kqv[columns.query(t)]);
                    let d_v = &mut d_kqv[columns.value(s)];
                    add_weighted_rows(d_v, s..time, |t| weights[t * time + s], d_context);
                }
            }
        },
    );
}
