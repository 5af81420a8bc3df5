//! Rows of blocks in 4 or 8 bits, multiplied or unpacked in the machine's widest registers.
//!
//! A register gets its levels by shifting: four words, repeated, are shifted by a different number of bits in each
//! lane. So the numbers come in an order of their own, [`order`], into which vectors are put beforehand.

use super::blocks::{NUMBERS, from_half};
use super::gguf::Format;
use pulp::{Simd, WithSimd};

/// Blocks whose factors are unpacked together, a multiple of the numbers in any register.
pub(super) const TOGETHER: usize = 48;

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

/// Writes the product of each row, as many blocks as `x` has, with `x`.
pub(super) struct TimesVector<'a> {
    pub format: Format,
    pub rows: &'a [u8],
    pub x: &'a Vector,
    pub y: &'a mut [f32],
}

impl WithSimd for TimesVector<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let blocks = self.x.blocks.len();
        match self.format {
            Format::Q4_1 => {
                let rows = self.rows.as_chunks::<20>().0.chunks_exact(blocks);
                for (y, row) in self.y.iter_mut().zip(rows) {
                    *y = dot_q4_1(simd, row, self.x);
                }
            }
            _ => {
                let rows = self.rows.as_chunks::<34>().0.chunks_exact(blocks);
                for (y, row) in self.y.iter_mut().zip(rows) {
                    *y = dot_q8_0(simd, row, self.x);
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
                    each_level::<S, 4>(simd, sixteen(block, 4), |register, level| {
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
                        each_level::<S, 8>(simd, sixteen(block, from), |register, level| {
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
fn dot_q4_1<S: Simd>(simd: S, row: &[[u8; 20]], x: &Vector) -> f32 {
    let (mut sum, mut lowest_sum) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
    let parts = row.chunks(TOGETHER).zip(x.blocks.chunks(TOGETHER));
    for ((row, x), x_sums) in parts.zip(x.sums.as_chunks::<TOGETHER>().0) {
        let mut factors = [0; TOGETHER];
        for (factors, block) in factors.iter_mut().zip(row) {
            *factors = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        }
        let mut steps = [0.0; TOGETHER];
        let registers = S::as_simd_u32s(&factors).0.iter();
        let registers = registers.zip(S::as_mut_simd_f32s(&mut steps).0);
        let registers = registers.zip(S::as_simd_f32s(x_sums).0);
        for ((factors, steps), x_sums) in registers.take(row.len().div_ceil(S::F32_LANES)) {
            *steps = halves(simd, simd.and_u32s(*factors, simd.splat_u32s(0xFFFF)));
            let upper = simd.wrapping_dyn_shr_u32s(*factors, simd.splat_u32s(16));
            lowest_sum = mul_add(simd, halves(simd, upper), *x_sums, lowest_sum);
        }
        for ((block, x), step) in row.iter().zip(x).zip(steps) {
            let x = S::as_simd_f32s(x).0;
            let mut product = simd.splat_f32s(0.0);
            each_level::<S, 4>(simd, sixteen(block, 4), |register, level| {
                product = mul_add(simd, level, x[register], product);
            });
            sum = mul_add(simd, simd.splat_f32s(step), product, sum);
        }
    }
    simd.reduce_sum_f32s(simd.add_f32s(sum, lowest_sum))
}

/// Σ step · (Σ level · x) over the blocks of a row.
#[inline(always)]
fn dot_q8_0<S: Simd>(simd: S, row: &[[u8; 34]], x: &Vector) -> f32 {
    let mut sum = simd.splat_f32s(0.0);
    for (row, x) in row.chunks(TOGETHER).zip(x.blocks.chunks(TOGETHER)) {
        let mut factors = [0; TOGETHER];
        for (factor, block) in factors.iter_mut().zip(row) {
            *factor = u32::from(u16::from_le_bytes([block[0], block[1]]));
        }
        let mut steps = [0.0; TOGETHER];
        let registers = S::as_simd_u32s(&factors).0.iter();
        let registers = registers.zip(S::as_mut_simd_f32s(&mut steps).0);
        for (factors, steps) in registers.take(row.len().div_ceil(S::F32_LANES)) {
            *steps = halves(simd, *factors);
        }
        for ((block, x), step) in row.iter().zip(x).zip(steps) {
            let (first, second) = x.split_at(16);
            let mut product = simd.splat_f32s(0.0);
            for (x, from) in [(first, 2), (second, 18)] {
                let x = S::as_simd_f32s(x).0;
                each_level::<S, 8>(simd, sixteen(block, from), |register, level| {
                    product = mul_add(simd, level, x[register], product);
                });
            }
            sum = mul_add(simd, simd.splat_f32s(step), product, sum);
        }
    }
    simd.reduce_sum_f32s(sum)
}

/// The bits to shift to the end, for each place: 4 or 8 more for each four places.
const SHIFTS: [[u32; NUMBERS]; 2] = {
    let mut shifts = [[0; NUMBERS]; 2];
    let mut place = 0;
    while place < NUMBERS {
        shifts[0][place] = 4 * (place as u32 / 4);
        shifts[1][place] = 8 * (place as u32 / 4 % 4);
        place += 1;
    }
    shifts
};

/// Calls `each` with the number of a register and its levels, `BITS` bits each: 32 levels from 0 to
/// 15, or 16 levels from -128 to 127.
#[inline(always)]
fn each_level<S: Simd, const BITS: usize>(
    simd: S,
    bytes: &[u8; 16],
    mut each: impl FnMut(usize, S::f32s),
) {
    // Without its sign, a byte is larger by 128.
    let (flipped, shift) = if BITS == 8 {
        (0x8080_8080, 128.0)
    } else {
        (0, 0.0)
    };
    let words = bytes.as_chunks::<4>().0;
    let words: [u32; 16] = std::array::from_fn(|i| u32::from_le_bytes(words[i % 4]) ^ flipped);
    let words = S::as_simd_u32s(&words).0;
    let shifts = S::as_simd_u32s(&SHIFTS[BITS / 8]).0;
    let mask = simd.splat_u32s((1 << BITS) - 1);
    // The bits of 2^23, below which there is room for a whole number.
    const ROOM: f32 = 8_388_608.0;
    let (bits, room) = (
        simd.splat_u32s(ROOM.to_bits()),
        simd.splat_f32s(ROOM + shift),
    );
    let mut register = 0;
    while register * S::F32_LANES < 128 / BITS {
        // Registers of fewer than four numbers take the words in turn.
        let words = words[register % 4_usize.div_ceil(S::F32_LANES)];
        let level = simd.wrapping_dyn_shr_u32s(words, shifts[register]);
        let level = simd.or_u32s(simd.and_u32s(level, mask), bits);
        each(
            register,
            simd.sub_f32s(simd.transmute_f32s_u32s(level), room),
        );
        register += 1;
    }
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

#[inline(always)]
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
