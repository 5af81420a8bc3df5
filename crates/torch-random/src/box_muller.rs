//! Turns two uniform numbers into two normal ones in f32, with the rounding of PyTorch's
//! AVX2 kernel.
//!
//! Sources: Box and Muller 1958, "A Note on the Generation of Random Normal
//! Deviates"; PyTorch, `ATen/native/cpu/avx_mathfun.h`, whose logarithm, sine and
//! cosine are the polynomials of the Cephes library. Where the compiler fused a
//! product and a sum into one rounding, the code here calls `fma`.

/// `a * b + c`, rounded once.
///
/// The product of two f32 is exact in f64. Its sum with `c` is rounded to odd, so
/// that rounding it again, to f32, gives the same result as a single rounding
/// (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums").
pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 {
        return sum as f32;
    }
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 }) as f32
}

/// A pair of normal numbers from two uniforms between 0 and 1, scaled and shifted.
pub(crate) fn pair(u1: f32, u2: f32, mean: f32, std: f32) -> (f32, f32) {
    let radius = (-2.0 * log(1.0 - u1)).sqrt();
    let (sin, cos) = sin_cos(std::f32::consts::TAU * u2);
    (fma(radius * cos, std, mean), fma(radius * sin, std, mean))
}

/// The natural logarithm for arguments from 0 (excluded) to 1.
fn log(x: f32) -> f32 {
    const POLYNOMIAL: [f32; 9] = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_84e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_7e-1,
        2.000_071_4e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    // ln 2 as the sum of a number with few bits and a remainder.
    const LN_2_REST: f32 = -2.121_944_4e-4;
    const LN_2_SHORT: f32 = 0.693_359_4;

    let bits = x.to_bits();
    let mut exponent = ((bits >> 23) as i32 - 0x7f + 1) as f32;
    let mantissa = f32::from_bits(bits & !0x7f80_0000 | 0x3f00_0000); // from 0.5 to 1
    let x = if mantissa < std::f32::consts::FRAC_1_SQRT_2 {
        exponent -= 1.0;
        (mantissa - 1.0) + mantissa
    } else {
        mantissa - 1.0
    };
    let z = x * x;
    let polynomial = POLYNOMIAL[1..]
        .iter()
        .fold(POLYNOMIAL[0], |y, &c| fma(y, x, c));
    let y = fma(polynomial * x, z, exponent * LN_2_REST);
    let y = fma(-z, 0.5, y);
    fma(exponent, LN_2_SHORT, x + y)
}

/// Sine and cosine for arguments from 0 to 2π.
fn sin_cos(x: f32) -> (f32, f32) {
    const FOUR_OVER_PI: f32 = 1.273_239_5;
    // -π/4 as the sum of three numbers, from the coarsest to the finest.
    const MINUS_PI_4: [f32; 3] = [-0.785_156_25, -2.418_756_5e-4, -3.774_895e-8];
    const SIN: [f32; 3] = [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1];
    const COS: [f32; 3] = [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2];

    // The octant, rounded up to an even number.
    let octant = ((x * FOUR_OVER_PI) as i32 + 1) & !1;
    let x = MINUS_PI_4
        .iter()
        .fold(x, |x, &part| fma(octant as f32, part, x));
    let z = x * x;
    let cos = fma(fma(COS[0], z, COS[1]), z, COS[2]) * z;
    let cos = fma(cos, z, -(z * 0.5)) + 1.0;
    let sin = fma(fma(SIN[0], z, SIN[1]), z, SIN[2]) * z;
    let sin = fma(sin, x, x);
    // Every other quadrant swaps sine and cosine; the quadrant determines the signs.
    let (sin, cos) = if octant & 2 == 0 {
        (sin, cos)
    } else {
        (cos, sin)
    };
    let sin = if octant & 4 == 0 { sin } else { -sin };
    let cos = if (octant - 2) & 4 == 0 { -cos } else { cos };
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray_rand::rand::RngCore;

    #[test]
    fn fma_rounds_once() {
        // With two roundings, the square of 1 + 2^-12 loses its last bit before the sum.
        let a = 1.0 + 2.0_f32.powi(-12);
        assert_eq!(fma(a, a, -1.0), a.mul_add(a, -1.0));
        assert_ne!(fma(a, a, -1.0), a * a - 1.0);
        // Just below the midpoint of two f32: rounding to f64 first would give the midpoint.
        let (a, b, c) = (
            2.0_f32.powi(-24) * (1.0 + f32::EPSILON),
            1.0 - f32::EPSILON,
            1.0 + f32::EPSILON,
        );
        assert_eq!(fma(a, b, c), c);
        assert_ne!((f64::from(a) * f64::from(b) + f64::from(c)) as f32, c);
        let mut engine = crate::mt19937::Mt19937::new(1);
        let mut draw = || (engine.next_u32() as f32 / 2.0_f32.powi(31) - 1.0) * 3.0;
        for _ in 0..100_000 {
            let (a, b, c) = (draw(), draw(), draw());
            assert_eq!(
                fma(a, b, c).to_bits(),
                a.mul_add(b, c).to_bits(),
                "{a} * {b} + {c}"
            );
        }
    }

    #[test]
    fn fma_rounds_once_near_the_midpoints_of_two_f32() {
        // Products m n / 2^71 close to 2^-24, half a unit in the last place of numbers from 1 to 2.
        for m in ((1 << 23) + 1..1 << 24).step_by(30_011) {
            for bits_of_f64 in -2..=2 {
                let n = ((1_u64 << 47) as f64 + f64::from(bits_of_f64 << 19)) / f64::from(m);
                let (a, b) = (m as f32 / 2.0_f32.powi(36), n as f32 / 2.0_f32.powi(35));
                for last_bits in 0..3 {
                    let c = 1.0 + last_bits as f32 * f32::EPSILON;
                    for (b, c) in [(b, c), (-b, c), (b, -c), (-b, -c)] {
                        assert_eq!(fma(a, b, c), a.mul_add(b, c), "{a:e} * {b:e} + {c}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_uniform_number_of_0_is_the_mean() {
        assert_eq!(log(1.0), 0.0);
        assert_eq!(pair(0.0, 0.2, 1.5, 2.0), (1.5, 1.5));
    }

    #[test]
    fn the_functions_are_what_they_are_called() {
        for step in 1..1000 {
            let x = step as f32 / 1000.0;
            assert!((log(x) - x.ln()).abs() < 1e-6, "log {x}");
            let (sin, cos) = sin_cos(x * std::f32::consts::TAU);
            assert!(
                (sin - (x * std::f32::consts::TAU).sin()).abs() < 1e-6,
                "sin {x}"
            );
            assert!(
                (cos - (x * std::f32::consts::TAU).cos()).abs() < 1e-6,
                "cos {x}"
            );
        }
    }
}
