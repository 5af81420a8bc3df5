//! Reads numbers from the bytes of a file, one after another.

/// The unread rest of a file, whose numbers are little-endian.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let taken = self.0.split_at_checked(count);
        let left = self.0.len();
        let (taken, rest) = taken.ok_or_else(|| {
            format!("it ends too early: {count} bytes are wanted, and {left} are left")
        })?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)
            .map(|bytes| bytes.try_into().expect("as many bytes as were taken"))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length or a count, stored as a u64.
    pub(crate) fn size(&mut self) -> Result<usize, String> {
        let size = self.array().map(u64::from_le_bytes)?;
        usize::try_from(size).map_err(|_| format!("it claims a length of {size}"))
    }

    pub(crate) fn f32(&mut self) -> Result<f32, String> {
        self.array().map(f32::from_le_bytes)
    }
}
