//! The exact GELU, using the error function.

use crate::numerics::simd::{exp, fused, simd};
use ndarray::Array2;

/// `x Φ(x)`, where Φ is the cumulative normal distribution: (T, C) stays (T, C). Accurate to
/// 1e-7 (1 + |x|).
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

/// The error function, accurate to 1e-7.
///
/// Near 0 it is x + x P(x²); farther out it is 1 - exp(-x - x Q(x)), which would lose digits
/// near 0. P and Q are fitted to have the smallest maximum error for their degree (by Lawson's
/// method).
#[inline(always)]
fn erf(x: f32) -> f32 {
    // At 4 and above, f32 has no number between the function and 1.
    let a = if x.abs() > 4.0 { 4.0 } else { x.abs() };
    let mut p = -5.943_145_4e-4_f32;
    for coefficient in [
        4.984_379_3e-3,
        -2.676_110_7e-2,
        1.128_168_2e-1,
        -3.761_248_3e-1,
        1.283_791_5e-1,
    ] {
        p = fused(p, a * a, coefficient);
    }
    let mut q = -2.132_759_3e-4_f32;
    for coefficient in [
        3.209_184_4e-3,
        -2.287_171_8e-2,
        1.052_338_2e-1,
        6.357_392e-1,
        1.285_082_8e-1,
    ] {
        q = fused(q, a, coefficient);
    }
    let (near, far) = (fused(p, a, a), 1.0 - exp(-fused(q, a, a)));
    if a < 0.9375 { near } else { far }.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Axis};

    /// The error function in f64, by a series whose terms all have the same sign: DLMF 7.6.2.
    fn exact_erf(x: f64) -> f64 {
        if x.abs() > 7.0 {
            return x.signum();
        }
        let mut term = x * 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp();
        let mut sum = 0.0;
        for n in 0..300 {
            sum += term;
            term *= 2.0 * x * x / f64::from(2 * n + 3);
        }
        sum
    }

    /// Numbers from -7 to 7 and a few others, such as those where the formulas change.
    fn scan() -> impl Iterator<Item = f32> {
        let dense = (-70_000..=70_000).map(|step| step as f32 / 10_000.0);
        dense.chain([0.034_812, 0.937_499_94, 0.937_500_06, 1e-30, -100.0, 100.0])
    }

    #[test]
    fn the_error_function_is_as_exact_as_it_says() {
        // Python: math.erf
        assert!((exact_erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
        assert!((exact_erf(-3.0) + 0.999_977_909_503_001_4).abs() < 1e-15);
        for x in scan() {
            let apart = (f64::from(erf(x)) - exact_erf(x.into())).abs();
            assert!(apart < 1e-7, "erf({x}) is {}, {apart:e} off", erf(x));
        }
        assert_eq!([f32::INFINITY, f32::NEG_INFINITY].map(erf), [1.0, -1.0]);
        assert!(erf(f32::NAN).is_nan());
    }

    #[test]
    fn gelu_is_as_exact_as_it_says() {
        let x = Array1::from_iter(scan());
        let y = gelu(x.clone().insert_axis(Axis(0)));
        for (x, y) in x.iter().zip(&y) {
            let (x, y) = (f64::from(*x), f64::from(*y));
            let exact = 0.5 * x * (1.0 + exact_erf(x / 2.0_f64.sqrt()));
            assert!(
                (y - exact).abs() < 1e-7 * (1.0 + x.abs()),
                "gelu({x}) is {y}"
            );
        }
    }
}
