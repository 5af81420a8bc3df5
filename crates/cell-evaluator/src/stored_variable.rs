//! A variable of the notebook, as later cells use it.

use crate::surroundings::{Id, module};
use std::collections::BTreeSet;

/// A variable in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVariable {
    /// Its name as written in cells.
    pub name: String,
    /// Its type as code; paths to cell definitions start with `item_`.
    pub type_code: String,
    /// Whether `let mut` declared it.
    pub is_mutable: bool,
    /// The number of the cell that declared it.
    pub cell: u64,
}

impl StoredVariable {
    /// The type for a crate that finds the definitions at `prefix`.
    pub fn type_from(&self, prefix: &str) -> String {
        self.type_by(|id| format!("{prefix}{}::", module(id)))
    }

    /// The type with each definition's path replaced by the result of `path`.
    pub fn type_by(&self, path: impl Fn(Id) -> String) -> String {
        let mut code = String::new();
        let mut written = 0;
        for (place, id) in paths(&self.type_code) {
            code += &self.type_code[written..place];
            code += &path(id);
            written = place + module(id).len() + "::".len();
        }
        code + &self.type_code[written..]
    }

    /// The definitions that its type names.
    pub fn definitions(&self) -> BTreeSet<Id> {
        paths(&self.type_code).map(|(_, id)| id).collect()
    }
}

/// The positions and numbers of the paths that start with `item_` and a number.
fn paths(code: &str) -> impl Iterator<Item = (usize, Id)> {
    const WORD: &str = "item_";
    code.match_indices(WORD).filter_map(move |(place, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let (number, _) = code[place + WORD.len()..].split_once("::")?;
        let id = number.parse().ok()?;
        (!code[..place].ends_with(is_part)).then_some((place, id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_where_the_definitions_are() {
        let variable = StoredVariable {
            name: "x".to_owned(),
            type_code: "std::vec::Vec<(item_3::Word, item_12::item_1::P, my_item_4::Q)>".to_owned(),
            is_mutable: false,
            cell: 1,
        };
        assert_eq!(
            variable.type_from("crate::"),
            "std::vec::Vec<(crate::item_3::Word, crate::item_12::item_1::P, my_item_4::Q)>"
        );
        assert_eq!(variable.definitions(), [3, 12].into());
    }
}
