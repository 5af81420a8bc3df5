//! How widely attention is spread.

use crate::numerics::real::Real;
use ndarray::{Array1, ArrayRef2, Axis};

/// The entropy of every row of `weights`, in nats: 0 where a query looks at a single
/// key, `log(S)` where it looks at all S keys equally.
///
/// `weights` is (T, S), the result (T,). A weight of 0 adds nothing.
///
/// PyTorch: `torch.special.entr(weights).sum(dim=-1)`
///
/// Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
///
/// ```
/// use attention::dot_product::entropy;
/// use ndarray::array;
///
/// let spread = entropy(&array![[1.0_f32, 0.0], [0.5, 0.5]]);
/// assert_eq!(spread, array![0.0, 2.0_f32.ln()]);
/// ```
#[inline(never)]
pub fn entropy<A: Real>(weights: &ArrayRef2<A>) -> Array1<A> {
    let surprise = weights.mapv(|weight| {
        if weight == A::zero() {
            A::zero()
        } else {
            -weight * weight.ln()
        }
    });
    surprise.sum_axis(Axis(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn weights_on_fewer_keys_have_less_of_it() {
        let spread = entropy(&array![
            [0.0, 1.0, 0.0, 0.0],
            [0.5, 0.0, 0.5, 0.0],
            [0.25; 4]
        ]);
        assert_eq!(spread, array![0.0, 2.0_f64.ln(), 4.0_f64.ln()]);
    }
}
