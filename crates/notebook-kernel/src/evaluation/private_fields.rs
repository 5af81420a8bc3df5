//! Fields that cells cannot use: they are no completions, and no part of a description.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// The kind of a field, and of a variable.
const FIELD: &str = "instance";
/// For so long it is looked which fields are private.
const LONGEST: Duration = Duration::from_millis(1500);

/// Which fields of types are private, by the names of all fields of the type: it takes a while to
/// find out.
#[derive(Default)]
pub struct PrivateFields(HashMap<Vec<String>, HashSet<String>>);

impl PrivateFields {
    /// The completions without private fields. `describe` says what a name at this place means.
    pub fn removed(
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

/// Whether this describes a field that cannot be used in cells: where it is defined, and its
/// declaration.
pub fn is_private(description: &str) -> bool {
    let mut lines = description.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let is_of_cells = first.starts_with("ctx::");
    let has_no_place = first.contains(": "); // a tuple
    let declaration = lines.next().unwrap_or_default();
    !is_of_cells && !has_no_place && is_private_declaration(declaration)
}

/// `name: Type`, perhaps with `pub(crate)` before it.
fn is_private_declaration(declaration: &str) -> bool {
    let restricted = declaration.strip_prefix("pub(");
    let field = restricted.and_then(|rest| Some(rest.split_once(") ")?.1));
    let name = field.unwrap_or(declaration).split_once(": ");
    let is_name = |name: &str| name.chars().all(|one| one.is_alphanumeric() || one == '_');
    name.is_some_and(|(name, _)| is_name(name))
}

/// The description of a type, as text or as HTML, without the private fields in its declaration.
pub fn without_private_fields(description: &str) -> String {
    let place = description.lines().next().unwrap_or_default();
    let place = place.rsplit('>').next().unwrap_or_default(); // behind HTML
    if place.split("::").next() == Some("ctx") {
        return description.to_owned();
    }
    let mut lines = description.split('\n');
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        kept.push(line.to_owned());
        if line.contains("struct ") && line.ends_with('{') {
            let fields = lines.by_ref().take_while(|line| *line != "}");
            let (public, other): (Vec<&str>, _) =
                fields.partition(|field| field.trim_start().starts_with("pub "));
            kept.extend(public.into_iter().map(str::to_owned));
            if !other.is_empty() {
                kept.push("    /* private fields */".to_owned());
            }
            kept.push("}".to_owned());
        }
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn other_things_are_no_private_fields() {
        for description in [
            "core::clone::Clone\n\npub fn clone(&self) -> Self",
            "core::clone::Clone\n\nfn clone(a: u8) -> Self",
            "h: Heatmap",
            "No documentation found",
        ] {
            assert!(!is_private(description), "{description}");
        }
    }

    #[test]
    fn a_declaration_has_its_public_fields_alone() {
        let text =
            "toy::bars\n\npub struct Bar {\n    pub length: u8,\n    cells: Vec<u8>,\n}\n\n\nIt.";
        let without = "toy::bars\n\npub struct Bar {\n    pub length: u8,\n    /* private fields */\n}\n\n\nIt.";
        assert_eq!(without_private_fields(text), without);
        let html = |text: &str| format!("<pre><code class=\"language-rust\">{text}</code></pre>");
        assert_eq!(without_private_fields(&html(text)), html(without));
        for other in [
            "ctx\n\nstruct My {\n    a: i32,\n}",
            "toy\n\npub struct All {\n    pub a: i32,\n}",
            "toy\n\npub struct Pair(pub u8, u8)",
            "fn main() {\n    a\n}",
        ] {
            assert_eq!(without_private_fields(other), other);
        }
    }
}
