//! Rows of blocks in 4 or 8 bits, multiplied or unpacked in the machine's widest registers.
//!
//! A register gets its levels from four words, repeated: each lane takes different bits of its word, by a mask or a
//! shift. The numbers therefore come in a special order, [`order`], in which vectors are arranged beforehand.

use super::blocks::{NUMBERS, from_half};
use super::gguf::Format;
use pulp::{Simd, WithSimd};

/// Factors that are unpacked together, a multiple of the numbers in any register.
const TOGETHER: usize = 16;
/// Rows whose factors are unpacked before they are multiplied: with more, the rows would no longer be in the
/// nearest cache by then.
const BAND: usize = 8;

/// Which number of a block comes at each place.
pub(super) fn order(format: Format) -> [usize; NUMBERS] {
    std::array::from_fn(|place| {
        let (word, shift) = (place % 4, place / 4);
        match format {
            // Byte 4 · word + shift / 2; the upper half of each byte belongs to the second 16 numbers.
            Format::Q4_1 => 4 * word + shift / 2 + 16 * (shift % 2),
            _ => 16 * (shift / 4) + 4 * word + shift % 4,
        }
    })
}

/// A vector in blocks, in the order in which a format's numbers come.
pub(super) struct Vector {
    blocks: Vec<[f32; NUMBERS]>,
    /// The sum of each block, filled up to a multiple of [`TOGETHER`].
    sums: Vec<f32>,
}

impl Vector {
    pub fn new(numbers: &[f32], format: Format) -> Vector {
        let order = order(format);
        let blocks = numbers.as_chunks::<NUMBERS>().0.iter();
        let blocks: Vec<_> = blocks
            .map(|block| order.map(|number| block[number]))
            .collect();
        let mut sums: Vec<f32> = blocks.iter().map(|block| block.iter().sum()).collect();
        sums.resize(blocks.len().next_multiple_of(TOGETHER), 0.0);
        Vector { blocks, sums }
    }
}

/// What the levels of each block are multiplied by, and what is added to them, for a band of rows.
#[derive(Default)]
pub(super) struct Factors {
    steps: Vec<f32>,
    lowest: Vec<f32>,
}

/// Writes the product of each row, as many blocks as `x` has, with `x`.
pub(super) struct TimesVector<'a> {
    pub format: Format,
    pub rows: &'a [u8],
    pub x: &'a Vector,
    pub factors: &'a mut Factors,
    pub y: &'a mut [f32],
}

impl WithSimd for TimesVector<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Factors { steps, lowest } = self.factors;
        let count = self.x.blocks.len();
        let bands = self.y.chunks_mut(BAND);
        match self.format {
            Format::Q4_1 => {
                let blocks = self.rows.as_chunks::<20>().0;
                for (y, blocks) in bands.zip(blocks.chunks(BAND * count)) {
                    unpack_halves(simd, blocks, 0, steps);
                    unpack_halves(simd, blocks, 2, lowest);
                    let rows = blocks.chunks_exact(count).zip(steps.chunks_exact(count));
                    for (row, (y, (blocks, steps))) in y.iter_mut().zip(rows).enumerate() {
                        // Values past the row's own are multiplied by zero.
                        let lowest = &lowest[row * count..][..self.x.sums.len()];
                        *y = dot_q4_1(simd, blocks, steps, lowest, self.x);
                    }
                }
            }
            _ => {
                let blocks = self.rows.as_chunks::<34>().0;
                for (y, blocks) in bands.zip(blocks.chunks(BAND * count)) {
                    unpack_halves(simd, blocks, 0, steps);
                    let rows = blocks.chunks_exact(count).zip(steps.chunks_exact(count));
                    for (y, (blocks, steps)) in y.iter_mut().zip(rows) {
                        *y = dot_q8_0(simd, blocks, steps, self.x);
                    }
                }
            }
        }
    }
}

/// Writes the numbers of blocks, each block in the [`order`] of its format.
pub(super) struct Unpack<'a> {
    pub format: Format,
    pub blocks: &'a [u8],
    pub into: &'a mut [f32],
}

