//! How widely numbers are spread, which is why scores are scaled.

use crate::numerics::real::Real;
use ndarray::{ArrayRef, Dimension};

/// The variance of all values: the mean squared distance from their mean.
///
/// `values` has any shape. The sum of squares is divided by `n - ddof`: 0 gives the
/// variance of exactly these numbers, as NumPy computes it; 1 estimates the
/// variance of the distribution they were drawn from, as PyTorch does. Computed
/// in f64. NaN unless there are more than `ddof` values.
///
/// NumPy: `np.var(values)`; PyTorch: `values.var()` (with `ddof` 1)
///
/// ```
/// use attention::numerics::variance;
/// use ndarray::array;
///
/// let values = array![[1.0_f32, 2.0], [3.0, 4.0]];
/// assert_eq!(variance(&values, 0), 1.25); // NumPy
/// assert_eq!(variance(&values, 1), 5.0 / 3.0); // PyTorch
/// ```
#[inline(never)]
pub fn variance<A: Real, D: Dimension>(values: &ArrayRef<A, D>, ddof: usize) -> A {
    let count = values.len() as f64;
    let degrees = count - ddof as f64;
    if degrees <= 0.0 {
        return A::nan();
    }
    let values = values.iter().map(|&value| value.into());
    let mean = values.clone().sum::<f64>() / count;
    let squares = values.map(|value: f64| (value - mean).powi(2)).sum::<f64>();
    A::nearest(squares / degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn too_few_values_have_no_variance() {
        assert!(variance(&Array1::<f32>::zeros(0), 0).is_nan());
        assert!(variance(&array![1.0_f64], 1).is_nan());
        assert_eq!(variance(&array![1.0_f64], 0), 0.0);
    }
}
