//! Parses the header of a GGUF file, which describes the model and says where its tensors are.
//!
//! Source: the GGUF specification in the repository of ggml, `docs/gguf.md`.

use std::collections::HashMap;
use std::ops::Range;

/// Tensors begin at multiples of this, unless the file says otherwise.
const ALIGNMENT: u64 = 32;
/// Maximum depth of nested lists.
const DEEPEST: usize = 4;

/// The header of a file: everything before the tensor data.
pub(super) struct Gguf<'a> {
    keys: HashMap<&'a str, Value<'a>>,
    tensors: HashMap<&'a str, Tensor>,
}

/// The value of a key.
#[derive(Debug, PartialEq)]
enum Value<'a> {
    Whole(i128),
    Real(f64),
    Text(&'a str),
    List(Vec<Value<'a>>),
}

/// How the numbers of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    F32,
    Q4_1,
    Q8_0,
}

/// One tensor. Its shape is in PyTorch's order, with the longest stride first.
#[derive(Debug, PartialEq)]
pub(super) struct Tensor {
    pub format: Format,
    pub shape: Vec<usize>,
    /// Where its bytes are in the file.
    pub bytes: Range<usize>,
}

impl Format {
    fn of(number: u32) -> Option<Format> {
        match number {
            0 => Some(Format::F32),
            3 => Some(Format::Q4_1),
            8 => Some(Format::Q8_0),
            _ => None,
        }
    }

    /// Numbers per block, and bytes per block.
    pub fn block(self) -> (usize, usize) {
        match self {
            Format::F32 => (1, 4),
            Format::Q4_1 => (32, 20),
            Format::Q8_0 => (32, 34),
        }
    }
}

impl<'a> Gguf<'a> {
    /// Reads the header. Every length is checked against the rest of the file before memory is
    /// allocated for it.
    pub fn parse(file: &'a [u8]) -> Result<Gguf<'a>, String> {
        let mut rest = Rest {
            bytes: file,
            read: 0,
        };
        if rest.take(4)? != b"GGUF" {
            return Err("it does not begin with GGUF".to_owned());
        }
        let version = rest.u32()?;
        if version != 3 {
            return Err(format!("it has version {version} of GGUF, not 3"));
        }
        let (tensors, keys) = (rest.count(1)?, rest.count(1)?);
        let mut gguf = Gguf {
            keys: HashMap::new(),
            tensors: HashMap::new(),
        };
        for _ in 0..keys {
            let (name, kind) = (rest.text()?, rest.u32()?);
            gguf.keys.insert(name, rest.value(kind, DEEPEST)?);
        }
        let mut entries = Vec::new();
        for _ in 0..tensors {
            entries.push(rest.entry()?);
        }
        let alignment = match gguf.keys.get("general.alignment") {
            Some(Value::Whole(alignment)) => u64::try_from(*alignment).unwrap_or(0),
            _ => ALIGNMENT,
        };
        let data = (rest.read as u64).checked_next_multiple_of(alignment);
        let data = data.filter(|_| alignment > 0);
        let data = data.ok_or("its alignment is not a positive number")?;
        for Entry {
            name,
            format,
            shape,
            offset,
        } in entries
        {
            let bytes = place(format, &shape, data.checked_add(offset), file.len());
            let bytes = bytes.map_err(|reason| format!("its tensor {name} {reason}"))?;
            let tensor = Tensor {
                format,
                shape,
                bytes,
            };
            gguf.tensors.insert(name, tensor);
        }
        Ok(gguf)
    }

    /// The tensor with this name, which must have this format and shape.
    pub fn tensor(&self, name: &str, format: Format, shape: &[usize]) -> Result<&Tensor, String> {
        let found = self.tensors.get(name);
        let found = found.ok_or_else(|| format!("it has no tensor {name}"))?;
        match found.format == format && found.shape == shape {
            true => Ok(found),
            false => Err(format!(
                "its tensor {name} is {:?} {:?}, not {format:?} {shape:?}",
                found.format, found.shape
            )),
        }
    }

    /// The whole number that belongs to this key.
    pub fn whole(&self, key: &str) -> Result<usize, String> {
        match self.keys.get(key) {
            Some(Value::Whole(number)) => usize::try_from(*number).ok(),
            _ => None,
        }
        .ok_or_else(|| format!("it has no whole number {key}"))
    }

    /// The number that belongs to this key.
    pub fn real(&self, key: &str) -> Result<f64, String> {
        match self.keys.get(key) {
            Some(Value::Real(number)) => Ok(*number),
            _ => Err(format!("it has no number {key}")),
        }
    }

    /// The text that belongs to this key.
    pub fn text(&self, key: &str) -> Result<&'a str, String> {
        match self.keys.get(key) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(format!("it has no text {key}")),
        }
    }

    /// The texts that belong to this key.
    pub fn texts(&self, key: &str) -> Result<Vec<&'a str>, String> {
        let texts = match self.keys.get(key) {
            Some(Value::List(list)) => list.iter().map(|value| match value {
                Value::Text(text) => Some(*text),
                _ => None,
            }),
            _ => return Err(format!("it has no list {key}")),
        };
        let texts: Option<Vec<&str>> = texts.collect();
        texts.ok_or_else(|| format!("its list {key} does not consist of texts"))
    }
}

