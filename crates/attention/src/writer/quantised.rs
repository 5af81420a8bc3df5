//! Matrices in 4 or 8 bits, multiplied as they lie in the file.

use super::blocks::{NUMBERS, from_half, unpack_q4_1, unpack_q8_0};
use super::gguf::{Format, Tensor};
use crate::numerics::parallel::for_each_with;
use crate::numerics::product::{Left, Store, product};
use crate::numerics::simd::simd;
use crate::numerics::transpose::transpose;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use std::ops::Range;
use std::sync::Arc;

/// The bytes of a file, shared by its matrices.
pub(super) type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Up to this many vectors are multiplied one by one; for more, the rows are unpacked first.
const FEW: usize = 4;
/// How many rows are unpacked at once: with them, a thread stays in its own cache.
const BAND: usize = 48;
/// The same for single vectors, which need no memory for it: enough to be worth waking a thread.
const ROWS: usize = 96;
/// Blocks whose factors are unpacked together, a multiple of the numbers in a register.
const TOGETHER: usize = 48;

/// A matrix of 32 numbers a block, row by row. See [`unpack_q4_1`] and [`unpack_q8_0`].
#[derive(Clone)]
pub(super) struct Quantised {
    file: Bytes,
    bytes: Range<usize>,
    format: Format,
    rows: usize,
    columns: usize,
}

impl Quantised {
    /// The matrix of a tensor with two axes in 4 or 8 bits, whose bytes are in `file`.
    pub fn new(file: &Bytes, tensor: &Tensor) -> Quantised {
        let &[rows, columns] = &tensor.shape[..] else {
            panic!("a matrix has two axes")
        };
        assert!(tensor.format != Format::F32, "a matrix in 4 or 8 bits");
        Quantised {
            file: file.clone(),
            bytes: tensor.bytes.clone(),
            format: tensor.format,
            rows,
            columns,
        }
    }

    /// The blocks of some rows.
    fn bytes(&self, rows: Range<usize>) -> &[u8] {
        let (numbers, bytes) = self.format.block();
        let row = self.columns / numbers * bytes;
        let matrix = &(*self.file).as_ref()[self.bytes.clone()];
        &matrix[rows.start * row..rows.end * row]
    }

    /// One row, (C,).
    pub fn row(&self, row: usize) -> Array1<f32> {
        let mut numbers = vec![0.0; self.columns];
        self.unpack(row..row + 1, &mut numbers);
        Array1::from(numbers)
    }

    /// Writes rows, (rows, C).
    fn unpack(&self, rows: Range<usize>, into: &mut [f32]) {
        let bytes = self.bytes(rows);
        let into = into.as_chunks_mut::<NUMBERS>().0;
        simd(
            #[inline(always)]
            || match self.format {
                Format::Q4_1 => {
                    for (numbers, block) in into.iter_mut().zip(bytes.as_chunks().0) {
                        *numbers = unpack_q4_1(block);
                    }
                }
                _ => {
                    for (numbers, block) in into.iter_mut().zip(bytes.as_chunks().0) {
                        *numbers = unpack_q8_0(block);
                    }
                }
            },
        );
    }

    /// Writes the product of some rows with one vector.
    fn times_vector(&self, rows: Range<usize>, x: &Vector, y: &mut [f32]) {
        let blocks = self.columns / NUMBERS;
        let bytes = self.bytes(rows);
        simd(
            #[inline(always)]
            || match self.format {
                Format::Q4_1 => {
                    let rows = bytes.as_chunks::<20>().0.chunks_exact(blocks);
                    for (y, row) in y.iter_mut().zip(rows) {
                        *y = dot_q4_1(row, x);
                    }
                }
                _ => {
                    let rows = bytes.as_chunks::<34>().0.chunks_exact(blocks);
                    for (y, row) in y.iter_mut().zip(rows) {
                        *y = dot_q8_0(row, x);
                    }
                }
            },
        );
    }
}

