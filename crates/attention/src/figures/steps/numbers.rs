//! All intermediate results of one attention computation, from scores to context.

use crate::dot_product::attend::attention_of;
use crate::dot_product::mask::mask_scores;
use crate::dot_product::softmax;
use crate::numerics::real::{Real, widened};
use ndarray::{Array2, ArrayRef2};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers {
    pub scores: Array2<f64>,
    pub scaled: Array2<f64>,
    /// exp(score - largest score of its row), with scores that are scaled and masked.
    pub exponentials: Array2<f64>,
    pub weights: Array2<f64>,
    pub context: Array2<f64>,
}

impl Numbers {
    /// The results, computed in the type of the inputs and stored as f64.
    pub fn of<A: Real>(
        [q, k, v]: [&ArrayRef2<A>; 3],
        mask: Option<&Array2<bool>>,
        scale: A,
    ) -> Numbers {
        let attention = attention_of(q, k, v, mask, scale);
        let scaled = attention.scores.mapv(|score| score * scale);
        let mut exponentials = match mask {
            Some(mask) => softmax::exponentials(&mask_scores(&scaled, mask)),
            None => softmax::exponentials(&scaled),
        };
        let rows = exponentials.rows_mut().into_iter();
        for (mut exponentials, weights) in rows.zip(attention.weights.rows()) {
            if weights.iter().all(|&weight| weight == A::zero()) {
                // Nothing to attend to: exp(-inf - -inf) would be NaN, so 0.
                exponentials.fill(A::zero());
            }
        }
        Numbers {
            scores: widened(&attention.scores),
            scaled: widened(&scaled),
            exponentials: widened(&exponentials),
            weights: widened(&attention.weights),
            context: widened(&attention.context),
        }
    }
}