struct Entry<'a> {
    name: &'a str,
    format: Format,
    shape: Vec<usize>,
    /// The distance from the beginning of the data, in bytes.
    offset: u64,
}

/// The range of a tensor's bytes, which start at `start`, or why it is invalid.
fn place(
    format: Format,
    shape: &[usize],
    start: Option<u64>,
    file: usize,
) -> Result<Range<usize>, String> {
    let (numbers, bytes) = format.block();
    let row = shape.last().copied().unwrap_or(1);
    if row % numbers != 0 {
        return Err(format!("has rows of {row}, which are not whole blocks"));
    }
    let size = shape
        .iter()
        .try_fold(1, |size: usize, &n| size.checked_mul(n));
    let size = size.and_then(|size| (size / numbers).checked_mul(bytes));
    let start = start.and_then(|start| usize::try_from(start).ok());
    let range = start.zip(size).and_then(|(start, size)| {
        let end = start.checked_add(size)?;
        (end <= file).then_some(start..end)
    });
    range.ok_or_else(|| format!("ends after the file, which has {file} bytes"))
}

/// The part of the file that has not been read yet.
struct Rest<'a> {
    bytes: &'a [u8],
    read: usize,
}

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or("it ends in the middle of its table of contents")?;
        (self.bytes, self.read) = (rest, self.read + count);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        Ok(self.take(N)?.try_into().expect("N of them"))
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a count of items, each at least `bytes` long, and checks that they fit in the rest of
    /// the file.
    fn count(&mut self, bytes: usize) -> Result<usize, String> {
        let count = self.u64()?;
        let fits = usize::try_from(count).ok();
        let fits = fits.filter(|count| *count <= self.bytes.len() / bytes);
        fits.ok_or_else(|| format!("its table of contents claims to have {count} entries"))
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let length = self.count(1)?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| "one of its names is not UTF-8".to_owned())
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value<'a>, String> {
        let whole = |number: i128| Ok(Value::Whole(number));
        match kind {
            0 | 7 => whole(self.array::<1>()?[0].into()),
            1 => whole(i8::from_le_bytes(self.array()?).into()),
            2 => whole(u16::from_le_bytes(self.array()?).into()),
            3 => whole(i16::from_le_bytes(self.array()?).into()),
            4 => whole(self.u32()?.into()),
            5 => whole(i32::from_le_bytes(self.array()?).into()),
            6 => Ok(Value::Real(f32::from_le_bytes(self.array()?).into())),
            8 => self.text().map(Value::Text),
            9 if depth > 0 => {
                let kind = self.u32()?;
                let count = self.count(1)?;
                let values = (0..count).map(|_| self.value(kind, depth - 1));
                values.collect::<Result<_, String>>().map(Value::List)
            }
            10 => whole(self.u64()?.into()),
            11 => whole(i64::from_le_bytes(self.array()?).into()),
            12 => Ok(Value::Real(f64::from_le_bytes(self.array()?))),
            _ => Err(format!("it has a value of the unknown type {kind}")),
        }
    }

    fn entry(&mut self) -> Result<Entry<'a>, String> {
        let name = self.text()?;
        let axes = self.u32()?;
        if axes > 4 {
            return Err(format!("its tensor {name} has {axes} axes"));
        }
        let lengths = (0..axes).map(|_| self.u64());
        let lengths = lengths.collect::<Result<Vec<u64>, String>>()?;
        // The file gives the contiguous axis first, PyTorch last.
        let shape = lengths.iter().rev().map(|&length| usize::try_from(length));
        let shape = shape.collect::<Result<Vec<usize>, _>>();
        let shape = shape.map_err(|_| format!("its tensor {name} is too large"))?;
        let number = self.u32()?;
        let format = Format::of(number);
        let format = format.ok_or_else(|| {
            format!("its tensor {name} is stored as type {number}, not as F32, Q4_1 or Q8_0")
        })?;
        Ok(Entry {
            name,
            format,
            shape,
            offset: self.u64()?,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A string as it is stored in a file.
    pub(in super::super) fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
    }

    /// A file with three keys, one of them a list, and a matrix of 2 rows of 32 numbers in 4 bits.
    fn file() -> Vec<u8> {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend([1_u64, 3].map(u64::to_le_bytes).concat());
        file.extend([text("heads"), vec![4, 0, 0, 0, 9, 0, 0, 0]].concat());
        file.extend(
            [
                text("epsilon"),
                vec![6, 0, 0, 0],
                0.5_f32.to_le_bytes().to_vec(),
            ]
            .concat(),
        );
        file.extend([text("pieces"), vec![9, 0, 0, 0, 8, 0, 0, 0]].concat());
        file.extend([2_u64.to_le_bytes().to_vec(), text("a"), text("b")].concat());
        file.extend([text("m"), vec![2, 0, 0, 0]].concat());
        file.extend([32_u64, 2].map(u64::to_le_bytes).concat());
        file.extend([vec![3, 0, 0, 0], vec![0; 8]].concat());
        let data = file.len().next_multiple_of(32);
        file.resize(data + 40, 7);
        file
    }

    #[test]
    fn keys_and_tensors_are_found_by_name() {
        let file = file();
        let gguf = Gguf::parse(&file).expect("a file");
        assert_eq!(gguf.whole("heads"), Ok(9));
        assert_eq!(gguf.real("epsilon"), Ok(0.5));
        assert_eq!(gguf.texts("pieces"), Ok(vec!["a", "b"]));
        let tensor = gguf.tensor("m", Format::Q4_1, &[2, 32]).expect("m");
        assert_eq!(tensor.bytes, file.len() - 40..file.len());
    }

    #[test]
    fn what_is_not_there_is_named() {
        let file = file();
        let gguf = Gguf::parse(&file).expect("a file");
        assert_eq!(
            gguf.whole("layers"),
            Err("it has no whole number layers".into())
        );
        assert_eq!(gguf.real("heads"), Err("it has no number heads".into()));
        assert_eq!(gguf.text("heads"), Err("it has no text heads".into()));
        assert_eq!(gguf.texts("heads"), Err("it has no list heads".into()));
        let refused = |name, format, shape: &[usize]| {
            gguf.tensor(name, format, shape).expect_err("not there")
        };
        assert_eq!(refused("n", Format::F32, &[1]), "it has no tensor n");
        assert_eq!(
            refused("m", Format::Q4_1, &[32, 2]),
            "its tensor m is Q4_1 [2, 32], not Q4_1 [32, 2]"
        );
    }

    #[test]
    fn every_part_of_a_file_is_refused_with_a_sentence() {
        let file = file();
        for end in 0..file.len() {
            let reason = Gguf::parse(&file[..end]).err().expect("an error");
            assert!(reason.starts_with("it"), "{end} bytes: {reason}");
        }
    }

    #[test]
    fn a_changed_byte_of_the_table_takes_no_memory_and_never_panics() {
        let file = file();
        for place in 0..file.len() - 40 {
            for byte in [0, 1, 8, 9, 127, 255] {
                let mut changed = file.clone();
                changed[place] = byte;
                let _ = Gguf::parse(&changed); // valid or not, it must not panic
            }
        }
    }

    #[test]
    fn other_formats_are_named() {
        let mut file = file();
        let place = file.len() - 40;
        let place = (0..place).rev().find(|&at| file[at] == 3).expect("Q4_1");
        file[place] = 12;
        let reason = Gguf::parse(&file).err().expect("an error");
        assert_eq!(
            reason,
            "its tensor m is stored as type 12, not as F32, Q4_1 or Q8_0"
        );
        file[4] = 2;
        let reason = Gguf::parse(&file).err().expect("an error");
        assert_eq!(reason, "it has version 2 of GGUF, not 3");
    }
}
