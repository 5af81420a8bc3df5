//! Errors of reading and writing progress.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why progress could not be read or written.
#[derive(Debug)]
pub enum Error {
    /// The system failed to read, write or lock a file.
    Io {
        /// The file that could not be used.
        path: PathBuf,
        /// The error the system reported.
        source: io::Error,
    },
    /// The file is not one that this crate has written. It is left unchanged.
    NotProgress {
        /// The file that was rejected.
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

    /// Adds advice for the learner who owns the file.
    pub(crate) fn with_advice(mut self) -> Error {
        if let Error::NotProgress { reason, .. } = &mut self {
            reason.push_str("; move it out of the way to start over");
        }
        self
    }

    /// Whether the file does not exist.
    pub(crate) fn is_of_nothing(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The system's own message is in `source`.
            Error::Io { path, .. } => write!(f, "cannot use {}", path.display()),
            Error::NotProgress { path, reason } => {
                write!(f, "{} is not a progress file: {reason}", path.display())
            }
            Error::Locked(path) => write!(
                f,
                "another program holds {} and does not release it; close other notebooks or delete \
                 that file, then try again",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::NotProgress { .. } | Error::Locked(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn what_the_system_reported_is_the_source_and_said_once() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let reported = denied.to_string();
        let error = Error::io(Path::new("a/file"))(denied);
        assert_eq!(error.to_string(), "cannot use a/file");
        let source = error.source().map(ToString::to_string);
        assert_eq!(source, Some(reported));
        assert!(
            Error::not_progress(Path::new("a"), "it is empty")
                .source()
                .is_none()
        );
    }
}
