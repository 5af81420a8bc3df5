//! How far apart two results are.

use crate::numerics::real::Real;
use crate::numerics::shape::same_shape;
use ndarray::{ArrayRef, Dimension};

/// The largest absolute difference between two arrays, value by value; 0 if they are equal.
///
/// `a` and `b` may have any shape, as long as it is the same. Equal infinities do not differ; if
/// either value of a pair is NaN, the result is NaN.
///
/// PyTorch: `(a - b).abs().max()`
///
/// # Panics
///
/// If the shapes differ.
///
/// ```
/// use attention::numerics::largest_difference;
/// use ndarray::array;
///
/// let a = array![1.0, 2.0, 4.0];
/// assert_eq!(largest_difference(&a, &array![1.0, 2.5, 4.25]), 0.5);
/// assert_eq!(largest_difference(&a, &a), 0.0);
/// ```
#[track_caller]
#[inline(never)]
pub fn largest_difference<A: Real, D: Dimension>(a: &ArrayRef<A, D>, b: &ArrayRef<A, D>) -> A {
    same_shape("largest_difference", ("a", a.shape()), ("b", b.shape()));
    let apart = |(&a, &b): (&A, &A)| if a == b { A::zero() } else { (a - b).abs() };
    let differences = a.iter().zip(b).map(apart);
    // A comparison with NaN is false, so a NaN becomes the largest and remains so.
    differences.fold(A::zero(), |largest, difference| {
        if largest.is_nan() || difference <= largest {
            largest
        } else {
            difference
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_sign_and_the_order_do_not_count() {
        let (a, b) = (array![[1.0_f32, -3.0]], array![[1.5, 1.0]]);
        assert_eq!(largest_difference(&a, &b), 4.0);
        assert_eq!(largest_difference(&b, &a), 4.0);
    }

    #[test]
    fn equal_infinities_do_not_differ() {
        let a = array![f64::NEG_INFINITY, 1.0];
        assert_eq!(largest_difference(&a, &a.clone()), 0.0);
        assert_eq!(largest_difference(&a, &array![0.0, 1.0]), f64::INFINITY);
    }

    #[test]
    fn nan_is_no_difference_that_could_be_small() {
        for place in 0..3 {
            let mut b = array![1.0_f32, 2.0, 3.0];
            b[place] = f32::NAN;
            assert!(
                largest_difference(&array![1.0, 2.0, 30.0], &b).is_nan(),
                "{place}"
            );
            assert!(
                largest_difference(&b, &array![1.0, 2.0, 30.0]).is_nan(),
                "{place}"
            );
        }
    }
}
