//! What can go wrong with the file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why progress could not be read or written.
#[derive(Debug)]
pub enum Error {
    /// The system did not read, write or lock a file.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what this crate has written. It is left as it is.
    NotProgress {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, in words.
        reason: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        |source| Error::Io { path, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::NotProgress { path, reason } => write!(
                f,
                "{} is no file of progress: {reason}; move it away to begin anew",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::NotProgress { .. } => None,
        }
    }
}
