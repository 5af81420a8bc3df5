//! Natural logarithms in f64, identical on every platform: bit for bit what NumPy and PyTorch get
//! from the GNU C library (2.28 and newer, on processors with fused multiply-add).
//!
//! Sources: Arm's optimized routines, `math/log.c` (a table and a polynomial, with an error of at
//! most 0.52 units in the last place); for `log1p`, Sun's fdlibm, `s_log1p.c`. Where a product and
//! a sum are fused in the compiled GNU C library, the code here calls `mul_add`: its single rounding
//! is part of the result.

use super::log_table::RECIPROCALS_AND_LOGARITHMS;

/// ln 2 in two parts; products of the first part with exponents are exact.
const LN_2: (f64, f64) = (0.693_147_180_559_890_3, 5.497_923_018_708_371e-14);

/// ln(1 + r) = r + r² times this polynomial, for |r| < 1/256.
const NARROW: [f64; 5] = [
    -0.500_000_000_000_000_1,
    0.333_333_333_318_255_93,
    -0.249_999_999_962_295_5,
    0.200_003_045_118_144_96,
    -0.166_670_548_276_276_67,
];

/// ln(1 + r) = r - r² / 2 + r³ times this polynomial, from -1/16 to 1/15.
const WIDE: [f64; 10] = [
    0.333_333_333_333_335_2,
    -0.249_999_999_999_984_32,
    0.199_999_999_993_203_28,
    -0.166_666_666_699_297_06,
    0.142_857_150_765_608_68,
    -0.124_999_978_639_825_55,
    0.111_107_120_329_360_46,
    -0.100_004_867_578_181_93,
    0.091_819_940_061_954_67,
    -0.083_283_630_622_893_41,
];

/// The natural logarithm of a positive normal number.
pub(super) fn ln(x: f64) -> f64 {
    if (1.0 - 1.0 / 16.0..1.0 + 265.0 / 4096.0).contains(&x) {
        return ln_near_1(x);
    }
    // x = 2^exponent z, with z from 0.6875 to 1.375, a range divided into 128 intervals.
    const SMALLEST_Z: u64 = 0x3fe6_0000_0000_0000;
    let above = x.to_bits().wrapping_sub(SMALLEST_Z);
    let exponent = (above.cast_signed() >> 52) as f64;
    let z = f64::from_bits(x.to_bits().wrapping_sub(above & (0xfff << 52)));
    let (reciprocal, logarithm) = RECIPROCALS_AND_LOGARITHMS[(above >> 45) as usize % 128];
    // ln x = exponent ln 2 + ln c + ln(1 + r), r = z / c - 1
    let r = z.mul_add(f64::from_bits(reciprocal), -1.0);
    let whole = exponent.mul_add(LN_2.0, f64::from_bits(logarithm));
    let high = whole + r;
    let low = exponent.mul_add(LN_2.1, (whole - high) + r);
    let r2 = r * r;
    let [a0, a1, a2, a3, a4] = NARROW;
    let tail = r.mul_add(a4, a3).mul_add(r2, a2.mul_add(r, a1));
    (r * r2).mul_add(tail, r2.mul_add(a0, low)) + high
}

fn ln_near_1(x: f64) -> f64 {
    let r = x - 1.0;
    if r == 0.0 {
        return 0.0;
    }
    let (r2, r3) = (r * r, r * (r * r));
    let cubic = |from: usize| r2.mul_add(WIDE[from + 2], WIDE[from + 1].mul_add(r, WIDE[from]));
    let tail = r3.mul_add(WIDE[9], cubic(6));
    let tail = tail.mul_add(r3, cubic(3)).mul_add(r3, cubic(0));
    // The square is computed in two parts, the first of which is exact: r = short + rest.
    const SPLIT: f64 = 134_217_728.0; // 2^27
    let short = (-SPLIT).mul_add(r, r.mul_add(SPLIT, r));
    let rest = r - short;
    let square = short * short;
    let high = square.mul_add(-0.5, r);
    let low = square.mul_add(-0.5, r - high);
    let low = (-0.5 * rest).mul_add(r + short, low);
    high + tail.mul_add(r3, low)
}

