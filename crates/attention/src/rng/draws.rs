//! PyTorch's numbers from 32-bit words.

use super::box_muller;
use ndarray_rand::rand::RngCore;
use std::f64::consts::TAU;

/// From this many numbers on normals are made in blocks, of this many.
const BLOCK: usize = 16;

/// A uniform number of the low 24 bits of a word.
pub(crate) fn uniform_f32<R: RngCore + ?Sized>(words: &mut R) -> f32 {
    (words.next_u32() & 0xff_ffff) as f32 / 16_777_216.0
}

/// A uniform number of the low 53 bits of two words.
fn uniform_f64<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    (words.next_u64() & ((1 << 53) - 1)) as f64 / (1_u64 << 53) as f64
}

/// A uniform number between two bounds. Rounding may hit the upper one, which is
/// excluded; like PyTorch 2.15 this then takes the lower one.
pub(crate) fn uniform_between<R: RngCore + ?Sized>(words: &mut R, low: f32, high: f32) -> f32 {
    let number = box_muller::fma(uniform_f32(words), high - low, low);
    if number == high { low } else { number }
}

pub(crate) fn uniforms<R: RngCore + ?Sized>(
    words: &mut R,
    count: usize,
    low: f32,
    high: f32,
) -> Vec<f32> {
    (0..count)
        .map(|_| uniform_between(words, low, high))
        .collect()
}

/// Ones with probability `p`, else zeros.
pub(crate) fn coins<R: RngCore + ?Sized>(words: &mut R, count: usize, p: f64) -> Vec<f32> {
    (0..count)
        .map(|_| f32::from(u8::from(uniform_f64(words) < p)))
        .collect()
}

pub(crate) fn exponentials<R: RngCore + ?Sized>(
    words: &mut R,
    count: usize,
    rate: f64,
) -> Vec<f32> {
    (0..count)
        .map(|_| (-1.0 / rate * (-uniform_f64(words)).ln_1p()) as f32)
        .collect()
}

/// Normal numbers; `spare` is the second of the last pair that was made for single
/// numbers.
pub(crate) fn normals<R: RngCore + ?Sized>(
    words: &mut R,
    spare: &mut Option<f64>,
    count: usize,
    mean: f64,
    std: f64,
) -> Vec<f32> {
    if count < BLOCK {
        let draw = |_| (normal_f64(words, spare) * std + mean) as f32;
        return (0..count).map(draw).collect();
    }
    let mut numbers = uniforms(words, count, 0.0, 1.0);
    let (mean, std) = (mean as f32, std as f32);
    for block in numbers.chunks_exact_mut(BLOCK) {
        to_normals(block, mean, std);
    }
    if !count.is_multiple_of(BLOCK) {
        // The last block overlaps the one before; its numbers are drawn anew.
        let last = &mut numbers[count - BLOCK..];
        last.copy_from_slice(&uniforms(words, BLOCK, 0.0, 1.0));
        to_normals(last, mean, std);
    }
    numbers
}

/// One of a pair of normals; the other is kept in `spare`.
fn normal_f64<R: RngCore + ?Sized>(words: &mut R, spare: &mut Option<f64>) -> f64 {
    if let Some(spare) = spare.take() {
        return spare;
    }
    let angle = TAU * uniform_f64(words);
    let radius = (-2.0 * (-uniform_f64(words)).ln_1p()).sqrt();
    *spare = Some(radius * angle.sin());
    radius * angle.cos()
}

/// Turns a block of uniforms into normals: number `i` and number `i + 8` are a
/// pair.
fn to_normals(block: &mut [f32], mean: f32, std: f32) {
    let (first, second) = block.split_at_mut(BLOCK / 2);
    for (first, second) in first.iter_mut().zip(second) {
        (*first, *second) = box_muller::pair(*first, *second, mean, std);
    }
}
