//! RMS norm: scales rows to a mean square of 1.

use crate::numerics::simd::{dot, simd};
use ndarray::{Array2, ArrayRef1, ArrayRef2, Zip};

/// Each row of `x` divided by the root of its mean square, then multiplied by `weight`. `x` and the
/// result are (T, C), `weight` is (C,).
///
/// This is a layer norm without the mean and the bias. Many newer models use it because it is
/// simpler and works just as well. `epsilon` is added to the mean square, so that a row of zeros is
/// not divided by 0.
///
/// PyTorch: `F.rms_norm(x, (C,), weight, epsilon)`
///
/// Source: Zhang, Sennrich 2019, "Root Mean Square Layer Normalization", equation 4.
///
/// # Panics
///
/// If `weight` does not have one number per column.
///
/// ```
/// use attention::writer::rms_norm;
/// use ndarray::array;
///
/// let x = array![[1.0, -7.0]]; // mean square (1 + 49) / 2 = 25
/// assert_eq!(rms_norm(&x, &array![1.0, 10.0], 0.0), array![[0.2, -14.0]]);
/// ```
#[track_caller]
pub fn rms_norm(x: &ArrayRef2<f32>, weight: &ArrayRef1<f32>, epsilon: f64) -> Array2<f32> {
    assert!(
        x.ncols() == weight.len(),
        "rms_norm: x has {} columns but weight has {} numbers: one per column is needed",
        x.ncols(),
        weight.len()
    );
    let mut normalised = x.as_standard_layout().into_owned();
    for mut row in normalised.rows_mut() {
        let numbers = row.as_slice().expect("numbers side by side");
        let sum = simd(
            #[inline(always)]
            || dot(numbers, numbers),
        );
        let scale = (f64::from(sum) / numbers.len() as f64 + epsilon)
            .sqrt()
            .recip() as f32;
        Zip::from(&mut row)
            .and(weight)
            .for_each(|x, w| *x = *x * scale * w);
    }
    normalised
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn a_row_of_zeros_stays_zero_and_a_longer_one_gives_the_same() {
        let weight = Array1::ones(3);
        let x = array![[0.0, 0.0, 0.0], [1.0, 2.0, -2.0], [100.0, 200.0, -200.0]];
        let y = rms_norm(&x, &weight, 1e-12);
        assert_eq!(y.row(0).sum(), 0.0);
        let apart = &y.row(1) - &y.row(2);
        assert!(apart.iter().all(|apart| apart.abs() < 1e-6), "{y}");
    }

    #[test]
    #[should_panic(expected = "rms_norm: x has 2 columns but weight has 3 numbers")]
    fn one_weight_per_column_is_needed() {
        rms_norm(&array![[1.0, 2.0]], &Array1::ones(3), 0.0);
    }
}
