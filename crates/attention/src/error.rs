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

    pub(crate) fn reading(path: &str, reason: &std::io::Error) -> Error {
        Error(format!("{path} could not be read: {reason}"))
    }

    /// Trouble with a language model, its text or its training.
    pub(crate) fn model(reason: impl Into<String>) -> Error {
        Error(reason.into())
    }

    pub(crate) fn unknown_character(character: char, place: usize, known: &str) -> Error {
        Error(format!(
            "character {character:?} at place {place} is not in the vocabulary {known:?}"
        ))
    }

    pub(crate) fn unknown_parameter(name: &str, names: &[String]) -> Error {
        let names = names.join(", ");
        Error(format!(
            "there is no parameter '{name}' in this model; it has {names}"
        ))
    }

    pub(crate) fn text_too_short(tokens: usize, context: usize) -> Error {
        Error(format!(
            "a sequence of {context} tokens and the one that follows do not fit into a text of \
             {tokens}: take a longer text or a shorter context"
        ))
    }

    pub(crate) fn diverged(
        step: usize,
        loss: f32,
        last_good: Option<&f32>,
        learning_rate: f64,
    ) -> Error {
        let last = last_good.map_or("there was no good one before".to_owned(), |last| {
            format!("the last good one was {last:.4}")
        });
        Error(format!(
            "step {step}: the loss is {loss}, {last}. The step was not made; a learning rate \
             below {learning_rate} may help"
        ))
    }

    pub(crate) fn unknown_token(whose: &str, tokens: &[String], token: &str) -> Error {
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
