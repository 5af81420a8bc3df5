//! Turns 32-bit words into PyTorch's random numbers.

use super::box_muller;
use super::logarithm::{ln, ln_1p};
use super::trigonometry::sin_cos;
use ndarray_rand::rand::RngCore;
use std::f64::consts::TAU;

/// When at least this many are drawn, normals are generated in blocks of this size.
const BLOCK: usize = 16;

/// A uniform number from the low 24 bits of a word.
pub(super) fn uniform_f32<R: RngCore + ?Sized>(words: &mut R) -> f32 {
    (words.next_u32() & 0xff_ffff) as f32 / 16_777_216.0
}

/// A uniform number from the low 53 bits of two words.
pub(super) fn uniform_f64<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    (words.next_u64() & ((1 << 53) - 1)) as f64 / (1_u64 << 53) as f64
}

/// A uniform number between two bounds. If rounding yields the upper bound, which is
/// excluded, this returns the lower one, as PyTorch 2.15 does.
pub(super) fn uniform_between<R: RngCore + ?Sized>(words: &mut R, low: f32, high: f32) -> f32 {
    let number = box_muller::fma(uniform_f32(words), high - low, low);
    if number == high { low } else { number }
}

/// Like [`uniform_between`], but in f64.
fn uniform_between_f64<R: RngCore + ?Sized>(words: &mut R, low: f64, high: f64) -> f64 {
    let number = uniform_f64(words).mul_add(high - low, low);
    if number == high { low } else { number }
}

pub(super) fn uniforms<R: RngCore + ?Sized>(
    words: &mut R,
    count: usize,
    low: f32,
    high: f32,
) -> Vec<f32> {
    (0..count)
        .map(|_| uniform_between(words, low, high))
        .collect()
}

pub(super) fn uniforms_f64<R: RngCore + ?Sized>(
    words: &mut R,
    count: usize,
    low: f64,
    high: f64,
) -> Vec<f64> {
    (0..count)
        .map(|_| uniform_between_f64(words, low, high))
        .collect()
}

/// Numbers that are 1 with probability `p`, otherwise 0.
pub(super) fn coins<R: RngCore + ?Sized>(words: &mut R, count: usize, p: f64) -> Vec<f32> {
    (0..count)
        .map(|_| f32::from(u8::from(uniform_f64(words) < p)))
        .collect()
}

pub(super) fn exponentials<R: RngCore + ?Sized>(
    words: &mut R,
    count: usize,
    rate: f64,
) -> Vec<f32> {
    (0..count)
        .map(|_| (-1.0 / rate * ln_1p(-uniform_f64(words))) as f32)
        .collect()
}

/// Normal numbers. Fewer than 16 are drawn in pairs, and `spare` keeps the unused second number of
/// a pair for the next call.
pub(super) fn normals<R: RngCore + ?Sized>(
    words: &mut R,
    spare: &mut Option<f64>,
    count: usize,
    mean: f64,
    std: f64,
) -> Vec<f32> {
    if count < BLOCK {
        let draw = |_| single_normal(words, spare).mul_add(std, mean) as f32;
        return (0..count).map(draw).collect();
    }
    let numbers = uniforms(words, count, 0.0, 1.0);
    let (mean, std) = (mean as f32, std as f32);
    in_blocks(
        numbers,
        || uniform_f32(words),
        |u1, u2| box_muller::pair(u1, u2, mean, std),
    )
}

/// Like [`normals`], but in f64.
pub(super) fn normals_f64<R: RngCore + ?Sized>(
    words: &mut R,
    spare: &mut Option<f64>,
    count: usize,
    mean: f64,
    std: f64,
) -> Vec<f64> {
    if count < BLOCK {
        let draw = |_| single_normal(words, spare).mul_add(std, mean);
        return (0..count).map(draw).collect();
    }
    let numbers = uniforms_f64(words, count, 0.0, 1.0);
    in_blocks(
        numbers,
        || uniform_f64(words),
        |u1, u2| {
            let radius = (-2.0 * ln(1.0 - u1)).sqrt();
            let (sin, cos) = sin_cos(TAU * u2);
            (
                (radius * cos).mul_add(std, mean),
                (radius * sin).mul_add(std, mean),
            )
        },
    )
}

/// One of a pair of normals; the other is kept in `spare`.
fn single_normal<R: RngCore + ?Sized>(words: &mut R, spare: &mut Option<f64>) -> f64 {
    if let Some(spare) = spare.take() {
        return spare;
    }
    let (sin, cos) = sin_cos(TAU * uniform_f64(words));
    let radius = (-2.0 * ln_1p(-uniform_f64(words))).sqrt();
    *spare = Some(radius * sin);
    radius * cos
}

/// Turns uniform numbers into normal ones, block by block: within a block, numbers `i` and
/// `i + 8` form a pair. If the last block is not full, it overlaps the one before, and its
/// numbers are drawn again.
fn in_blocks<A: Copy>(
    mut numbers: Vec<A>,
    mut draw: impl FnMut() -> A,
    pair: impl Fn(A, A) -> (A, A),
) -> Vec<A> {
    let to_normals = |block: &mut [A]| {
        let (first, second) = block.split_at_mut(BLOCK / 2);
        for (first, second) in first.iter_mut().zip(second) {
            (*first, *second) = pair(*first, *second);
        }
    };
    numbers.chunks_exact_mut(BLOCK).for_each(to_normals);
    if !numbers.len().is_multiple_of(BLOCK) {
        let start = numbers.len() - BLOCK;
        let last = &mut numbers[start..];
        last.fill_with(&mut draw);
        to_normals(last);
    }
    numbers
}
