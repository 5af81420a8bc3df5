//! Blocks of 32 numbers with 4 or 8 bits each.
//!
//! Source: ggml, `ggml-common.h` and `dequantize_row_q4_1`, `dequantize_row_q8_0` in `ggml-quants.c`.

/// Numbers per block.
pub(super) const NUMBERS: usize = 32;

/// The 32 numbers of a block of the format Q4_1: each is one of 16 levels, `step · level + lowest`.
///
/// `block` holds `step` and `lowest`, each a 16-bit float, then 16 bytes with two levels each: the
/// lower four bits of byte `i` are the level of number `i`, and its upper four bits that of number
/// `16 + i`.
///
/// Python: `gguf.dequantize(block, GGMLQuantizationType.Q4_1)`
///
/// ```
/// use attention::writer::unpack_q4_1;
///
/// let mut block = [0; 20];
/// block[..4].copy_from_slice(&[0x00, 0x38, 0x00, 0xBC]); // 0.5 and -1.0
/// block[4] = 0x73;
/// let numbers = unpack_q4_1(&block);
/// assert_eq!((numbers[0], numbers[16]), (0.5 * 3.0 - 1.0, 0.5 * 7.0 - 1.0));
/// ```
#[inline(always)]
pub fn unpack_q4_1(block: &[u8; 20]) -> [f32; 32] {
    let step = from_half(u16::from_le_bytes([block[0], block[1]]));
    let lowest = from_half(u16::from_le_bytes([block[2], block[3]]));
    let mut numbers = [0.0; NUMBERS];
    for i in 0..16 {
        numbers[i] = step * f32::from(block[4 + i] & 15) + lowest;
        numbers[16 + i] = step * f32::from(block[4 + i] >> 4) + lowest;
    }
    numbers
}

/// The 32 numbers of a block of the format Q8_0: `step` times a whole number from -128 to 127.
///
/// `block` holds `step`, a 16-bit float, and 32 signed bytes.
///
/// Python: `gguf.dequantize(block, GGMLQuantizationType.Q8_0)`
///
/// ```
/// use attention::writer::unpack_q8_0;
///
/// let mut block = [0; 34];
/// block[..3].copy_from_slice(&[0x00, 0x38, 0xFD]); // 0.5 and -3
/// assert_eq!(unpack_q8_0(&block)[0], -1.5);
/// ```
#[inline(always)]
pub fn unpack_q8_0(block: &[u8; 34]) -> [f32; 32] {
    let step = from_half(u16::from_le_bytes([block[0], block[1]]));
    let mut numbers = [0.0; NUMBERS];
    for i in 0..NUMBERS {
        numbers[i] = step * f32::from(block[2 + i] as i8);
    }
    numbers
}

pub(super) const TWO_TO_112: f32 = f32::from_bits((112 + 127) << 23);

/// Converts a 16-bit float exactly and without branches. Placed in an f32, its bits have an
/// exponent that is 112 too small, which a multiplication by 2^112 corrects, for subnormal numbers
/// too. Infinity and NaN, which do not occur in weights, become large numbers.
#[inline(always)]
pub(super) fn from_half(half: u16) -> f32 {
    let half = u32::from(half);
    let sign = (half & 0x8000) << 16;
    f32::from_bits(sign | (half & 0x7FFF) << 13) * TWO_TO_112
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_exact() {
        for half in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
            if exponent == 31 {
                continue; // not finite
            }
            let magnitude = match exponent {
                0 => fraction * 2_f64.powi(-24),
                _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
            };
            let expected = if half >> 15 == 1 {
                -magnitude
            } else {
                magnitude
            };
            assert_eq!(f64::from(from_half(half)), expected, "{half:#06x}");
        }
    }
}
