//! Questions about code that does not run.

/// A question about code at a place, a byte offset.
pub enum Analysis {
    /// How the name at the place could go on.
    Complete {
        /// The cell.
        code: String,
        /// The byte offset in it.
        place: usize,
    },
    /// What the name at the place means.
    Inspect {
        /// The cell.
        code: String,
        /// The byte offset in it.
        place: usize,
    },
}

impl Analysis {
    /// The cell.
    pub(crate) fn code(&self) -> &str {
        match self {
            Analysis::Complete { code, .. } | Analysis::Inspect { code, .. } => code,
        }
    }
}

/// The answer to an [`Analysis`].
pub enum Analysed {
    /// Replacements for the bytes from the start to the end.
    Completions {
        /// The texts, each with its kind: "function", "field" and the like.
        texts: Vec<(String, &'static str)>,
        /// The first byte that is replaced.
        start: usize,
        /// The byte behind the last one.
        end: usize,
    },
    /// Plain text and HTML.
    Description(String, String),
}
