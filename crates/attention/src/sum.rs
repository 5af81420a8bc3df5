//! Sums with the last digit of PyTorch's.

use ndarray::{ArrayRef, Dimension};

/// So many partial sums a vector of PyTorch's has.
const LANES: usize = 8;
/// To so many vectors it adds in turn.
const STREAMS: usize = 4;
/// So many levels of partial sums keep the rounding error small.
const LEVELS: usize = 4;

/// The sum of all values, added up in the order in which PyTorch adds them, and so
/// with the same last digit.
///
/// `values` has any shape. A sum of f32 depends on its order: `values.sum()` of
/// ndarray takes another one, and may differ in the last digit.
///
/// PyTorch: `values.sum()` (on the CPU, for arrays of up to 32768 values, which it
/// adds up in one thread)
///
/// Source in PyTorch: `aten/src/ATen/native/cpu/SumKernel.cpp`
///
/// ```
/// use attention::sum;
/// use ndarray::array;
///
/// assert_eq!(sum(&array![[1.0, 2.0], [3.0, 4.0]]), 10.0);
/// ```
pub fn sum<D: Dimension>(values: &ArrayRef<f32, D>) -> f32 {
    sum_of(&values.iter().copied().collect::<Vec<f32>>())
}

fn sum_of(values: &[f32]) -> f32 {
    if values.len() < LANES {
        let single: Vec<[f32; 1]> = values.iter().map(|&value| [value]).collect();
        return sum_of_vectors(&single)[0];
    }
    let (vectors, rest) = values.as_chunks::<LANES>();
    let lanes = sum_of_vectors(vectors);
    let rest = rest.iter().fold(0.0, |sum, value| sum + value);
    lanes.iter().fold(rest, |sum, lane| sum + lane)
}

/// Every fourth vector goes to the same stream; the streams are added at the end.
fn sum_of_vectors<const N: usize>(vectors: &[[f32; N]]) -> [f32; N] {
    let (rows, rest) = vectors.as_chunks::<STREAMS>();
    let mut streams = sum_of_rows(rows);
    for vector in rest {
        add(&mut streams[0], vector);
    }
    let [mut sum, others @ ..] = streams;
    for other in &others {
        add(&mut sum, other);
    }
    sum
}

/// A cascade: after so many rows the lowest level is added to the next and starts
/// again at 0, as the digits of a counter do.
fn sum_of_rows<const N: usize>(rows: &[[[f32; N]; STREAMS]]) -> [[f32; N]; STREAMS] {
    let digits = rows.len().next_power_of_two().trailing_zeros() as usize;
    let bits = (digits / LEVELS).max(4);
    let step = 1 << bits;
    let mut levels = [[[0.0; N]; STREAMS]; LEVELS];
    let blocks = rows.chunks_exact(step);
    let rest = blocks.remainder();
    for (block, rows) in blocks.enumerate() {
        add_rows(&mut levels[0], rows);
        let counter = (block + 1) << bits;
        for level in 1..LEVELS {
            let lower = std::mem::replace(&mut levels[level - 1], [[0.0; N]; STREAMS]);
            add_rows(&mut levels[level], &[lower]);
            if counter & ((step - 1) << (level * bits)) != 0 {
                break;
            }
        }
    }
    add_rows(&mut levels[0], rest);
    let [mut sum, higher @ ..] = levels;
    add_rows(&mut sum, &higher);
    sum
}

fn add_rows<const N: usize>(sums: &mut [[f32; N]; STREAMS], rows: &[[[f32; N]; STREAMS]]) {
    for row in rows {
        for (sum, vector) in sums.iter_mut().zip(row) {
            add(sum, vector);
        }
    }
}

fn add<const N: usize>(sum: &mut [f32; N], vector: &[f32; N]) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::numpy::RandomState;

    #[test]
    fn sums_have_the_last_digit_of_pytorch() {
        let golden = include_str!("../tests/golden/sums.json");
        let golden: serde_json::Value = serde_json::from_str(golden).expect("JSON");
        let sums = golden["values"]["sum of randn(n), seed n"]
            .as_object()
            .expect("an object");
        assert_eq!(sums.len(), 24);
        for (length, expected) in sums {
            let length: u32 = length.parse().expect("a length");
            let values = RandomState::new(length)
                .randn(length as usize)
                .mapv(|value| value as f32);
            let expected = expected.as_f64().expect("a number") as f32;
            assert_eq!(sum(&values), expected, "{length} values");
        }
    }
}