/// `x weightᵀ` for several matrices with the same input: x is (T, in), the results (T, out).
///
/// PyTorch: `[F.linear(x, weight) for weight in weights]`
pub(super) fn products<const N: usize>(
    x: &ArrayRef2<f32>,
    weights: [&Quantised; N],
) -> [Array2<f32>; N] {
    match x.nrows() <= FEW {
        true => one_by_one(x, weights),
        false => all_together(x, weights),
    }
}

/// Unpacks no weight: each block is multiplied as it is read.
fn one_by_one<const N: usize>(x: &ArrayRef2<f32>, weights: [&Quantised; N]) -> [Array2<f32>; N] {
    let vectors: Vec<Vector> = x.outer_iter().map(|x| Vector::new(x.iter())).collect();
    let mut results = weights.map(|weight| Array2::zeros((vectors.len(), weight.rows)));
    let mut bands = Vec::new();
    for (weight, result) in weights.iter().zip(&mut results) {
        for (x, y) in vectors.iter().zip(result.rows_mut()) {
            let y = y.into_slice().expect("a row").chunks_mut(ROWS);
            bands.extend(y.enumerate().map(|(band, y)| (weight, x, band * ROWS, y)));
        }
    }
    for_each_with(
        bands,
        || (),
        |(), (weight, x, first, y)| {
            weight.times_vector(first..first + y.len(), x, y);
        },
    );
    results
}

/// Unpacks a band of rows, which all tokens then share.
fn all_together<const N: usize>(x: &ArrayRef2<f32>, weights: [&Quantised; N]) -> [Array2<f32>; N] {
    let (tokens, inputs) = x.dim();
    let x = x.as_standard_layout();
    let mut turned = vec![0.0; x.len()];
    let numbers = x.as_slice().expect("rows side by side");
    transpose(numbers, inputs, (tokens, inputs), &mut turned, tokens);
    let mut results = weights.map(|weight| Array2::zeros((weight.rows, tokens)));
    let mut bands = Vec::new();
    for (weight, result) in weights.iter().zip(&mut results) {
        let bands_of_one = result.axis_chunks_iter_mut(Axis(0), BAND);
        bands.extend(
            bands_of_one
                .enumerate()
                .map(|(band, y)| (weight, band * BAND, y)),
        );
    }
    for_each_with(
        bands,
        || vec![0.0; BAND * inputs],
        |unpacked, (weight, first, mut y)| {
            let rows = y.nrows();
            let unpacked = &mut unpacked[..rows * inputs];
            weight.unpack(first..first + rows, unpacked);
            let left = Left::of(unpacked, inputs, rows, inputs);
            let y = y.as_slice_mut().expect("whole rows");
            product(left, &turned, y, tokens, Store::Overwrite);
        },
    );
    results.map(|result| rows_of_tokens(&result))
}

/// (out, T) to (T, out).
fn rows_of_tokens(result: &Array2<f32>) -> Array2<f32> {
    let (outputs, tokens) = result.dim();
    let mut turned = vec![0.0; result.len()];
    let numbers = result.as_slice().expect("rows side by side");
    transpose(numbers, tokens, (outputs, tokens), &mut turned, outputs);
    Array2::from_shape_vec((tokens, outputs), turned).expect("as many numbers")
}

/// A vector in blocks, with what all rows need of it.
struct Vector {
    blocks: Vec<[f32; NUMBERS]>,
    /// The sum of each block, up to a multiple of [`TOGETHER`].
    sums: Vec<f32>,
}

impl Vector {
    fn new<'a>(numbers: impl Iterator<Item = &'a f32>) -> Vector {
        let numbers: Vec<f32> = numbers.copied().collect();
        let blocks = numbers.as_chunks::<NUMBERS>().0.to_vec();
        let mut sums: Vec<f32> = blocks.iter().map(|block| block.iter().sum()).collect();
        sums.resize(blocks.len().next_multiple_of(TOGETHER), 0.0);
        Vector { blocks, sums }
    }
}

/// Half a block.
const LANES: usize = 16;

