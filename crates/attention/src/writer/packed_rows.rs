//! Rows of blocks in 4 or 8 bits, multiplied or unpacked in the machine's widest registers.
//!
//! Sixteen bytes are read as four 32-bit words, which are repeated until they fill a register; each
//! lane extracts different bits of its word, with a mask or a shift. The numbers therefore come out
//! in a special order, [`order`], and vectors are rearranged to match beforehand.

use super::blocks::{NUMBERS, from_half};
use super::gguf::Format;
use crate::numerics::simd::fused_registers;
use pulp::{Simd, WithSimd};

/// The number of blocks whose factors are unpacked together: a multiple of the lanes of any
/// register.
const TOGETHER: usize = 16;
/// Rows whose factors are unpacked before the rows are multiplied: few enough that the rows are
/// then still in the L1 cache.
const BAND: usize = 8;

/// Rows multiplied at the same time: their sums do not wait for each other, and more of the file is
/// being loaded from memory at once.
const ABREAST: usize = 4;

/// The order in which the numbers of a block are unpacked: for each place, the index in the block
/// of the number that ends up there.
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

/// A vector cut into blocks, each rearranged into the [`order`] of a format.
pub(super) struct Vector {
    blocks: Vec<[f32; NUMBERS]>,
    /// The sum of each block, padded with zeros to a multiple of [`TOGETHER`].
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

/// The factor and the offset of the levels of each block, for a band of rows.
#[derive(Default)]
pub(super) struct Factors {
    steps: Vec<f32>,
    lowest: Vec<f32>,
}

/// Writes the product of each row with `x` to `y`. A row has as many blocks as `x`.
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
        let TimesVector {
            format,
            rows,
            x,
            factors: Factors { steps, lowest },
            y,
        } = self;
        let count = x.blocks.len();
        let bands = y.chunks_mut(BAND);
        match format {
            Format::Q4_1 => {
                let blocks = rows.as_chunks::<20>().0;
                for (y, blocks) in bands.zip(blocks.chunks(BAND * count)) {
                    unpack_factors(simd, blocks, [&mut *steps, &mut *lowest]);
                    let band = Band {
                        blocks,
                        steps,
                        lowest: Some(lowest),
                        x,
                    };
                    band.times_x(simd, y);
                }
            }
            _ => {
                let blocks = rows.as_chunks::<34>().0;
                for (y, blocks) in bands.zip(blocks.chunks(BAND * count)) {
                    unpack_factors(simd, blocks, [&mut *steps]);
                    let band = Band {
                        blocks,
                        steps,
                        lowest: None,
                        x,
                    };
                    band.times_x(simd, y);
                }
            }
        }
    }
}

/// Rows whose factors have been unpacked, and the vector to multiply them with.
struct Band<'a, B> {
    blocks: &'a [B],
    steps: &'a [f32],
    /// `None` if the format has no offsets.
    lowest: Option<&'a [f32]>,
    x: &'a Vector,
}

impl<B: Block> Band<'_, B> {
    /// Writes the product of each row with `x` to `y`.
    #[inline(always)]
    fn times_x<S: Simd>(&self, simd: S, y: &mut [f32]) {
        let (groups, rest) = y.as_chunks_mut::<ABREAST>();
        let grouped = groups.len() * ABREAST;
        for (group, y) in groups.iter_mut().enumerate() {
            *y = self.dots(simd, group * ABREAST);
        }
        for (row, y) in rest.iter_mut().enumerate() {
            [*y] = self.dots(simd, grouped + row);
        }
    }

    /// Σ step · (Σ level · x) + lowest · (Σ x) over the blocks of each of the `R` rows from `row`
    /// on.
    #[inline(always)]
    fn dots<S: Simd, const R: usize>(&self, simd: S, row: usize) -> [f32; R] {
        let count = self.x.blocks.len();
        let blocks = of_rows::<_, R>(self.blocks, row, count, count);
        let steps = of_rows::<_, R>(self.steps, row, count, count);
        let mut sums = [simd.splat_f32s(0.0); R];
        for (i, x) in self.x.blocks.iter().enumerate() {
            for row in 0..R {
                let product = blocks[row][i].product(simd, x);
                sums[row] =
                    fused_registers(simd, simd.splat_f32s(steps[row][i]), product, sums[row]);
            }
        }
        if let Some(lowest) = self.lowest {
            // Values beyond the end of the row are multiplied by zero.
            let lowest = of_rows::<_, R>(lowest, row, count, self.x.sums.len());
            for row in 0..R {
                let lowest = S::as_simd_f32s(lowest[row]).0;
                for (lowest, x_sums) in lowest.iter().zip(S::as_simd_f32s(&self.x.sums).0) {
                    sums[row] = fused_registers(simd, *lowest, *x_sums, sums[row]);
                }
            }
        }
        sums.map(|sum| simd.reduce_sum_f32s(sum))
    }
}

