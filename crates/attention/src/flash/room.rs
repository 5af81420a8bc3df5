//! Memory for tiles, and how numbers get into it.

use crate::numerics::simd::LANES;

/// Zeros that begin at the beginning of a line of the cache, so that no register is
/// read from two lines.
pub(super) struct Room {
    numbers: Vec<f32>,
    start: usize,
    length: usize,
}

impl Room {
    pub(super) fn new(length: usize) -> Room {
        let numbers = vec![0.0; length + LANES];
        let start = numbers.as_ptr().align_offset(LANES * size_of::<f32>());
        // `align_offset` may refuse, and the alignment matters to the time only.
        let start = if start <= LANES { start } else { 0 };
        Room {
            numbers,
            start,
            length,
        }
    }

    pub(super) fn numbers(&self) -> &[f32] {
        &self.numbers[self.start..self.start + self.length]
    }

    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..self.start + self.length]
    }
}

/// The next multiple of [`LANES`].
pub(super) fn whole(columns: usize) -> usize {
    columns.next_multiple_of(LANES)
}

/// Writes `rows`, (rows, width), times `factor` to `columns` as (width, lanes): each
/// row becomes a column. Columns without a row become 0.
pub(super) fn turn(rows: &[f32], width: usize, factor: f32, columns: &mut [f32], lanes: usize) {
    let columns = &mut columns[..width * lanes];
    if rows.len() < columns.len() {
        columns.fill(0.0);
    }
    for (lane, row) in rows.chunks_exact(width).enumerate() {
        for (channel, number) in row.iter().enumerate() {
            columns[channel * lanes + lane] = number * factor;
        }
    }
}

/// Writes `rows`, (rows, width), to `padded` as (rows, whole(width)).
pub(super) fn pad(rows: &[f32], width: usize, padded: &mut [f32]) {
    let lanes = whole(width);
    for (to, from) in padded.chunks_exact_mut(lanes).zip(rows.chunks_exact(width)) {
        to[..width].copy_from_slice(from);
    }
}
