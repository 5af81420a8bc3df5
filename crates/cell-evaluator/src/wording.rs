//! What the compiler calls the definitions of cells, in the words of the notebook.

use crate::scope::Scope;

/// `definitions::item_3::Head` is `Head`, or, if that name means another definition now, `Head of
/// cell [2]`.
pub fn of_notebook(text: &str, scope: &Scope) -> String {
    let mut worded = String::new();
    let mut rest = text;
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
            worded += &format!(" of cell [{}]", definition.piece.cell);
        }
        rest = after;
    }
    worded + rest
}
