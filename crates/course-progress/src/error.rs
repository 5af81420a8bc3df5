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
    /// Another program has held this lock for too long.
    Locked(PathBuf),
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        |source| Error::Io { path, source }
    }

    pub(crate) fn not_progress(path: &Path, reason: impl Into<String>) -> Error {
        Error::NotProgress {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// With what a learner can do whose own file it is.
    pub(crate) fn with_advice(mut self) -> Error {
        if let Error::NotProgress { reason, .. } = &mut self {
            reason.push_str("; move it away to start over");
        }
        self
    }

    /// Whether there is no file.
    pub(crate) fn is_of_nothing(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::NotProgress { path, reason } => {
                write!(f, "{} is not a progress file: {reason}", path.display())
            }
            Error::Locked(path) => write!(
                f,
                "another program holds {} and does not let go; close other notebooks or delete \
                 that file, then try again",
                path.display()
            ),
        }
    }
}

/// Without a source: the text says all that the system has said.
impl std::error::Error for Error {}
