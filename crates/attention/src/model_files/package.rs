//! A Python package that contains the files of a model.

use super::model_file::ModelFile;
use crate::error::Error;
use std::path::Path;

/// The files of a model, and where they come from.
pub(crate) struct Package {
    /// Name and version: `name==1.0`
    pub requirement: &'static str,
    /// How large the package is, in bytes.
    pub size: u64,
    /// The folder of the files in it.
    pub inside: &'static str,
    /// The folder of the files in the user's cache.
    pub folder: &'static str,
    /// The files, as the model's authors published them.
    pub files: &'static [ModelFile],
}

impl Package {
    /// The size of the files, rounded; not that of the package, which is compressed and may contain
    /// other files.
    pub fn megabytes(&self) -> u64 {
        let bytes: u64 = self.files.iter().map(|file| file.bytes).sum();
        (bytes + 500_000) / 1_000_000
    }

    /// The error when the files could not be fetched to a folder.
    pub fn not_fetched(&self, folder: &Path, reason: String) -> Error {
        Error::NotFetched {
            folder: folder.display().to_string(),
            files: self.files.iter().map(|file| file.name.to_owned()).collect(),
            megabytes: self.megabytes(),
            reason,
        }
    }
}
