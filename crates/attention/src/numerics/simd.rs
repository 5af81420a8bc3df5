//! Loops compiled for the widest registers of the machine that runs them.

use pulp::{Arch, NullaryFnOnce, Simd};
use std::sync::OnceLock;

/// The SIMD registers to compute with: this machine's widest, or narrower ones if the environment
/// variable `ATTENTION_REGISTERS` is `256` (AVX2) or `scalar`. The variable is for measuring and
/// testing how older machines behave.
pub(crate) fn registers() -> Arch {
    static CHOSEN: OnceLock<Arch> = OnceLock::new();
    *CHOSEN.get_or_init(|| named(&std::env::var("ATTENTION_REGISTERS").unwrap_or_default()))
}

fn named(registers: &str) -> Arch {
    match registers {
        #[cfg(target_arch = "x86_64")]
        "256" => pulp::x86::V3::try_new().map_or(Arch::Scalar, Arch::V3),
        "scalar" => Arch::Scalar,
        _ => Arch::new(),
    }
}

/// Returns what `work` returns. Its loops, and those of the functions inlined into it, are compiled
/// for several instruction sets, and the best one for this machine is chosen at run time. The
/// closure needs `#[inline(always)]`; otherwise it is not compiled into those variants.
pub(crate) fn simd<R>(work: impl FnMut() -> R) -> R {
    registers().dispatch(Work(work))
}

/// Calls the closure by reference: a call by value would go through a function that is not inlined.
struct Work<F>(F);

impl<R, F: FnMut() -> R> NullaryFnOnce for Work<F> {
    type Output = R;

    #[inline(always)]
    fn call(mut self) -> R {
        (self.0)()
    }
}

/// Number of parallel accumulators: they fill one register of 512 bits, or two of 256.
pub(crate) const LANES: usize = 16;

/// Folds the pairs of `a` and `b` with `of(a, b, sum)` into [`LANES`] sums and adds these up,
/// always in the same order.
#[inline(always)]
pub(crate) fn sum_pairs<N: Copy + Into<f32>>(
    a: &[f32],
    b: &[N],
    of: impl Fn(f32, f32, f32) -> f32,
) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] = of(a[lane], b[lane].into(), sums[lane]);
        }
    }
    // One loop per width, each with a constant bound: a loop over the widths would go through memory.
    for lane in 0..8 {
        sums[lane] += sums[lane + 8];
    }
    for lane in 0..4 {
        sums[lane] += sums[lane + 4];
    }
    sums[0] += sums[2];
    sums[1] += sums[3];
    sums[0] += sums[1];
    let mut sum = sums[0];
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        sum = of(a, b.into(), sum);
    }
    sum
}

/// Returns `a` if it is larger than `b`, which NaN never is; otherwise `b`.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The largest number, ignoring NaN; -inf for an empty slice.
#[inline(always)]
pub(crate) fn largest(numbers: &[f32]) -> f32 {
    let mut largest = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            largest[lane] = larger(chunk[lane], largest[lane]);
        }
    }
    for lane in 0..8 {
        largest[lane] = larger(largest[lane], largest[lane + 8]);
    }
    for lane in 0..4 {
        largest[lane] = larger(largest[lane], largest[lane + 4]);
    }
    let of_four = |a, b, c, d| larger(larger(a, b), larger(c, d));
    let all = of_four(largest[0], largest[1], largest[2], largest[3]);
    rest.iter().fold(all, |a, &b| larger(b, a))
}

/// Whether all numbers are finite. Looks at all of them, because a loop with an early exit would
/// not be vectorised.
pub(crate) fn all_finite(numbers: &[f32]) -> bool {
    simd(
        #[inline(always)]
        || {
            let finite = numbers.iter().map(|number| number.is_finite());
            finite.fold(true, |all, is_finite| all & is_finite)
        },
    )
}

/// `a * b + c`, rounded once, or twice in WebAssembly: it has no instruction for this, so `mul_add`
/// would call a function for each number, and training would take many times as long.
#[inline(always)]
pub(crate) fn fused(a: f32, b: f32, c: f32) -> f32 {
    match cfg!(target_family = "wasm") {
        true => a * b + c,
        false => a.mul_add(b, c),
    }
}

/// Whether these registers have an instruction for `a * b + c`: without one, `mul_add` calls a
/// function for each number.
#[inline(always)]
pub(crate) const fn can_fuse<S: Simd>() -> bool {
    !S::IS_SCALAR && !cfg!(target_family = "wasm")
}

/// `a * b + c` in registers, rounded once if there is an instruction for it.
#[inline(always)]
pub(crate) fn fused_registers<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    match can_fuse::<S>() {
        true => simd.mul_add_f32s(a, b, c),
        false => simd.add_f32s(simd.mul_f32s(a, b), c),
    }
}

/// The dot product.
#[inline(always)]
pub(crate) fn dot<N: Copy + Into<f32>>(a: &[f32], b: &[N]) -> f32 {
    sum_pairs(a, b, fused)
}

/// `y += x`
#[inline(always)]
pub(crate) fn add(y: &mut [f32], x: &[f32]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += x;
    }
}

/// `y += factor · x`
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f32], factor: f32, x: &[f32]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = fused(factor, x, *y);
    }
}

