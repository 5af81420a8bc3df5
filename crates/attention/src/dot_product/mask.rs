//! Which query may look at which key, and three ways to enforce it.
//!
//! Filling with -inf, adding 0 or -inf, and multiplying the weights by 0 or 1 and then
//! renormalising all give the same weights: in each case a row consists of the
//! exponentials of the visible scores, divided by their sum.

use crate::measure::step::Step;
use crate::numerics::real::Real;
use crate::numerics::shape::same_shape;
use free_memory::assert_fits;
use ndarray::{Array2, ArrayRef2, Zip};

/// A mask that hides the future: query `t` may look at the keys `0..=t`.
///
/// The result is (T, T): `true` where a query may look, `false` where it may not.
///
/// PyTorch: `torch.ones(tokens, tokens, dtype=torch.bool).tril()`, the
/// `attn_mask` of `scaled_dot_product_attention`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.
///
/// # Panics
///
/// If the mask does not fit into memory.
///
/// ```
/// use attention::dot_product::causal_mask;
/// use ndarray::array;
///
/// assert_eq!(causal_mask(2), array![[true, false], [true, true]]);
/// ```
#[track_caller]
pub fn causal_mask(tokens: usize) -> Array2<bool> {
    Step::CausalMask.called();
    assert_fits("causal_mask", &[tokens, tokens], size_of::<bool>());
    Array2::from_shape_fn((tokens, tokens), |(query, key)| key <= query)
}

/// The scores, with -inf where `mask` is `false`. Apply this before the softmax.
///
/// Both are (T, S), and so is the result.
///
/// PyTorch: `scores.masked_fill(~mask, -torch.inf)`
///
/// # Panics
///
/// If the two differ in shape.
///
/// ```
/// use attention::dot_product::{causal_mask, mask_scores};
/// use ndarray::array;
///
/// let masked = mask_scores(&array![[1.0_f32, 2.0], [3.0, 4.0]], &causal_mask(2));
/// assert_eq!(masked, array![[1.0, f32::NEG_INFINITY], [3.0, 4.0]]);
/// ```
#[track_caller]
#[inline(never)]
pub fn mask_scores<A: Real>(scores: &ArrayRef2<A>, mask: &ArrayRef2<bool>) -> Array2<A> {
    Step::MaskScores.called();
    same_shape(
        "mask_scores",
        ("scores", scores.shape()),
        ("mask", mask.shape()),
    );
    let hide = |&score: &A, &may_look: &bool| if may_look { score } else { A::neg_infinity() };
    Zip::from(scores).and(mask).map_collect(hide)
}

/// The mask as numbers to add to the scores: 0 where a query may look, -inf where
/// it may not.
///
/// `mask` is (T, S), and so is the result. Never *multiply* scores by this
/// matrix: a score of 0 times -inf is NaN, and a negative score becomes +inf.
///
/// NumPy: `np.where(mask, 0, -np.inf)`
///
/// ```
/// use attention::dot_product::{additive_mask, causal_mask};
/// use ndarray::array;
///
/// let mask = additive_mask::<f64>(&causal_mask(2));
/// assert_eq!(mask, array![[0.0, f64::NEG_INFINITY], [0.0, 0.0]]);
/// ```
#[inline(never)]
pub fn additive_mask<A: Real>(mask: &ArrayRef2<bool>) -> Array2<A> {
    Step::AdditiveMask.called();
    mask.mapv(|may_look| {
        if may_look {
            A::zero()
        } else {
            A::neg_infinity()
        }
    })
}

/// The weights, with 0 where `mask` is `false` and each row divided by its new
/// sum. Apply this after the softmax.
///
/// Both are (T, S), and so is the result. A row with no weight left is 0 / 0,
/// which is NaN. The result equals that of [`mask_scores`] followed by a softmax, except that
/// here the softmax has already seen the hidden scores: a large hidden score can
/// have rounded all visible weights to 0.
///
/// PyTorch: `w = weights * mask`, then `w / w.sum(dim=-1, keepdim=True)`
///
/// # Panics
///
/// If the two differ in shape.
///
/// ```
/// use attention::dot_product::{causal_mask, renormalise};
/// use ndarray::array;
///
/// let weights = array![[0.5_f32, 0.5], [0.25, 0.75]];
/// assert_eq!(renormalise(&weights, &causal_mask(2)), array![[1.0, 0.0], [0.25, 0.75]]);
/// ```
#[track_caller]
#[inline(never)]
pub fn renormalise<A: Real>(weights: &ArrayRef2<A>, mask: &ArrayRef2<bool>) -> Array2<A> {
    Step::Renormalise.called();
    same_shape(
        "renormalise",
        ("weights", weights.shape()),
        ("mask", mask.shape()),
    );
    let hide = |&weight: &A, &may_look: &bool| if may_look { weight } else { A::zero() };
    let mut left = Zip::from(weights).and(mask).map_collect(hide);
    for mut row in left.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dot_product::softmax::softmax;
    use ndarray::array;

    #[test]
    fn the_three_ways_agree() {
        let scores = array![[1.0_f64, 2.0, 3.0], [-1.0, 0.5, 9.0], [0.0, -3.0, 2.0]];
        let mask = causal_mask(3);
        let filled = softmax(&mask_scores(&scores, &mask));
        let added = softmax(&(&scores + &additive_mask::<f64>(&mask)));
        let multiplied = renormalise(&softmax(&scores), &mask);
        assert_eq!(filled, added);
        assert!(
            (&filled - &multiplied)
                .iter()
                .all(|difference| difference.abs() < 1e-15)
        );
    }

    #[test]
    fn a_large_hidden_score_spoils_only_the_way_after_the_softmax() {
        let scores = array![[0.0_f32, 200.0]];
        let mask = array![[true, false]];
        assert_eq!(softmax(&mask_scores(&scores, &mask)), array![[1.0, 0.0]]);
        assert!(renormalise(&softmax(&scores), &mask)[[0, 0]].is_nan());
    }
}
