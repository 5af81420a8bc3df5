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

/// A completion as evcxr has it: what is inserted, its kind, and its name in a list.
pub(crate) type Found = (String, &'static str, String);

/// Completions as a learner can use them: without what evcxr has in every cell for itself, with
/// a keyword alone where an editor's placeholders would stand, and behind a dot methods first.
pub(crate) fn usable(
    found: impl Iterator<Item = Found>,
    before: &str,
) -> Vec<(String, &'static str)> {
    let mut texts: Vec<(String, &'static str)> = found
        .filter(|(text, _, name)| !is_internal(text) && !is_internal(name))
        .map(|(text, kind, name)| match has_placeholder(&text) {
            true => (name, kind),
            false => (text, kind),
        })
        .collect();
    if before.trim_end().ends_with('.') {
        texts.sort_by_key(|(_, kind)| *kind != "function"); // the order stays otherwise
    }
    texts
}

fn is_internal(text: &str) -> bool {
    text.contains("evcxr_") || text.starts_with("__")
}

/// Whether there is a `$1` in it: what is to be written there.
fn has_placeholder(text: &str) -> bool {
    let follows = |part: &str| part.starts_with(|next: char| next.is_ascii_digit() || next == '{');
    text.split('$').skip(1).any(follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: &[(&str, &'static str, &str)], before: &str) -> Vec<String> {
        let found = found
            .iter()
            .map(|(text, kind, name)| ((*text).to_owned(), *kind, (*name).to_owned()));
        let usable = usable(found, before).into_iter();
        usable.map(|(text, _)| text).collect()
    }

    #[test]
    fn methods_come_first_behind_a_dot() {
        let found = [
            ("weights", "instance", "weights"),
            ("len()", "function", "len()"),
            ("scores", "instance", "scores"),
            ("is_empty()", "function", "is_empty()"),
        ];
        let methods_first = ["len()", "is_empty()", "weights", "scores"];
        assert_eq!(texts(&found, "toy."), methods_first);
        assert_eq!(texts(&found, "toy.\n    "), methods_first);
        assert_eq!(texts(&found, "a + ")[0], "weights");
    }

    #[test]
    fn placeholders_are_not_inserted() {
        let found = [
            ("let $1 = ;", "keyword", "let"),
            ("if let ${1:a} = $2 {}", "keyword", "if let"),
            ("cost_in_$", "instance", "cost_in_$"),
        ];
        assert_eq!(texts(&found, ""), ["let", "if let", "cost_in_$"]);
    }

    #[test]
    fn what_evcxr_needs_for_itself_is_left_out() {
        let found = [
            ("evcxr_variable_store", "instance", "evcxr_variable_store"),
            ("evcxr_display()", "function", "evcxr_display()"),
            ("__private", "module", "__private"),
            ("_mine", "instance", "_mine"),
        ];
        assert_eq!(texts(&found, ""), ["_mine"]);
    }
}
