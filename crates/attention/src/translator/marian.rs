//! Reads tensors from a file written by Marian, the program that trained the model.
//!
//! Source: <https://github.com/marian-nmt/marian-dev>, `src/common/binary.cpp`; for `intgemm8`,
//! `src/tensors/cpu/integer_common.h`.

use crate::numerics::bytes::Bytes;
use ndarray::{Array1, Array2};
use std::collections::HashMap;

/// Marian's codes for number types: f32, and i8 with a common divisor.
const F32: usize = 0x0404;
const INTGEMM8: usize = 0x4101;

/// Tensors by name.
pub struct Tensors<'a>(HashMap<&'a str, Tensor<'a>>);

struct Tensor<'a> {
    kind: usize,
    shape: Vec<usize>,
    data: &'a [u8],
}

/// A matrix of integers that stand for `integer / divisor`.
pub struct Quantised {
    pub integers: Array2<i8>,
    pub divisor: f32,
}

impl<'a> Tensors<'a> {
    /// Finds the tensors in a file, which begins with a table of them, followed by their names,
    /// their shapes, and their numbers.
    pub fn read(file: &'a [u8]) -> Result<Tensors<'a>, String> {
        let mut bytes = Bytes(file);
        let version = bytes.size()?;
        if version != 1 {
            return Err(format!("its version is {version}, not 1"));
        }
        let count = bytes.size()?;
        // Grows row by row, so that a count too large for the file is an error and does not use up
        // all memory.
        let mut table = Vec::new();
        for _ in 0..count {
            table.push([bytes.size()?, bytes.size()?, bytes.size()?, bytes.size()?]);
        }
        let mut names = Vec::new();
        for [name_length, ..] in &table {
            let name = str::from_utf8(bytes.take(*name_length)?).map_err(|e| e.to_string())?;
            names.push(name.trim_end_matches('\0'));
        }
        let mut shapes = Vec::new();
        for [_, _, dimensions, _] in &table {
            let mut shape = Vec::new();
            for _ in 0..*dimensions {
                shape.push(bytes.u32()? as usize);
            }
            shapes.push(shape);
        }
        let padding = bytes.size()?;
        bytes.take(padding)?;
        let mut tensors = HashMap::new();
        for (([_, kind, _, length], name), shape) in table.into_iter().zip(names).zip(shapes) {
            let data = bytes.take(length)?;
            tensors.insert(name, Tensor { kind, shape, data });
        }
        Ok(Tensors(tensors))
    }

    /// A vector of f32, which the file stores as a matrix of one row.
    pub fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, String> {
        let data = self.data(name, F32, [1, length], length * size_of::<f32>())?;
        let (numbers, _) = data.as_chunks::<4>();
        Ok(numbers
            .iter()
            .map(|number| f32::from_le_bytes(*number))
            .collect())
    }

    /// The matrix of a linear layer, (out, in). The file gives its shape as (in, out), but stores
    /// the rows of (out, in).
    pub fn matrix(&self, name: &str, (out, inputs): (usize, usize)) -> Result<Array2<f32>, String> {
        let Quantised { integers, divisor } = self.quantised(name, [inputs, out])?;
        let numbers = integers.mapv(|integer| f32::from(integer) / divisor);
        Ok(numbers
            .into_shape_with_order((out, inputs))
            .expect("as many numbers"))
    }

    /// A matrix in row-major order, as integers.
    pub fn quantised(&self, name: &str, shape: [usize; 2]) -> Result<Quantised, String> {
        let count = shape[0] * shape[1];
        // The divisor comes directly after the integers.
        let data = self.data(name, INTGEMM8, shape, count + size_of::<f32>())?;
        let (integers, divisor) = data.split_at(count);
        let integers = integers.iter().map(|&byte| byte as i8).collect();
        Ok(Quantised {
            integers: Array2::from_shape_vec(shape, integers).expect("as many integers"),
            divisor: Bytes(divisor).f32()?,
        })
    }

    /// The bytes of a tensor, which must be of this kind and shape.
    fn data(
        &self,
        name: &str,
        kind: usize,
        shape: [usize; 2],
        length: usize,
    ) -> Result<&'a [u8], String> {
        let missing = || format!("it has no tensor {name}");
        let tensor = self.0.get(name).ok_or_else(missing)?;
        if tensor.kind != kind || tensor.shape != shape {
            return Err(format!(
                "its tensor {name} is of type {:#x} and {:?}, not of type {kind:#x} and {shape:?}",
                tensor.kind, tensor.shape
            ));
        }
        let short = || {
            format!(
                "its tensor {name} has {} bytes, not {length}",
                tensor.data.len()
            )
        };
        tensor.data.get(..length).ok_or_else(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// A file with `W`, whose shape it gives as (3, 2), and `b`, (1, 2).
    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        let integers = |integers: &[u64]| -> Vec<u8> {
            integers
                .iter()
                .flat_map(|integer| integer.to_le_bytes())
                .collect()
        };
        file.extend(integers(&[1, 2]));
        file.extend(integers(&[2, INTGEMM8 as u64, 2, 12]));
        file.extend(integers(&[2, F32 as u64, 2, 8]));
        file.extend(b"W\0b\0");
        for dimension in [3_i32, 2, 1, 2] {
            file.extend(dimension.to_le_bytes());
        }
        file.extend(integers(&[3]));
        file.extend([0; 3]);
        file.extend([2_i8, 4, -6, 0, 1, 127].map(|integer| integer as u8));
        file.extend(2_f32.to_le_bytes());
        file.extend([0; 2]); // padding up to the length in the table
        file.extend([0.5_f32, -1.0].map(f32::to_le_bytes).as_flattened());
        file
    }

    #[test]
    fn tensors_are_read_by_name_and_shape() {
        let file = file();
        let tensors = Tensors::read(&file).expect("a file");
        let weight = tensors.matrix("W", (2, 3)).expect("a matrix");
        assert_eq!(weight, array![[1.0, 2.0, -3.0], [0.0, 0.5, 63.5]]);
        let quantised = tensors.quantised("W", [3, 2]).expect("a matrix");
        assert_eq!(quantised.integers, array![[2, 4], [-6, 0], [1, 127]]);
        assert_eq!(quantised.divisor, 2.0);
        assert_eq!(tensors.vector("b", 2), Ok(array![0.5, -1.0]));
    }

    #[test]
    fn a_tensor_of_another_kind_is_refused() {
        let file = file();
        let tensors = Tensors::read(&file).expect("a file");
        assert_eq!(tensors.vector("c", 2).unwrap_err(), "it has no tensor c");
        assert_eq!(
            tensors.matrix("W", (3, 2)).unwrap_err(),
            "its tensor W is of type 0x4101 and [3, 2], not of type 0x4101 and [2, 3]"
        );
        assert!(tensors.vector("W", 2).is_err());
        assert!(tensors.matrix("b", (2, 1)).is_err());
    }

    #[test]
    fn a_damaged_file_is_an_error_and_takes_no_memory() {
        let file = file();
        for end in 0..file.len() {
            assert!(Tensors::read(&file[..end]).is_err(), "{end} bytes");
        }
        // Makes the count and the numbers in the table huge, one at a time.
        for place in (8..80).step_by(8) {
            let mut wrong = file.clone();
            wrong[place..place + 8].copy_from_slice(&u64::MAX.to_le_bytes());
            let read = |tensors: Tensors| {
                tensors.matrix("W", (2, 3))?;
                tensors.vector("b", 2)
            };
            assert!(Tensors::read(&wrong).and_then(read).is_err(), "{place}");
        }
        let mut other = file;
        other[0] = 2;
        assert_eq!(
            Tensors::read(&other).err().expect("an error"),
            "its version is 2, not 1"
        );
    }
}
