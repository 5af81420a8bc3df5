//! A file of a model, used only if it has the right size and checksum.

use super::mapped_file::{Bytes, map};
use crate::error::Error;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A file as the model's authors published it.
pub(crate) struct ModelFile {
    pub name: &'static str,
    pub sha256: &'static str,
    pub bytes: u64,
}

impl ModelFile {
    /// Returns the result of `take` for the file in this folder, or an error if the file cannot be
    /// read, if its size or checksum is wrong, or if `take` fails.
    pub fn read<T>(
        &self,
        folder: &Path,
        take: impl FnOnce(&mut Hashing) -> Result<T, String>,
    ) -> Result<T, Error> {
        let name = self.path(folder);
        let reading = |error| Error::reading(&name, error);
        let file = File::open(&name).map_err(reading)?;
        let bytes = file.metadata().map_err(reading)?.len();
        self.check_size(&name, bytes)?;
        let mut file = Hashing {
            file,
            hasher: Sha256::new(),
        };
        let taken = take(&mut file);
        self.check_sum(&name, &file.sum().map_err(reading)?)?;
        taken.map_err(|reason| wrong(&name, reason))
    }

    /// Like [`ModelFile::read`], but `take` gets the bytes of the file without copying them, and
    /// only after they have been checked.
    pub fn map<T>(
        &self,
        folder: &Path,
        take: impl FnOnce(&Bytes) -> Result<T, String>,
    ) -> Result<T, Error> {
        let name = self.path(folder);
        let file = map(name.as_ref()).map_err(|error| Error::reading(&name, error))?;
        let bytes = (*file).as_ref();
        self.check_size(&name, bytes.len() as u64)?;
        self.check_sum(&name, &hexadecimal(&Sha256::digest(bytes)))?;
        take(&file).map_err(|reason| wrong(&name, reason))
    }

    fn path(&self, folder: &Path) -> String {
        folder.join(self.name).display().to_string()
    }

    fn check_size(&self, name: &str, bytes: u64) -> Result<(), Error> {
        let right = self.bytes;
        match bytes == right {
            true => Ok(()),
            false => Err(wrong(
                name,
                format!("it has {bytes} bytes, but the published one has {right}"),
            )),
        }
    }

    fn check_sum(&self, name: &str, sum: &str) -> Result<(), Error> {
        let right = self.sha256;
        match sum == right {
            true => Ok(()),
            false => Err(wrong(
                name,
                format!("its SHA-256 is {sum}, but that of the published one is {right}"),
            )),
        }
    }
}

fn wrong(name: &str, reason: String) -> Error {
    Error::WrongFile {
        path: name.to_owned(),
        reason,
    }
}

fn hexadecimal(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that hashes every byte read from it.
pub(crate) struct Hashing {
    file: File,
    hasher: Sha256,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.hasher.update(&buffer[..bytes]);
        Ok(bytes)
    }
}

impl Hashing {
    /// The checksum of the whole file, in hexadecimal digits.
    fn sum(mut self) -> io::Result<String> {
        io::copy(&mut self, &mut io::sink())?; // whatever was not read
        Ok(hexadecimal(&self.hasher.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs};

    const ABC: ModelFile = ModelFile {
        name: "abc.txt",
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        bytes: 3,
    };

    /// Reads only the first byte of a file with this content.
    fn first_byte_of(test: &str, content: &str) -> Result<u8, Error> {
        let folder = env::temp_dir().join(format!("attention-files-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(ABC.name), content).expect("written");
        let result = ABC.read(&folder, |file| {
            let mut first = [0];
            let read = file.read_exact(&mut first);
            read.map_err(|error| error.to_string())?;
            Ok(first[0])
        });
        assert_eq!(ABC.map(&folder, |bytes| Ok((**bytes).as_ref()[0])), result);
        fs::remove_dir_all(&folder).expect("removed");
        result
    }

    #[test]
    fn the_right_file_is_read() {
        assert_eq!(first_byte_of("right", "abc"), Ok(b'a'));
    }

    #[test]
    fn another_file_of_the_same_size_is_refused() {
        let error = first_byte_of("other", "abd")
            .expect_err("another file")
            .to_string();
        assert!(error.contains("its SHA-256 is a52d159f"), "{error}");
        assert!(
            error.contains("that of the published one is ba7816bf"),
            "{error}"
        );
    }

    #[test]
    fn a_part_of_the_file_is_refused() {
        let error = first_byte_of("part", "ab").expect_err("a part").to_string();
        assert!(
            error.contains("it has 2 bytes, but the published one has 3"),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_is_not_there_cannot_be_read() {
        let result = ABC.read(Path::new("nowhere"), |_| Ok(()));
        assert!(matches!(result, Err(Error::ReadFailed { .. })));
        let result = ABC.map(Path::new("nowhere"), |_| Ok(()));
        assert!(matches!(result, Err(Error::ReadFailed { .. })));
    }
}
