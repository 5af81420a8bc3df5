//! f32 tensors from a safetensors file, read one after another.

use safetensors::tensor::{Dtype, Metadata};
use std::collections::HashMap;
use std::io::Read;

/// Maximum size of the header in bytes: more than the model's names and shapes need.
const LARGEST_HEADER: u64 = 1 << 20;
/// Bytes per read.
const CHUNK: usize = 1 << 16;

/// The shapes and numbers of tensors, by name.
pub struct Tensors(HashMap<String, (Vec<usize>, Vec<f32>)>);

impl Tensors {
    /// Reads all f32 tensors whose names are `wanted`.
    pub fn read(file: &mut impl Read, wanted: impl Fn(&str) -> bool) -> Result<Tensors, String> {
        let text = |error: std::io::Error| error.to_string();
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(text)?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER {
            return Err(format!(
                "its header claims that names and shapes take {length} bytes"
            ));
        }
        let mut header = vec![0; length as usize];
        file.read_exact(&mut header).map_err(text)?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|error| error.to_string())?;
        let mut tensors = HashMap::new();
        // In file order, because one tensor follows another without gaps.
        for name in metadata.offset_keys() {
            let info = metadata.info(&name).expect("a name of the metadata");
            let (start, end) = info.data_offsets;
            if info.dtype == Dtype::F32 && wanted(&name) {
                let numbers = read_numbers(file, (end - start) / size_of::<f32>()).map_err(text)?;
                tensors.insert(name, (info.shape.clone(), numbers));
            } else {
                let mut skipped = file.by_ref().take((end - start) as u64);
                std::io::copy(&mut skipped, &mut std::io::sink()).map_err(text)?;
            }
        }
        Ok(Tensors(tensors))
    }

    /// Removes and returns the tensor with this name, which must have this shape.
    pub fn take<const D: usize>(
        &mut self,
        name: &str,
        shape: [usize; D],
    ) -> Result<Vec<f32>, String> {
        let missing = || format!("it has no tensor {name}");
        let (found, numbers) = self.0.remove(name).ok_or_else(missing)?;
        match found == shape {
            true => Ok(numbers),
            false => Err(format!("its tensor {name} is {found:?}, not {shape:?}")),
        }
    }
}

fn read_numbers(file: &mut impl Read, count: usize) -> std::io::Result<Vec<f32>> {
    let mut numbers = Vec::with_capacity(count);
    let mut chunk = vec![0; CHUNK];
    while numbers.len() < count {
        let bytes = CHUNK.min((count - numbers.len()) * size_of::<f32>());
        file.read_exact(&mut chunk[..bytes])?;
        let (parts, _) = chunk[..bytes].as_chunks::<4>();
        numbers.extend(parts.iter().map(|part| f32::from_le_bytes(*part)));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use safetensors::tensor::TensorView;

    /// A file with `a`, (2, 3), `b`, (1,), and `c`, (2,).
    fn file() -> Vec<u8> {
        let bytes = |numbers: &[f32]| -> Vec<u8> {
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect()
        };
        let (a, b) = (bytes(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), bytes(&[7.0]));
        let c = bytes(&[8.0, 9.0]);
        let view = |shape: &[usize], bytes| {
            TensorView::new(Dtype::F32, shape.to_vec(), bytes).expect("a tensor")
        };
        let tensors = [
            ("a", view(&[2, 3], &a)),
            ("b", view(&[1], &b)),
            ("c", view(&[2], &c)),
        ];
        safetensors::serialize(tensors, None).expect("a file")
    }

    #[test]
    fn tensors_are_taken_by_name_and_shape() {
        let mut tensors = Tensors::read(&mut &file()[..], |_| true).expect("a file");
        assert_eq!(tensors.take("b", [1]), Ok(vec![7.0]));
        assert_eq!(tensors.take("b", [1]), Err("it has no tensor b".to_owned()));
        let refused = "its tensor a is [2, 3], not [3, 2]".to_owned();
        assert_eq!(tensors.take("a", [3, 2]), Err(refused));
    }

    #[test]
    fn what_is_not_wanted_is_skipped() {
        for (wanted, length, numbers) in [("b", 1, vec![7.0]), ("c", 2, vec![8.0, 9.0])] {
            let mut tensors =
                Tensors::read(&mut &file()[..], |name| name == wanted).expect("a file");
            assert_eq!(tensors.take(wanted, [length]), Ok(numbers));
            assert!(tensors.take("a", [2, 3]).is_err());
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_and_takes_no_memory() {
        let file = file();
        for end in 0..file.len() {
            assert!(
                Tensors::read(&mut &file[..end], |_| true).is_err(),
                "{end} bytes"
            );
        }
        let mut huge = file.clone();
        huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        let error = Tensors::read(&mut &huge[..], |_| true)
            .err()
            .expect("an error");
        assert!(error.contains("18446744073709551615 bytes"), "{error}");
        huge[..8].copy_from_slice(&LARGEST_HEADER.to_le_bytes());
        let error = Tensors::read(&mut &huge[..], |_| true)
            .err()
            .expect("an error");
        assert!(!error.contains("bytes"), "the header is too short: {error}");
        let header = br#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4611686018427387904]}}"#;
        let mut promises = (header.len() as u64).to_le_bytes().to_vec();
        promises.extend(header);
        assert!(Tensors::read(&mut &promises[..], |_| true).is_err());
    }
}
