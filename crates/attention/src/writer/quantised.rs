//! Matrices with 4 or 8 bits per number, kept in the format of the file and unpacked only in small
//! parts, while they are multiplied.

use super::blocks::{NUMBERS, unpack_q4_1, unpack_q8_0};
use super::gguf::{Format, Tensor};
use super::packed_rows::{Factors, TimesVector, Unpack, Vector, order};
use crate::model_files::mapped_file::Bytes;
use crate::numerics::parallel::for_each_with;
use crate::numerics::product::{Left, Store, product};
use crate::numerics::simd::registers;
use crate::numerics::transpose::transpose;
use ndarray::{Array1, Array2, ArrayRef2, ArrayView1, Axis};
use std::ops::Range;

/// Up to this many vectors are multiplied one by one; for more, the rows are unpacked first.
const FEW: usize = 3;
/// Rows unpacked at once: few enough to stay in a thread's own cache.
const BAND: usize = 48;
/// Rows per task for single vectors, where rows stay packed: enough to be worth waking a thread.
const ROWS: usize = 96;
/// Terms summed before their sum is added to the total: summing 1,536 terms one by one would lose a
/// digit.
const DEPTH: usize = 128;

/// A row-major matrix in blocks of 32 numbers. See [`unpack_q4_1`] and [`unpack_q8_0`].
#[derive(Clone)]
pub(super) struct Quantised {
    file: Bytes,
    bytes: Range<usize>,
    format: Format,
    rows: usize,
    columns: usize,
}

impl Quantised {
    /// The matrix of a tensor with two axes and 4 or 8 bits per number, whose bytes are in `file`.
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

    /// The packed bytes of some rows.
    fn bytes(&self, rows: Range<usize>) -> &[u8] {
        let (numbers, bytes) = self.format.block();
        let row = self.columns / numbers * bytes;
        let matrix = &(*self.file).as_ref()[self.bytes.clone()];
        &matrix[rows.start * row..rows.end * row]
    }

    /// One row, (C,).
    pub fn row(&self, row: usize) -> Array1<f32> {
        let bytes = self.bytes(row..row + 1);
        match self.format {
            Format::Q4_1 => bytes.as_chunks().0.iter().flat_map(unpack_q4_1).collect(),
            _ => bytes.as_chunks().0.iter().flat_map(unpack_q8_0).collect(),
        }
    }
}

/// `x weightᵀ` for several matrices of the same format: x is (T, in), the results (T, out).
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

/// Multiplies each block as it is read, without storing unpacked weights.
fn one_by_one<const N: usize>(x: &ArrayRef2<f32>, weights: [&Quantised; N]) -> [Array2<f32>; N] {
    let x = x.as_standard_layout();
    let format = weights[0].format;
    let vector = |x: ArrayView1<f32>| Vector::new(x.as_slice().expect("a row"), format);
    let vectors: Vec<Vector> = x.outer_iter().map(vector).collect();
    let mut results = weights.map(|weight| Array2::zeros((vectors.len(), weight.rows)));
    let mut bands = Vec::new();
    for (weight, result) in weights.iter().zip(&mut results) {
        for (x, y) in vectors.iter().zip(result.rows_mut()) {
            let y = y.into_slice().expect("a row").chunks_mut(ROWS);
            bands.extend(y.enumerate().map(|(band, y)| (weight, x, band * ROWS, y)));
        }
    }
    for_each_with(bands, Factors::default, |factors, (weight, x, first, y)| {
        registers().dispatch(TimesVector {
            format: weight.format,
            rows: weight.bytes(first..first + y.len()),
            x,
            factors,
            y,
        });
    });
    results
}

/// Unpacks each band of rows once, and multiplies it with all tokens.
fn all_together<const N: usize>(x: &ArrayRef2<f32>, weights: [&Quantised; N]) -> [Array2<f32>; N] {
    let (tokens, inputs) = x.dim();
    let order = order(weights[0].format);
    let mut turned = Vec::with_capacity(x.len());
    for block in 0..inputs / NUMBERS {
        for number in order {
            turned.extend(x.column(block * NUMBERS + number));
        }
    }
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
            registers().dispatch(Unpack {
                format: weight.format,
                blocks: weight.bytes(first..first + rows),
                into: &mut *unpacked,
            });
            let left = Left::of(unpacked, inputs, rows, inputs);
            let y = y.as_slice_mut().expect("whole rows");
            for (part, x) in turned.chunks(DEPTH * tokens).enumerate() {
                let depth = x.len() / tokens;
                let left = left.some_depth(part * DEPTH, depth);
                product(left, x, y, tokens, Store::Accumulate);
            }
        },
    );
    results.map(|result| rows_of_tokens(&result))
}

/// Transposes (out, T) to (T, out).
fn rows_of_tokens(result: &Array2<f32>) -> Array2<f32> {
    let (outputs, tokens) = result.dim();
    let mut turned = vec![0.0; result.len()];
    let numbers = result.as_slice().expect("rows side by side");
    transpose(numbers, tokens, (outputs, tokens), &mut turned, outputs);
    Array2::from_shape_vec((tokens, outputs), turned).expect("as many numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use std::sync::Arc;

    /// A matrix of made-up blocks, and the same matrix unpacked.
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
