//! Trouble of the world, as opposed to a caller's mistake.

use std::fmt;

/// Why something outside the caller's power failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn drawing(reason: impl fmt::Display) -> Error {
        Error(format!("the figure could not be drawn: {reason}"))
    }

    pub(crate) fn unknown_ending(path: &str) -> Error {
        Error(format!(
            "{path}: a figure can be saved as .svg, .png, .html or .txt, not under this ending"
        ))
    }

    pub(crate) fn no_font() -> Error {
        Error(
            "no font was found on this system, and a PNG needs one for its text: install one, for \
             example DejaVu Sans, or save the figure as .svg"
                .to_owned(),
        )
    }

    pub(crate) fn writing(path: &str, reason: &std::io::Error) -> Error {
        Error(format!("{path} could not be written: {reason}"))
    }

    pub(crate) fn unknown_token(whose: &str, tokens: &[&str], token: &str) -> Error {
        let quoted: Vec<String> = tokens.iter().map(|token| format!("'{token}'")).collect();
        let tokens = quoted.join(", ");
        Error(format!(
            "there is no token '{token}' among the {whose} {tokens}"
        ))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
