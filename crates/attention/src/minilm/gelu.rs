//! The exact GELU, with the error function.

use crate::numerics::simd::{exp, simd};
use ndarray::Array2;

/// `x Φ(x)`, where Φ is the share of a normal distribution below `x`: (T, C) stays (T, C).
///
/// PyTorch: `F.gelu(x)`
///
/// Source: Hendrycks, Gimpel 2016, "Gaussian Error Linear Units", section 2.
pub(crate) fn gelu(mut x: Array2<f32>) -> Array2<f32> {
    let values = x.as_slice_mut().expect("a matrix that was just made");
    simd(
        #[inline(always)]
        || {
            for x in values.iter_mut() {
                *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
            }
        },
    );
    x
}

/// The error function, within 2e-7.
///
/// Source: Abramowitz, Stegun 1964, "Handbook of Mathematical Functions", formula 7.1.26.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let t = 1.0 / 0.327_591_1_f32.mul_add(x.abs(), 1.0);
    let mut polynomial = 1.061_405_4_f32;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        polynomial = polynomial.mul_add(t, coefficient);
    }
    (1.0 - polynomial * t * exp(-x * x)).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_error_function_has_its_known_values() {
        // scipy.special.erf
        for (x, expected) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
            (3.0, 0.999_977_9),
            (6.0, 1.0),
        ] {
            for sign in [-1.0, 1.0] {
                let difference = (erf(sign * x) - sign * expected).abs();
                assert!(
                    difference < 2.5e-7,
                    "erf({}) is {}",
                    sign * x,
                    erf(sign * x)
                );
            }
        }
    }

    #[test]
    fn gelu_is_0_far_below_and_x_far_above() {
        let y = gelu(array![[-20.0, -1.0, 0.0, 1.0, 20.0]]);
        for (y, expected) in y.iter().zip([0.0, -0.158_655_26, 0.0, 0.841_344_7, 20.0]) {
            assert!((y - expected).abs() < 2.5e-7, "{y} in place of {expected}");
        }
    }
}
