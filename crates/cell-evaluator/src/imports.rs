//! The names that `use` declarations bring into scope for later cells.

use syn::{ItemUse, UseTree, parse_str};

/// A name that a `use` brings into scope, or a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The path, without a leading `::`.
    pub path: Vec<String>,
    /// The name in scope; `*` for a glob.
    pub name: String,
    /// The cell definition that the path starts with.
    pub of: Option<usize>,
}

impl Import {
    /// Everything that a `use` declaration imports.
    pub fn all(code: &str) -> Vec<Import> {
        let mut found = Vec::new();
        if let Ok(item) = parse_str::<ItemUse>(code) {
            collect(&item.tree, &mut Vec::new(), &mut found);
        }
        found
    }

    /// The declaration, with `before` prepended to the path.
    pub fn declaration(&self, before: &str) -> String {
        let path = self.path.join("::");
        let last = self.path.last().map_or("", String::as_str);
        match self.name.as_str() {
            "*" => format!("use {before}{path}::*;"),
            name if name == last => format!("use {before}{path};"),
            name => format!("use {before}{path} as {name};"),
        }
    }
}

fn collect(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            collect(&part.tree, path, found);
            path.pop();
        }
        UseTree::Name(part) if part.ident == "self" => found.push(Import {
            path: path.clone(),
            name: path.last().cloned().unwrap_or_default(),
            of: None,
        }),
        UseTree::Name(part) => found.push(Import {
            path: [&path[..], &[part.ident.to_string()]].concat(),
            name: part.ident.to_string(),
            of: None,
        }),
        UseTree::Rename(part) => {
            let own = [part.ident.to_string()];
            let own = if part.ident == "self" { &[] } else { &own[..] };
            found.push(Import {
                path: [&path[..], own].concat(),
                name: part.rename.to_string(),
                of: None,
            });
        }
        UseTree::Glob(_) => found.push(Import {
            path: path.clone(),
            name: "*".to_owned(),
            of: None,
        }),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, path, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_becomes_a_name_each() {
        let found = Import::all("use std::{fmt::{self, Write as _}, collections::*, mem as m};");
        let declarations: Vec<String> = found.iter().map(|one| one.declaration("")).collect();
        let expected = [
            "use std::fmt;",
            "use std::fmt::Write as _;",
            "use std::collections::*;",
            "use std::mem as m;",
        ];
        assert_eq!(declarations, expected);
    }
}
