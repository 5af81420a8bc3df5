//! The exponential function in f64, with the same bits on every platform.
//!
//! Its results are only used in comparisons, so it need not match any library to the last bit.

/// e to the power of `x`, for x from -700 to 700, accurate to two units in the last place.
pub(super) fn exp(x: f64) -> f64 {
    // x = k ln 2 + r, with ln 2 in two parts; products of k with the first part are exact.
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let k = (x * std::f64::consts::LOG2_E).round();
    let r = k.mul_add(-LN_2.1, k.mul_add(-LN_2.0, x));
    // 1 + r (1 + r/2 (1 + r/3 ...)); |r| is below 0.35.
    let series = (1..=15)
        .rev()
        .fold(1.0_f64, |sum, n| (r / f64::from(n)).mul_add(sum, 1.0));
    let power = f64::from_bits(((1023 + k as i64) as u64) << 52);
    series * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential_function() {
        // >>> [math.exp(x) for x in (0.5, -0.5, -6.7, -1.5, -300.0)]
        assert_eq!(exp(0.0), 1.0);
        for (x, expected) in [
            (0.5, 1.6487212707001282),
            (-0.5, 0.6065306597126334),
            (-6.7, 0.001230911902673481),
            (-1.5, 0.22313016014842982),
            (-300.0, 5.148_200_222_412_013e-131),
        ] {
            assert!((exp(x) / expected - 1.0_f64).abs() < 5e-16, "exp {x}");
        }
    }
}