/// Σ step · (Σ level · x) + lowest · (Σ x): the levels are never unpacked to memory.
#[inline(always)]
fn dot_q4_1(row: &[[u8; 20]], x: &Vector) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let parts = row.chunks(TOGETHER).zip(x.blocks.chunks(TOGETHER));
    for ((row, x), x_sums) in parts.zip(x.sums.as_chunks::<TOGETHER>().0) {
        let (mut steps, mut lowest) = ([0_u16; TOGETHER], [0_u16; TOGETHER]);
        for (i, block) in row.iter().enumerate() {
            steps[i] = u16::from_le_bytes([block[0], block[1]]);
            lowest[i] = u16::from_le_bytes([block[2], block[3]]);
        }
        let steps = steps.map(from_half);
        for (lowest, x_sums) in lowest.chunks_exact(LANES).zip(x_sums.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] = from_half(lowest[lane]).mul_add(x_sums[lane], sums[lane]);
            }
        }
        for ((block, x), step) in row.iter().zip(x).zip(steps) {
            for lane in 0..LANES {
                let levels = block[4 + lane];
                let low = f32::from(levels & 15) * x[lane];
                let both = f32::from(levels >> 4).mul_add(x[LANES + lane], low);
                sums[lane] = step.mul_add(both, sums[lane]);
            }
        }
    }
    sum(sums)
}

/// Σ step · (Σ level · x).
#[inline(always)]
fn dot_q8_0(row: &[[u8; 34]], x: &Vector) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (row, x) in row.chunks(TOGETHER).zip(x.blocks.chunks(TOGETHER)) {
        let mut steps = [0_u16; TOGETHER];
        for (i, block) in row.iter().enumerate() {
            steps[i] = u16::from_le_bytes([block[0], block[1]]);
        }
        let steps = steps.map(from_half);
        for ((block, x), step) in row.iter().zip(x).zip(steps) {
            for lane in 0..LANES {
                let level = |i: usize| f32::from(block[2 + i] as i8);
                let low = level(lane) * x[lane];
                let both = level(LANES + lane).mul_add(x[LANES + lane], low);
                sums[lane] = step.mul_add(both, sums[lane]);
            }
        }
    }
    sum(sums)
}

#[inline(always)]
fn sum(mut sums: [f32; LANES]) -> f32 {
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// A matrix of made-up blocks, and the same unpacked.
    fn matrix(format: Format, rows: usize, columns: usize) -> (Quantised, Array2<f32>) {
        let (numbers, block) = format.block();
        let count = rows * columns / numbers;
        let byte = |i: usize| match i % block {
            1 | 3 => 0x30 + (i / block % 7) as u8 + 128 * (i / block % 2) as u8,
            at => (at * 37 + i / block * 11) as u8,
        };
        let bytes: Vec<u8> = (0..count * block).map(byte).collect();
        let file: Bytes = Arc::new(bytes);
        let tensor = Tensor {
            format,
            shape: vec![rows, columns],
            bytes: 0..count * block,
        };
        let matrix = Quantised::new(&file, &tensor);
        let unpacked = (0..rows).flat_map(|row| matrix.row(row)).collect();
        let unpacked = Array2::from_shape_vec((rows, columns), unpacked).expect("all rows");
        (matrix, unpacked)
    }

    #[test]
    fn products_with_packed_rows_are_those_with_unpacked_ones() {
        for format in [Format::Q4_1, Format::Q8_0] {
            for (tokens, rows, columns) in [
                (1, 1, 32),
                (1, 97, 576),
                (2, 5, 1536),
                (3, 200, 64),
                (FEW + 1, 49, 96),
                (17, 48, 1600),
                (40, 130, 64),
            ] {
                let (packed, unpacked) = matrix(format, rows, columns);
                let number = |(i, j)| ((i * 31 + j * 17) % 23) as f32 / 7.0 - 1.5;
                let x = Array2::from_shape_fn((tokens, columns), number);
                let [_, y] = &products(&x, [&packed, &packed]);
                let expected = x.dot(&unpacked.t());
                let largest = expected.iter().fold(0.0_f32, |most, y| most.max(y.abs()));
                assert_eq!(y.dim(), (tokens, rows));
                for (y, expected) in y.iter().zip(&expected) {
                    let apart = (y - expected).abs();
                    assert!(
                        apart <= 2e-6 * largest * 8.0,
                        "{format:?} {rows} {columns}: {apart}"
                    );
                }
            }
        }
    }
}
