//! Questions about code that does not run.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// The kind of a field, and of a variable.
const FIELD: &str = "instance";
/// For so long it is looked which fields are private.
const LONGEST: Duration = Duration::from_millis(1500);

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

/// Which fields of types are private, by the names of all fields of the type: it takes a while to
/// find out.
#[derive(Default)]
pub(crate) struct PrivateFields(HashMap<Vec<String>, HashSet<String>>);

impl PrivateFields {
    /// The completions without private fields. `describe` says what a name at this place means.
    pub(crate) fn removed(
        &mut self,
        mut texts: Vec<(String, &'static str)>,
        describe: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Vec<(String, &'static str)> {
        let fields: Vec<String> = (texts.iter())
            .filter(|(_, kind)| *kind == FIELD)
            .map(|(text, _)| text.clone())
            .collect();
        if fields.is_empty() {
            return texts;
        }
        let began = Instant::now();
        let private = self.0.entry(fields).or_insert_with_key(|fields| {
            let is_private = |field: &&String| {
                let is_late = began.elapsed() > LONGEST;
                !is_late && describe(field).is_some_and(|text| is_private(&text))
            };
            fields.iter().filter(is_private).cloned().collect()
        });
        texts.retain(|(text, kind)| *kind != FIELD || !private.contains(text));
        texts
    }
}

/// Whether a field with this description cannot be used in cells: where it is defined, and its
/// declaration.
fn is_private(description: &str) -> bool {
    let mut lines = description.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let is_of_cells = first.starts_with("ctx::");
    let has_no_place = first.contains(": "); // a tuple
    let declaration = lines.next().unwrap_or_default();
    !is_of_cells && !has_no_place && !declaration.starts_with("pub ")
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
    fn private_fields_are_left_out() {
        let describe = |field: &str| {
            let text = match field {
                "matrix" => "toy::Picture\n\nmatrix: Vec<f64>\n\n\nof it",
                "near" => "toy::Picture\n\npub(crate) near: u8",
                "open" => "toy::Picture\n\npub open: u8",
                "first" => "ctx::Pair\n\nfirst: u8",
                "0" => "pub 0: i32",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let names = ["matrix", "near", "open", "first", "0", "unknown"];
        let mut texts: Vec<_> = names.map(|name| (name.to_owned(), FIELD)).to_vec();
        texts.push(("len()".to_owned(), "function"));
        let mut calls = 0;
        let mut private = PrivateFields::default();
        for _ in 0..2 {
            let mut counted = |field: &str| {
                calls += 1;
                describe(field)
            };
            let left = private.removed(texts.clone(), &mut counted).into_iter();
            let left: Vec<String> = left.map(|(text, _)| text).collect();
            assert_eq!(left, ["open", "first", "0", "unknown", "len()"]);
        }
        assert_eq!(calls, 6, "the second time it is known");
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
