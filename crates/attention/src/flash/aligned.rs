//! Aligned buffers for tiles, and functions that copy rows into them.

use crate::numerics::simd::{LANES, simd};
use crate::numerics::transpose::transpose;

/// A buffer of zeros that starts at a cache-line boundary, so that no register load straddles
/// two lines.
pub(super) struct AlignedBuffer {
    numbers: Vec<f32>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    pub(super) fn new(length: usize) -> AlignedBuffer {
        let numbers = vec![0.0; length + LANES];
        let start = numbers.as_ptr().align_offset(LANES * size_of::<f32>());
        // `align_offset` may give up; alignment only affects speed.
        let start = if start <= LANES { start } else { 0 };
        AlignedBuffer {
            numbers,
            start,
            length,
        }
    }

    pub(super) fn as_slice(&self) -> &[f32] {
        &self.numbers[self.start..self.start + self.length]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..self.start + self.length]
    }
}

/// The width of a padded row: `columns` rounded up to a multiple of [`LANES`].
pub(super) fn padded(columns: usize) -> usize {
    columns.next_multiple_of(LANES)
}

/// Writes `rows`, (rows, width), multiplied by `factor`, to `columns` as (width, lanes): each
/// row becomes a column. Columns without a row become 0.
pub(super) fn transpose_scaled(
    rows: &[f32],
    width: usize,
    factor: f32,
    columns: &mut [f32],
    lanes: usize,
) {
    let columns = &mut columns[..width * lanes];
    if rows.len() < columns.len() {
        columns.fill(0.0);
    }
    let height = rows.len() / width;
    transpose(rows, width, (height, width), columns, lanes);
    simd(
        #[inline(always)]
        || columns.iter_mut().for_each(|number| *number *= factor),
    );
}

/// Writes `rows`, (rows, width), to `into` as (rows, padded(width)).
pub(super) fn copy_padded(rows: &[f32], width: usize, into: &mut [f32]) {
    let lanes = padded(width);
    for (to, from) in into.chunks_exact_mut(lanes).zip(rows.chunks_exact(width)) {
        to[..width].copy_from_slice(from);
    }
}
