//! Sine and cosine in f64, identical on every platform: bit for bit what PyTorch gets from the GNU
//! C library (2.28 and newer, on processors with fused multiply-add).
//!
//! Source: the algorithm of IBM's Accurate Mathematical Library, `s_sin.c` in the GNU C library,
//! with an error of at most 0.55 units in the last place. The angle is split into a multiple of
//! 1/128, whose sine and cosine are tabulated, and a remainder, for which a short polynomial is
//! enough; the angle addition formulas combine them. `mul_add` marks operations that are fused in
//! the compiled library.

/// The angles of the table are multiples of 1/128, from 0 to 109/128.
const ANGLES: usize = 110;

/// The sine and the cosine of each angle, in two parts each.
static TABLE: [[f64; 4]; ANGLES] = table();

/// Sine and cosine of an angle from 0 to 2π.
pub(super) fn sin_cos(angle: f64) -> (f64, f64) {
    // π/2 in two parts.
    const QUARTER: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);
    // The high words of about 0.855 and 2.426: below these, fewer steps suffice.
    match angle.to_bits() >> 32 {
        0..0x3feb_6000 => (sin(angle, 0.0), cos(angle, 0.0)),
        0x3feb_6000..0x4003_68fd => {
            let rest = QUARTER.0 - angle;
            let short = rest + QUARTER.1;
            let sin_of_angle = cos(rest, QUARTER.1);
            (sin_of_angle, sin(short, (rest - short) + QUARTER.1))
        }
        _ => {
            let (quadrant, rest, more) = reduce(angle);
            let (sin, cos) = (sin(rest, more), cos(rest, more));
            // Angles in quadrant 1, around π/2, took one of the shorter ways above.
            match quadrant {
                2 => (-sin, -cos),
                3 => (-cos, sin),
                _ => (sin, cos),
            }
        }
    }
}

/// The quadrant, and the remainder of the angle modulo π/2, in two parts.
fn reduce(angle: f64) -> (u64, f64, f64) {
    // π/2 as the sum of four numbers, the first two of which have few bits.
    const QUARTER: [f64; 4] = [
        1.570_796_340_703_964_2,
        -1.390_906_756_437_715_3e-8,
        -4.978_996_231_479_91e-17,
        -1.903_488_962_019_326_6e-25,
    ];
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: leaves no fraction
    let rounded = angle.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let quarters = rounded - ROUND;
    let rest = (-quarters).mul_add(QUARTER[0], angle);
    let rest = (-quarters).mul_add(QUARTER[1], rest);
    let third = (-quarters).mul_add(QUARTER[2], rest);
    let lost_third = (-quarters).mul_add(QUARTER[2], rest - third);
    let fourth = (-quarters).mul_add(QUARTER[3], third);
    let lost_fourth = (-quarters).mul_add(QUARTER[3], third - fourth);
    (rounded.to_bits() & 3, fourth, lost_third + lost_fourth)
}

/// The sine of `x + more`, from -0.86 to 0.86.
fn sin(x: f64, more: f64) -> f64 {
    const TAYLOR: [f64; 5] = [
        -0.166_666_666_666_666_66,
        0.008_333_333_333_332_329,
        -0.000_198_412_698_344_146_42,
        2.755_729_806_860_771e-6,
        -2.502_201_484_831_839_8e-8,
    ];
    if x.abs() < 0.126 {
        let square = x * x;
        let [c3, c5, c7, c9, c11] = TAYLOR;
        let polynomial = c11.mul_add(square, c9).mul_add(square, c7);
        let polynomial = polynomial.mul_add(square, c5).mul_add(square, c3);
        return x + square.mul_add(polynomial.mul_add(x, -0.5 * more), more);
    }
    let more = if x <= 0.0 { -more } else { more };
    let (near, rest) = nearest(x);
    let (square, odd, even) = polynomials(rest);
    let s = rest + (rest * square).mul_add(odd, more);
    let c = rest.mul_add(more, square * even);
    let [sin, sin_rest, cos, cos_rest] = near;
    let sum = s.mul_add(cos, (-c).mul_add(sin, s.mul_add(cos_rest, sin_rest)));
    (sin + sum).copysign(x)
}

/// The cosine of `x + more`, from -0.86 to 0.86.
fn cos(x: f64, more: f64) -> f64 {
    let more = if x < 0.0 { -more } else { more };
    let (near, rest) = nearest(x);
    let rest = rest + more;
    let (square, odd, even) = polynomials(rest);
    let s = (rest * square).mul_add(odd, rest);
    let c = square * even;
    let [sin, sin_rest, cos, cos_rest] = near;
    let sum = (-s).mul_add(sin, (-c).mul_add(cos, (-s).mul_add(sin_rest, cos_rest)));
    cos + sum
}

/// The table entry for the angle nearest to |x|, and the remainder of |x|.
fn nearest(x: f64) -> ([f64; 4], f64) {
    const ROUND: f64 = 52_776_558_133_248.0; // 1.5 * 2^45: leaves multiples of 1/128
    let rounded = ROUND + x.abs();
    let near = TABLE[(rounded.to_bits() & 0xff) as usize];
    (near, x.abs() - (rounded - ROUND))
}

