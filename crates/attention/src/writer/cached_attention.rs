//! Attention in all heads of a block for new tokens, with earlier keys and values from a cache.

use super::interventions::Interventions;
use crate::numerics::parallel::for_each_with;
use crate::numerics::row_products::{add_weighted_rows, dots};
use crate::numerics::simd::{exp_of_difference, largest, simd, sum_pairs};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, ArrayViewMut3, Axis};

/// Fewer queries than this are handled by the caller's thread.
const WORTH_THREADS: usize = 8;

/// The keys and values of the tokens so far, in one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    /// (S, G · D): the keys of all G groups side by side, rotated by their positions.
    keys: Vec<f32>,
    /// (S, G · D)
    values: Vec<f32>,
}

impl Cache {
    /// Adds the rotated keys and the values of new tokens, both (T, G · D).
    pub fn append(&mut self, keys: &Array2<f32>, values: &Array2<f32>) {
        self.keys.extend(keys);
        self.values.extend(values);
    }
}

/// How the columns are divided among heads and groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    /// H: the number of heads, each with its own queries.
    pub queries: usize,
    /// G: the number of groups of heads that share keys and values.
    pub groups: usize,
    /// D: the width of a head.
    pub width: usize,
}

/// The contexts of all heads side by side, (T, H · D), for the rotated queries of the last T tokens
/// in the cache, (T, H · D). The weights are written to `weights`, (H, T, S), if it is given.
///
/// PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1; Ainslie et al. 2023, "GQA:
/// Training Generalized Multi-Query Transformer Models", section 2.2.
pub(super) fn attend_cached(
    queries: ArrayView2<f32>,
    cache: &Cache,
    heads: Heads,
    (interventions, layer): (&Interventions, usize),
    weights: Option<ArrayViewMut3<f32>>,
) -> Array2<f32> {
    let tokens = queries.nrows();
    let mut context = Array2::zeros(queries.raw_dim());
    let columns = context.axis_chunks_iter_mut(Axis(1), heads.width);
    let mut weights = weights;
    let weights: Vec<Option<ArrayViewMut2<f32>>> = match &mut weights {
        Some(weights) => weights.outer_iter_mut().map(Some).collect(),
        None => (0..heads.queries).map(|_| None).collect(),
    };
    let mut work: Vec<_> = columns.zip(weights).enumerate().collect();
    let run = |scores: &mut Vec<f32>,
               head: &mut (usize, (ArrayViewMut2<f32>, Option<ArrayViewMut2<f32>>))| {
        let (head, (context, weights)) = head;
        let one = OneHead {
            queries,
            cache,
            heads,
            interventions,
            head: *head,
        };
        one.attend(scores, context, weights.as_mut());
        if interventions.is_off(layer, *head) {
            context.fill(0.0);
        }
    };
    match tokens < WORTH_THREADS {
        true => work.iter_mut().for_each(|head| run(&mut Vec::new(), head)),
        false => for_each_with(work.iter_mut().collect(), Vec::new, run),
    }
    context
}

struct OneHead<'a> {
    queries: ArrayView2<'a, f32>,
    cache: &'a Cache,
    heads: Heads,
    interventions: &'a Interventions,
    head: usize,
}

impl OneHead<'_> {
    /// Writes this head's columns of the context, (T, D), and its weights, (T, S).
    fn attend(
        &self,
        scores: &mut Vec<f32>,
        context: &mut ArrayViewMut2<f32>,
        mut weights: Option<&mut ArrayViewMut2<f32>>,
    ) {
        let Heads {
            queries,
            groups,
            width,
        } = self.heads;
        let row = groups * width;
        // Several heads share the keys and values of a group.
        let first_column = self.head / (queries / groups) * width;
        let keys = |s: usize| &self.cache.keys[s * row + first_column..][..width];
        let values = |s: usize| &self.cache.values[s * row + first_column..][..width];
        let scale = 1.0 / (width as f32).sqrt();
        let before = self.cache.keys.len() / row - self.queries.nrows();
        for (t, mut context) in context.rows_mut().into_iter().enumerate() {
            let query = self.queries.row(t);
            let query =
                &query.as_slice().expect("numbers side by side")[self.head * width..][..width];
            let place = before + t;
            scores.clear();
            scores.resize(place + 1, 0.0); // causal: no token after this one
            let context = context.as_slice_mut().expect("numbers side by side");
            simd(
                #[inline(always)]
                || dots(query, keys, scores),
            );
            self.interventions.hide_keys(place, scores);
            simd(
                #[inline(always)]
                || {
                    let max = largest(scores);
                    for score in scores.iter_mut() {
                        *score = exp_of_difference((*score - max) * scale);
                    }
                    let sum = sum_pairs(scores, scores, |one, _, sum| sum + one);
                    for score in scores.iter_mut() {
                        *score /= sum;
                    }
                    add_weighted_rows(context, 0..place + 1, |s| scores[s], values);
                },
            );
            if let Some(weights) = &mut weights {
                let mut row = weights.row_mut(t);
                row.iter_mut()
                    .zip(&*scores)
                    .for_each(|(to, weight)| *to = *weight);
            }
        }
    }
}