impl WithSimd for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let into = self.into.as_chunks_mut::<NUMBERS>().0.iter_mut();
        match self.format {
            Format::Q4_1 => {
                for (into, block) in into.zip(self.blocks.as_chunks::<20>().0) {
                    let (step, lowest) = (half_at(block, 0), half_at(block, 2));
                    let (step, lowest) = (simd.splat_f32s(step), simd.splat_f32s(lowest));
                    let into = S::as_mut_simd_f32s(into).0;
                    each_level_of_4(simd, sixteen(block, 4), |register, level| {
                        into[register] = mul_add(simd, step, level, lowest);
                    });
                }
            }
            _ => {
                for (into, block) in into.zip(self.blocks.as_chunks::<34>().0) {
                    let step = simd.splat_f32s(half_at(block, 0));
                    let (first, second) = into.split_at_mut(16);
                    for (into, from) in [(first, 2), (second, 18)] {
                        let into = S::as_mut_simd_f32s(into).0;
                        each_level_of_8(simd, sixteen(block, from), |register, level| {
                            into[register] = simd.mul_f32s(step, level);
                        });
                    }
                }
            }
        }
    }
}

/// Σ step · (Σ level · x) + lowest · (Σ x) over the blocks of a row.
#[inline(always)]
fn dot_q4_1<S: Simd>(
    simd: S,
    blocks: &[[u8; 20]],
    steps: &[f32],
    lowest: &[f32],
    x: &Vector,
) -> f32 {
    let mut sum = simd.splat_f32s(0.0);
    for ((block, x), step) in blocks.iter().zip(&x.blocks).zip(steps) {
        let x = S::as_simd_f32s(x).0;
        let mut product = simd.splat_f32s(0.0);
        each_level_of_4(simd, sixteen(block, 4), |register, level| {
            product = mul_add(simd, level, x[register], product);
        });
        sum = mul_add(simd, simd.splat_f32s(*step), product, sum);
    }
    let lowest = S::as_simd_f32s(lowest).0;
    for (lowest, x_sums) in lowest.iter().zip(S::as_simd_f32s(&x.sums).0) {
        sum = mul_add(simd, *lowest, *x_sums, sum);
    }
    simd.reduce_sum_f32s(sum)
}

/// Σ step · (Σ level · x) over the blocks of a row.
#[inline(always)]
fn dot_q8_0<S: Simd>(simd: S, blocks: &[[u8; 34]], steps: &[f32], x: &Vector) -> f32 {
    let mut sum = simd.splat_f32s(0.0);
    for ((block, x), step) in blocks.iter().zip(&x.blocks).zip(steps) {
        let (first, second) = x.split_at(16);
        let mut product = simd.splat_f32s(0.0);
        for (x, from) in [(first, 2), (second, 18)] {
            let x = S::as_simd_f32s(x).0;
            each_level_of_8(simd, sixteen(block, from), |register, level| {
                product = mul_add(simd, level, x[register], product);
            });
        }
        sum = mul_add(simd, simd.splat_f32s(*step), product, sum);
    }
    simd.reduce_sum_f32s(sum)
}

/// Writes the 16-bit float at offset `at` of each block, followed by at least [`TOGETHER`] zeros.
#[inline(always)]
fn unpack_halves<S: Simd, const N: usize>(
    simd: S,
    blocks: &[[u8; N]],
    at: usize,
    into: &mut Vec<f32>,
) {
    into.clear();
    into.resize((blocks.len() / TOGETHER + 2) * TOGETHER, 0.0);
    let (whole, rest) = blocks.as_chunks::<TOGETHER>();
    let mut last = [[0; N]; TOGETHER];
    last[..rest.len()].copy_from_slice(rest);
    let into = into.as_chunks_mut::<TOGETHER>().0;
    for (into, blocks) in into.iter_mut().zip(whole.iter().chain([&last])) {
        let words = blocks.map(|block| u32::from(u16::from_le_bytes([block[at], block[at + 1]])));
        let words = S::as_simd_u32s(&words).0;
        for (into, words) in S::as_mut_simd_f32s(into).0.iter_mut().zip(words) {
            *into = halves(simd, *words);
        }
    }
}

/// 2^23, a float whose lowest bit counts as 1: a smaller whole number can be put into its last bits.
const ROOM: f32 = 8_388_608.0;