/// x², and the polynomials in sin x = x + x³ odd(x²) and cos x = 1 - x² even(x²).
fn polynomials(x: f64) -> (f64, f64, f64) {
    let square = x * x;
    let odd = 0.008_333_332_142_857_223_f64.mul_add(square, -0.166_666_666_666_664_88);
    let even = 0.001_388_888_740_079_376_f64.mul_add(square, -0.041_666_666_666_666_44);
    (square, odd, even.mul_add(square, 0.5))
}

/// The table, computed in integers: sine and cosine are sums of quotients of integers.
const fn table() -> [[f64; 4]; ANGLES] {
    let mut table = [[0.0; 4]; ANGLES];
    let mut angle = 0;
    while angle < ANGLES {
        let (sin, sin_rest) = parts(series(angle as i128, 1));
        let (cos, cos_rest) = parts(series(angle as i128, 0));
        table[angle] = [sin, sin_rest, cos, cos_rest];
        angle += 1;
    }
    table
}

/// 1 in fixed-point arithmetic: 2^112.
const ONE: i128 = 1 << 112;

/// x - x³/3! + x⁵/5! ... if `power` is 1, or 1 - x²/2! + x⁴/4! ... if it is 0; x is `angle` / 128.
const fn series(angle: i128, mut power: i128) -> i128 {
    let mut term = if power == 1 { ONE / 128 * angle } else { ONE };
    let mut sum = 0;
    while term != 0 {
        sum += term;
        term = -(term * angle * angle) / (128 * 128 * (power + 1) * (power + 2));
        power += 2;
    }
    sum
}

/// The f64 nearest to a fixed-point number, and the remainder.
const fn parts(number: i128) -> (f64, f64) {
    let nearest = number as f64;
    let rest = (number - nearest as i128) as f64;
    (nearest / ONE as f64, rest / ONE as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numpy::RandomState;
    use sha2::{Digest, Sha256};
    use std::f64::consts::{FRAC_PI_2, PI};

    /// The SHA-256 of the bytes of numbers.
    fn sha256(numbers: impl Iterator<Item = f64>) -> String {
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        let hash = Sha256::digest(&bytes);
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn they_have_the_bits_of_the_gnu_c_library() {
        // >>> u = np.random.RandomState(7).rand(200000).tolist()
        let u = RandomState::new(7).rand(200_000);
        let both = u.mapv(|u| sin_cos(std::f64::consts::TAU * u));
        // >>> sha256 of struct.pack("<d", math.sin(2 * math.pi * n)) for n in u
        assert_eq!(
            sha256(both.iter().map(|both| both.0)),
            "dfcfbead8749bbe3f5abe7ed12103cf5ff6d8ae6bd95206a07b52cd19d4d11b0"
        );
        // >>> ... math.cos(2 * math.pi * n) for n in u
        assert_eq!(
            sha256(both.iter().map(|both| both.1)),
            "74361ca2d682b9093c8ecf8d4a242cd3b8f323e8ff8d26b44826fdb6e9a9829a"
        );
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        // >>> [(math.sin(x), math.cos(x)) for x in (0.126, math.pi / 2, math.pi)]
        for (angle, expected) in [
            (0.126, (0.12566686854972925, 0.9920724964179307)),
            (FRAC_PI_2, (1.0, 6.123233995736766e-17)),
            (PI, (1.2246467991473532e-16, -1.0)),
        ] {
            assert_eq!(sin_cos(angle), expected, "{angle}");
        }
    }

    #[test]
    fn they_have_these_bits_near_multiples_of_a_right_angle_too() {
        // >>> u = np.random.RandomState(7).rand(200000).tolist()[:5000]
        let u = RandomState::new(7).rand(5000);
        // >>> q = [k*math.pi/2 + (n - 0.5)*2**-e for n in u for k in (1, 2, 3) for e in (20, 35, 45, 50)]
        let near = |n: f64, k: i32| {
            [20, 35, 45, 50].map(|e| f64::from(k) * PI / 2.0 + (n - 0.5) * 2.0_f64.powi(-e))
        };
        let both: Vec<(f64, f64)> = u
            .iter()
            .flat_map(|n| [1, 2, 3].map(|k| near(*n, k)))
            .flatten()
            .map(sin_cos)
            .collect();
        assert_eq!(
            sha256(both.iter().map(|both| both.0)),
            "d978eccf73dc56f0330572c9c8a43affa04bde9b1ffa7b09eaa4dd02ebbdd889"
        );
        assert_eq!(
            sha256(both.iter().map(|both| both.1)),
            "ce1bae23fbcd85077ac43b22fa8ab1f83bc1a17b42992b6b02f597509b398cbf"
        );
    }

    #[test]
    fn the_table_has_sines_and_cosines_to_more_digits_than_one_f64_has() {
        let [sin, _, cos, _] = TABLE[64]; // of 0.5
        assert_eq!((sin, cos), (0.479_425_538_604_203, 0.877_582_561_890_372_8));
        let squares = |a: f64, b: f64| (a * a, a.mul_add(a, -a * a) + 2.0 * a * b);
        for [sin, sin_rest, cos, cos_rest] in TABLE {
            // sin² + cos² = 1, even in the digits that a single f64 loses
            let (s, s_rest) = squares(sin, sin_rest);
            let (c, c_rest) = squares(cos, cos_rest);
            let (large, small) = if s > c { (s, c) } else { (c, s) };
            let sum = large + small;
            let off = (1.0 - sum) - ((small - (sum - large)) + s_rest + c_rest);
            assert!(off.abs() < 1e-31, "off by {off:e}");
        }
    }
}