/// The exponential function for `x <= 88`, accurate to 2 units in the last place; 0 below -87.
///
/// Source: Cephes, `expf.c`: e^x = 2^n e^r with |r| <= ln(2) / 2, and a polynomial
/// for e^r.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let shifted = fused(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fused(n, -0.693_359_4, x);
    let r = fused(n, 2.121_944_4e-4, r);
    let mut p = 1.987_569_1e-4_f32;
    for coefficient in [
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        p = fused(p, r, coefficient);
    }
    let e_r = fused(p, r * r, r) + 1.0;
    if x < -87.0 { 0.0 } else { e_r * power(shifted) }
}

/// Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
const ROUND: f32 = 12_582_912.0;

/// 2^n, from n + [`ROUND`].
#[inline(always)]
fn power(shifted: f32) -> f32 {
    f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// The exponential function for a difference of scores, `x <= 0`: exactly 1 for 0, otherwise within
/// 1e-7; 0 below -87. Does a quarter less work than [`exp`], whose relative error stays small
/// even where the result is tiny.
///
/// e^x = 2^n 2^r with |r| <= 1/2, and a polynomial for 2^r of degree 6 with the smallest
/// possible maximum relative error (found with the Remez algorithm).
#[inline(always)]
pub(crate) fn exp_of_difference(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    let shifted = fused(x, LOG2_E, ROUND);
    let r = fused(x, LOG2_E, ROUND - shifted);
    let mut p = 1.534_581_1e-4_f32;
    for coefficient in [
        1.339_993_1e-3,
        9.618_489e-3,
        5.550_328_6e-2,
        2.402_264_6e-1,
        6.931_472e-1,
        1.0,
    ] {
        p = fused(p, r, coefficient);
    }
    if x < -87.0 { 0.0 } else { p * power(shifted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrower_registers_can_be_asked_for() {
        assert!(matches!(named("scalar"), Arch::Scalar));
        #[cfg(target_arch = "x86_64")]
        if pulp::x86::V3::try_new().is_some() {
            assert!(matches!(named("256"), Arch::V3(_)));
            assert!(!matches!(named(""), Arch::Scalar));
        }
    }

    #[test]
    fn registers_round_once_if_they_can() {
        struct Square;
        impl pulp::WithSimd for Square {
            type Output = f32;

            fn with_simd<S: Simd>(self, simd: S) -> f32 {
                let small = 2.0_f32.powi(-12);
                let number = simd.splat_f32s(1.0 + small);
                let all_but_last_bit = simd.splat_f32s(-1.0 - 2.0 * small);
                simd.reduce_sum_f32s(fused_registers(simd, number, number, all_but_last_bit))
                    / S::F32_LANES as f32
            }
        }
        assert_eq!(Arch::Scalar.dispatch(Square), 0.0);
        if !matches!(Arch::new(), Arch::Scalar) {
            assert_eq!(Arch::new().dispatch(Square), 2.0_f32.powi(-24));
        }
    }

    #[test]
    fn exponentials_are_those_of_the_standard_library() {
        for step in -8700..=8800 {
            let x = step as f32 / 100.0;
            let difference = (exp(x) / x.exp() - 1.0).abs();
            assert!(difference < 2.5e-7, "exp({x}) is {}", exp(x));
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn exponentials_of_differences_are_those_of_the_standard_library() {
        for step in -8700..=0 {
            let x = step as f32 / 100.0;
            let (ours, exact) = (f64::from(exp_of_difference(x)), f64::from(x).exp());
            assert!((ours - exact).abs() < 1e-7, "e^{x} is {ours}");
            let relative = 2e-7 + 2e-8 * f64::from(x.abs());
            assert!((ours / exact - 1.0).abs() < relative, "e^{x} is {ours}");
        }
        assert_eq!(exp_of_difference(0.0), 1.0);
        assert_eq!(exp_of_difference(-88.0), 0.0);
        assert_eq!(exp_of_difference(f32::NEG_INFINITY), 0.0);
        assert!(exp_of_difference(f32::NAN).is_nan());
    }

    #[test]
    fn the_largest_number_is_found_and_nan_is_none() {
        let numbers: Vec<f32> = (0..40).map(|n| ((n * 7) % 37) as f32).collect();
        for length in 1..=40 {
            let expected = numbers[..length].iter().copied().fold(0.0, f32::max);
            assert_eq!(largest(&numbers[..length]), expected);
        }
        assert_eq!(largest(&[]), f32::NEG_INFINITY);
        assert_eq!(largest(&[f32::NAN, 1.0]), 1.0);
    }

    #[test]
    fn one_number_that_is_not_finite_is_found() {
        for length in 0..40 {
            assert!(all_finite(&[f32::MAX; 40][..length]), "{length}");
        }
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in 0..40 {
                let mut numbers = [f32::MAX; 40];
                numbers[place] = odd;
                assert!(!all_finite(&numbers), "{odd} at {place}");
            }
        }
    }

    #[test]
    fn sums_take_every_pair() {
        let numbers: Vec<f32> = (1..=37).map(|n| n as f32).collect();
        assert_eq!(
            simd(
                #[inline(always)]
                || dot(&numbers, &numbers)
            ),
            17575.0
        );
    }
}
