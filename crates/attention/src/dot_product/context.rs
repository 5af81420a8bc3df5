//! From weights and values to context vectors.

use crate::measure::step::Step;
use crate::numerics::real::{Real, Rows};
use crate::numerics::shape::one_weight_per_value;
use ndarray::{Array, Array2, ArrayRef, ArrayRef2};

/// Context vectors: for every query, the sum of the values, each times its
/// weight.
///
/// `weights` is (S,), the weights of one query, or (T, S); `v` is (S, D). The
/// result is (D,) or (T, D).
///
/// PyTorch: `weights @ v`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
///
/// # Panics
///
/// If there is not exactly one weight per value.
///
/// ```
/// use attention::dot_product::context;
/// use ndarray::array;
///
/// let v = array![[2.0_f32, 0.0], [4.0, 8.0]];
/// assert_eq!(context(&array![[0.5, 0.5]], &v), array![[3.0, 4.0]]);
/// assert_eq!(context(&array![1.0, 0.0], &v), array![2.0, 0.0]); // one query
/// ```
#[track_caller]
#[inline(never)]
pub fn context<A: Real, D: Rows>(weights: &ArrayRef<A, D>, v: &ArrayRef2<A>) -> Array<A, D> {
    Step::Context.called();
    one_weight_per_value("context", weights.shape(), v.shape());
    D::times(weights, v)
}

/// The weighted sums of the values. If a value is NaN or infinite, hidden values are skipped
/// rather than multiplied by 0, because 0 · NaN is NaN.
pub(crate) fn context_of<A: Real>(
    weights: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
) -> Array2<A> {
    let Some(mask) = mask.filter(|_| v.iter().any(|value| !value.is_finite())) else {
        return weights.dot(v);
    };
    let mut context = Array2::zeros((weights.nrows(), v.ncols()));
    for ((query, key), &visible) in mask.indexed_iter() {
        if visible {
            let weight = weights[[query, key]];
            context.row_mut(query).scaled_add(weight, &v.row(key));
        }
    }
    context
}