/// The bytes of a block.
trait Block {
    /// Σ level · x, still spread over the lanes.
    fn product<S: Simd>(&self, simd: S, x: &[f32; NUMBERS]) -> S::f32s;
}

impl Block for [u8; 20] {
    #[inline(always)]
    fn product<S: Simd>(&self, simd: S, x: &[f32; NUMBERS]) -> S::f32s {
        let x = S::as_simd_f32s(x).0;
        let mut product = simd.splat_f32s(0.0);
        each_level_of_4(simd, sixteen(self, 4), |register, level| {
            product = fused_registers(simd, level, x[register], product);
        });
        product
    }
}

impl Block for [u8; 34] {
    #[inline(always)]
    fn product<S: Simd>(&self, simd: S, x: &[f32; NUMBERS]) -> S::f32s {
        let (first, second) = x.split_at(16);
        let mut product = simd.splat_f32s(0.0);
        for (x, from) in [(first, 2), (second, 18)] {
            let x = S::as_simd_f32s(x).0;
            each_level_of_8(simd, sixteen(self, from), |register, level| {
                product = fused_registers(simd, level, x[register], product);
            });
        }
        product
    }
}

/// The `length` values from the start of each of `R` rows; each row has `count` values.
#[inline(always)]
fn of_rows<T, const R: usize>(
    values: &[T],
    first: usize,
    count: usize,
    length: usize,
) -> [&[T]; R] {
    std::array::from_fn(|row| &values[(first + row) * count..][..length])
}

/// Writes the numbers of blocks to `into`, each block in the [`order`] of its format.
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
                        into[register] = fused_registers(simd, step, level, lowest);
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

/// Writes the factors with which each block begins, one or two 16-bit floats: all first ones to one
/// vector, all second ones to another, each followed by at least [`TOGETHER`] zeros.
#[inline(always)]
fn unpack_factors<S: Simd, const N: usize, const K: usize>(
    simd: S,
    blocks: &[[u8; N]],
    mut into: [&mut Vec<f32>; K],
) {
    for into in &mut into {
        into.clear();
        into.resize((blocks.len() / TOGETHER + 2) * TOGETHER, 0.0);
    }
    let (whole, rest) = blocks.as_chunks::<TOGETHER>();
    let mut last = [[0; N]; TOGETHER];
    last[..rest.len()].copy_from_slice(rest);
    for (i, blocks) in whole.iter().chain([&last]).enumerate() {
        // Reads all of a block's factors at once, and not a byte more. (A closure for `map` would
        // not be inlined.)
        let mut words = [0; TOGETHER];
        for (word, block) in words.iter_mut().zip(blocks) {
            *word = match K {
                1 => u32::from(u16::from_le_bytes([block[0], block[1]])),
                _ => u32::from_le_bytes([block[0], block[1], block[2], block[3]]),
            };
        }
        let words = S::as_simd_u32s(&words).0;
        for (kind, into) in into.iter_mut().enumerate() {
            let into = &mut into.as_chunks_mut::<TOGETHER>().0[i];
            for (into, words) in S::as_mut_simd_f32s(into).0.iter_mut().zip(words) {
                let shift = simd.splat_u32s(16 * kind as u32);
                *into = halves(simd, simd.wrapping_dyn_shr_u32s(*words, shift));
            }
        }
    }
}

/// 2^23, a float whose lowest bit has the value 1: its last bits can hold any smaller integer.
const ROOM: f32 = 8_388_608.0;

/// For each of 16 places, the mask of its 4-bit level, which moves up by 4 bits every four places,
/// and the power of two in whose mantissa these bits have the level's value without being shifted.
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

/// Calls `each` with the index of each register and its levels, from 0 to 15; 32 levels in all.
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

/// The right shift for each of 16 places: 8 bits more every four places.
const SHIFTS: [u32; 16] = {
    let mut shifts = [0; 16];
    let mut place = 0;
    while place < 16 {
        shifts[place] = 8 * (place as u32 / 4);
        place += 1;
    }
    shifts
};

/// Calls `each` with the index of each register and its levels, from -128 to 127; 16 levels in all.
#[inline(always)]
fn each_level_of_8<S: Simd>(simd: S, bytes: &[u8; 16], mut each: impl FnMut(usize, S::f32s)) {
    let words = repeated(bytes, 0x8080_8080); // adds 128 to each signed byte
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

/// Sixteen bytes as four words, repeated four times, with the bits of `flipped` inverted.
#[inline(always)]
fn repeated(bytes: &[u8; 16], flipped: u32) -> [u32; 16] {
    let bytes = bytes.as_chunks::<4>().0;
    let mut words = [0; 16];
    for (i, word) in words.iter_mut().enumerate() {
        *word = u32::from_le_bytes(bytes[i % 4]) ^ flipped;
    }
    words
}

/// Converts 16-bit floats, each in the lower half of a word. See [`from_half`].
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
