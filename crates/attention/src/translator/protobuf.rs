//! Protocol buffers: just enough to read SentencePiece's file.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>

use crate::numerics::bytes::Bytes;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Integer(u64),
    Float(f32),
    Double,
    /// A string, or a message.
    Bytes(&'a [u8]),
}

/// The fields of a message, with their numbers, in the order of the file.
pub fn fields(message: &[u8]) -> Result<Vec<(u64, Value<'_>)>, String> {
    let mut bytes = Bytes(message);
    let mut fields = Vec::new();
    while !bytes.0.is_empty() {
        let tag = integer(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Integer(integer(&mut bytes)?),
            1 => bytes.take(8).map(|_| Value::Double)?,
            2 => {
                let length = integer(&mut bytes)?;
                Value::Bytes(bytes.take(length as usize)?)
            }
            5 => Value::Float(bytes.f32()?),
            kind => return Err(format!("a field is of kind {kind}, which does not exist")),
        };
        fields.push((tag >> 3, value));
    }
    Ok(fields)
}

/// An integer in groups of 7 bits, the lowest first; all but the last have the eighth bit set.
fn integer(bytes: &mut Bytes) -> Result<u64, String> {
    let mut integer = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = bytes.array()?;
        integer |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(integer);
        }
    }
    Err("an integer has more than 64 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_kind_are_read() {
        let message = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x02, b'h', b'i', // 2: "hi"
            0x1d, 0x00, 0x00, 0x80, 0x3f, // 3: 1.0
            0x21, 0, 0, 0, 0, 0, 0, 0, 0, // 4: a double
            0x28, 0x80, 0x01, // 5: 128
        ];
        let expected = [
            (1, Value::Integer(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Float(1.0)),
            (4, Value::Double),
            (5, Value::Integer(128)),
        ];
        assert_eq!(fields(&message).expect("a message"), expected);
        let ends: Vec<usize> = (0..message.len())
            .filter(|end| fields(&message[..*end]).is_ok())
            .collect();
        assert_eq!(ends, [0, 3, 7, 12, 21]); // whole fields only
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert!(fields(&[0x0b]).is_err()); // groups are obsolete
        assert!(fields(&[0xff; 12]).is_err());
        // A string whose stated length exceeds any memory.
        assert!(fields(&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
    }
}