/// ln(1 + x), accurate near 0, where -x is a random number: x is a multiple of 2^-53, above -1 and
/// at most 0, so 1 + x is exact wherever it is used.
pub(super) fn ln_1p(x: f64) -> f64 {
    const LN_2_SHORT: f64 = 0.693_147_180_369_123_8;
    const LN_2_REST: f64 = 1.908_214_929_270_587_7e-10;
    const NEAR_1: f64 = 1.0 / 1_048_576.0; // 2^-20
    // The high words of √½ - 1, at and below which 1 + x is scaled, and of the mantissa of √2.
    const SCALED: u64 = 0xbfd2_bec4;
    const SQRT_2: u64 = 0x6_a09e;

    // 1 + x = 2^k (1 + f)
    let (k, f) = if x.to_bits() >> 32 < SCALED {
        (0.0, x)
    } else {
        let sum = 1.0 + x;
        let exponent = (sum.to_bits() >> 52) as f64 - 1023.0;
        let mantissa = sum.to_bits() & ((1 << 52) - 1);
        if mantissa >> 32 < SQRT_2 {
            let f = f64::from_bits(mantissa | 0x3ff0 << 48) - 1.0;
            (exponent, f)
        } else {
            let f = f64::from_bits(mantissa | 0x3fe0 << 48) - 1.0;
            (exponent + 1.0, f)
        }
    };
    let half_square = 0.5 * f * f;
    if k != 0.0 && (-1.5 * NEAR_1..NEAR_1).contains(&f) {
        let square = (-2.0_f64 / 3.0).mul_add(f, 1.0) * half_square;
        return k.mul_add(LN_2_SHORT, -((square - k * LN_2_REST) - f));
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let (z2, z4) = (z * z, z * z * (z * z));
    let z6 = z2 * z4;
    let polynomial = z.mul_add(
        0.666_666_666_666_673_5,
        z2 * 0.285_714_287_436_623_9_f64.mul_add(z, 0.399_999_999_994_094_2),
    );
    let polynomial = z4.mul_add(
        0.181_835_721_616_180_5_f64.mul_add(z, 0.222_221_984_321_497_84),
        polynomial,
    );
    let polynomial = z6.mul_add(
        0.147_981_986_051_165_86_f64.mul_add(z, 0.153_138_376_992_093_73),
        polynomial,
    );
    let correction = (polynomial + half_square) * s;
    if k == 0.0 {
        return f - (half_square - correction);
    }
    let low = k * LN_2_REST + correction;
    k.mul_add(LN_2_SHORT, -((half_square - low) - f))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::RandomState;
    use sha2::{Digest, Sha256};

    /// The SHA-256 of the results of `function`, as little-endian bytes.
    fn sha256(function: fn(f64) -> f64, arguments: impl Iterator<Item = f64>) -> String {
        let bytes: Vec<u8> = arguments.flat_map(|x| function(x).to_le_bytes()).collect();
        let hash = Sha256::digest(&bytes);
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn they_have_the_bits_of_the_gnu_c_library() {
        // >>> u = np.random.RandomState(7).rand(200000).tolist()
        let u = RandomState::new(7).rand(200_000);
        // >>> sha256 of struct.pack("<d", math.log(x)) for n in u for x in (n, 1 - n/16, n*n*n)
        let arguments = u.iter().flat_map(|n| [*n, 1.0 - n / 16.0, n * n * n]);
        assert_eq!(
            sha256(ln, arguments),
            "cee5982757ac91d73424d3df756006fdf364c4c5fad7a500b2ac8f01bc42b86a"
        );
        // >>> ... math.log1p(x) for n in u for x in (-n, -n/1000, -n/2**40)
        let tiny = 2.0_f64.powi(-40);
        let arguments = u.iter().flat_map(|n| [-n, -n / 1000.0, -n * tiny]);
        assert_eq!(
            sha256(ln_1p, arguments),
            "d195bd43b9186957a306d6977bb86365cdfc44a78b08cf8a270e61f299363a53"
        );
        // Above 1, and where 1 + x is close to a power of two.
        let u = u.iter().take(20_000);
        // >>> ... math.log(x) for n in u[:20000] for x in (1 + n/8, 1000*n + 1)
        let arguments = u.clone().flat_map(|n| [1.0 + n / 8.0, 1000.0 * n + 1.0]);
        assert_eq!(
            sha256(ln, arguments),
            "418108de2e46e5bb03118bc9f1fc2d91e661c1e2957b88f6fc0ce87f1630625c"
        );
        // >>> ... math.log1p(2**-k * (1 + (n - 0.5)/2**18) - 1) for n in u[:20000] for k in (1, 2, 3)
        let near = |n: f64, k: i32| 2.0_f64.powi(-k) * (1.0 + (n - 0.5) / 262_144.0) - 1.0;
        let arguments = u.flat_map(|n| [1, 2, 3].map(|k| near(*n, k)));
        assert_eq!(
            sha256(ln_1p, arguments),
            "e08273429cc1919da227b5004e81588d1c004974277c7007163c6aebd00e18ef"
        );
        // >>> [math.log1p(x) for x in (-2**-54, -2**-29, ...)]
        for (x, expected) in [
            (-(2.0_f64.powi(-54)), -5.551115123125783e-17),
            (-(2.0_f64.powi(-29)), -1.862_645_150_965_680_5e-9),
            (-0.29289352893829346, -0.34657402886282496),
            (-0.2928931713104248, -0.3465735231005489),
            (-0.2928934118244797, -0.34657386323882233),
            (-0.8232233518501744, -1.7328682181025383),
            // The general formula would give a different last bit for these two, for which 1 + x
            // is close to a half.
            (-0.4999995489909749, -0.6931462785423018),
            (-0.5000007072278001, -0.6931485950165458),
        ] {
            assert_eq!(ln_1p(x), expected, "ln(1 + {x:e})");
        }
        assert_eq!(
            [ln(1.0), ln(0.5), ln_1p(0.0)],
            [0.0, -std::f64::consts::LN_2, 0.0]
        );
    }
}