/// For each of 16 places, the mask for its 4-bit level, which moves up by 4 bits every four places, and the power of
/// two in which these bits count as a whole number, so that they need not be shifted.
const LEVELS_OF_4: ([u32; 16], [f32; 16]) = {
    let (mut bits, mut room) = ([0; 16], [0.0; 16]);
    let mut place = 0;
    while place < 16 {
        let from = 4 * (place / 4);
        bits[place] = 0xF << from;
        room[place] = ROOM / (1 << from) as f32;
        place += 1;
    }
    (bits, room)
};

/// Calls `each` with the number of each register and its levels, which are from 0 to 15; 32 levels in all.
#[inline(always)]
fn each_level_of_4<S: Simd>(simd: S, bytes: &[u8; 16], mut each: impl FnMut(usize, S::f32s)) {
    let words = repeated(bytes, 0);
    let words = S::as_simd_u32s(&words).0;
    let bits = S::as_simd_u32s(&LEVELS_OF_4.0).0;
    let room = S::as_simd_f32s(&LEVELS_OF_4.1).0;
    for half in 0..2 {
        for register in 0..words.len() {
            let mut level = words[register];
            if half == 1 {
                level = simd.wrapping_dyn_shr_u32s(level, simd.splat_u32s(16));
            }
            let level = simd.and_u32s(level, bits[register]);
            let level = simd.or_u32s(level, simd.transmute_u32s_f32s(room[register]));
            let level = simd.sub_f32s(simd.transmute_f32s_u32s(level), room[register]);
            each(half * words.len() + register, level);
        }
    }
}

/// How far to shift right for each of 16 places: 8 bits more every four places.
const SHIFTS: [u32; 16] = {
    let mut shifts = [0; 16];
    let mut place = 0;
    while place < 16 {
        shifts[place] = 8 * (place as u32 / 4);
        place += 1;
    }
    shifts
};

/// Calls `each` with the number of each register and its levels, which are from -128 to 127; 16 levels in all.
#[inline(always)]
fn each_level_of_8<S: Simd>(simd: S, bytes: &[u8; 16], mut each: impl FnMut(usize, S::f32s)) {
    let words = repeated(bytes, 0x8080_8080); // taken as unsigned, each byte is larger by 128
    let words = S::as_simd_u32s(&words).0.iter();
    let room = simd.splat_f32s(ROOM + 128.0);
    for (register, (words, shifts)) in words.zip(S::as_simd_u32s(&SHIFTS).0).enumerate() {
        let level = simd.wrapping_dyn_shr_u32s(*words, *shifts);
        let level = simd.and_u32s(level, simd.splat_u32s(0xFF));
        let level = simd.or_u32s(level, simd.splat_u32s(ROOM.to_bits()));
        each(
            register,
            simd.sub_f32s(simd.transmute_f32s_u32s(level), room),
        );
    }
}

/// The four words of 16 bytes, four times, with some bits flipped.
#[inline(always)]
fn repeated(bytes: &[u8; 16], flipped: u32) -> [u32; 16] {
    let words = bytes.as_chunks::<4>().0;
    std::array::from_fn(|i| u32::from_le_bytes(words[i % 4]) ^ flipped)
}

/// Floats of 16 bits, each at the end of a word. See [`from_half`].
#[inline(always)]
fn halves<S: Simd>(simd: S, halves: S::u32s) -> S::f32s {
    let sign = simd.and_u32s(halves, simd.splat_u32s(0x8000));
    let sign = simd.wrapping_dyn_shl_u32s(sign, simd.splat_u32s(16));
    let rest = simd.and_u32s(halves, simd.splat_u32s(0x7FFF));
    let rest = simd.wrapping_dyn_shl_u32s(rest, simd.splat_u32s(13));
    let small = simd.transmute_f32s_u32s(simd.or_u32s(sign, rest));
    simd.mul_f32s(small, simd.splat_f32s(super::blocks::TWO_TO_112))
}

#[inline(always)]
fn half_at<const N: usize>(block: &[u8; N], at: usize) -> f32 {
    from_half(u16::from_le_bytes([block[at], block[at + 1]]))
}

fn sixteen<const N: usize>(block: &[u8; N], from: usize) -> &[u8; 16] {
    block[from..from + 16].as_array().expect("16 bytes")
}

/// Without an FMA instruction, mul_add would call a function for each number.
#[inline(always)]
fn mul_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    match S::IS_SCALAR {
        true => simd.add_f32s(simd.mul_f32s(a, b), c),
        false => simd.mul_add_f32s(a, b, c),
    }
}
