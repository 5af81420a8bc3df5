//! Rewrites the compiler's names for cell definitions in the notebook's terms.

use crate::scope::Scope;

/// `definitions::item_3::Head` becomes `Head`, or `Head of cell [2]` if that name now refers to
/// another definition.
pub fn of_notebook(text: &str, scope: &Scope) -> String {
    let text = without_places(text);
    let mut worded = String::new();
    let mut rest = text.as_str();
    while let Some(place) = rest.find("item_") {
        let (before, path) = rest.split_at(place);
        let named = path["item_".len()..]
            .split_once("::")
            .and_then(|(number, after)| {
                let id = number.parse().ok()?;
                let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
                let (name, after) = after.split_at(end.unwrap_or(after.len()));
                Some((scope.definition(id)?, name, after))
            });
        let Some((definition, name, after)) = named else {
            worded += before;
            worded += "item_";
            rest = &path["item_".len()..];
            continue;
        };
        let before = before.strip_suffix("crate::").unwrap_or(before);
        worded += before.strip_suffix("definitions::").unwrap_or(before);
        worded += name;
        let is_newest = scope
            .named(name)
            .is_some_and(|newest| newest.id == definition.id);
        if !is_newest && definition.names.iter().any(|own| own == name) {
            worded += &format!(" of cell [{}]", scope.shown(definition.piece.cell));
        }
        rest = after;
    }
    worded + rest
}

/// `{closure@/a/b.rs:1:2: 1:9}` becomes `{closure}`.
fn without_places(text: &str) -> String {
    const BEGIN: &str = "{closure@";
    let mut parts = text.split(BEGIN);
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let after = part.split_once('}').map_or("", |(_, after)| after);
        without += "{closure}";
        without += after;
    }
    without
}

/// Reduces the paths in a type to their last segments: `std::vec::Vec<f32>` becomes `Vec<f32>`.
pub fn without_paths(code: &str) -> String {
    let mut parts = code.split("::");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let kept = text.trim_end_matches(is_part).len();
        match text[..kept].ends_with('>') {
            true => text += "::", // part of a type, as in `<T as Iterator>::Item`
            false => text.truncate(kept),
        }
        text += part;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_shown_without_its_paths() {
        let code = "std::vec::Vec<(::__crate_nd::Base<nd::Own<f32>>, &'static dyn \
                    for<'a> std::ops::Fn(&'a str) -> std::string::String)>";
        assert_eq!(
            without_paths(code),
            "Vec<(Base<Own<f32>>, &'static dyn for<'a> Fn(&'a str) -> String)>"
        );
        assert_eq!(
            without_places("f({closure@/a.rs:1:2: 1:9}) {x}"),
            "f({closure}) {x}"
        );
        assert_eq!(without_paths("<T as core::It>::Item"), "<T as It>::Item");
    }
}
