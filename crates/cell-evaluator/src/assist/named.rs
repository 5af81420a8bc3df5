//! Finds the crates that a crate's public declarations name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{
    Block, Field, File, ImplItemFn, ItemConst, ItemFn, ItemImpl, ItemMacro, ItemStatic, ItemUse,
    UseTree, Visibility,
};

/// The dependencies that the public items in a folder's sources name. A file that mentions no
/// dependency or is not valid Rust is skipped.
pub fn named_crates(folder: &Path, dependencies: &[&str]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            named.extend(named_crates(&path, dependencies));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if dependencies.iter().any(|name| text.contains(name)) {
                named.extend(syn::parse_file(&text).iter().flat_map(named_in));
            }
        }
    }
    named.retain(|name| dependencies.contains(&name.as_str()));
    named
}

/// The first segments of the paths in public items, with private imports resolved.
fn named_in(file: &File) -> BTreeSet<String> {
    let mut names = PathRoots::default();
    names.visit_file(file);
    let of = |name: String| names.imported.get(&name).cloned().unwrap_or(name);
    names.found.into_iter().map(of).collect()
}

#[derive(Default)]
struct PathRoots {
    found: BTreeSet<String>,
    /// Imported names, each with the first segment of its path.
    imported: BTreeMap<String, String>,
}

impl<'ast> Visit<'ast> for PathRoots {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.found
            .extend(path.segments.first().map(|one| one.ident.to_string()));
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut leaves = Vec::new();
        collect(&item.tree, &mut Vec::new(), &mut leaves);
        for (name, first) in leaves {
            match item.vis {
                Visibility::Public(_) => {
                    self.found.insert(first);
                }
                _ => {
                    self.imported.insert(name, first);
                }
            }
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if is_public(&item.vis) {
            visit::visit_signature(self, &item.sig);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if is_public(&item.vis) {
            visit::visit_signature(self, &item.sig);
        }
    }

    /// Skips the `impl`s of traits, whose declarations are those of the trait itself.
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if is_public(&field.vis) {
            visit::visit_field(self, field);
        }
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        if is_public(&item.vis) {
            self.visit_type(&item.ty);
        }
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        if is_public(&item.vis) {
            self.visit_type(&item.ty);
        }
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        if is_public(&item.vis) {
            self.found.insert(item.ident.to_string());
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_item_macro(&mut self, _: &'ast ItemMacro) {}
    fn visit_block(&mut self, _: &'ast Block) {}
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The names that a `use` imports, each with the first segment of its path.
fn collect(tree: &UseTree, path: &mut Vec<String>, leaves: &mut Vec<(String, String)>) {
    let mut leaf = |name: String, path: &[String]| {
        let first = path.first().cloned().unwrap_or_else(|| name.clone());
        leaves.push((name, first));
    };
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            collect(&part.tree, path, leaves);
            path.pop();
        }
        UseTree::Name(part) if part.ident == "self" => {
            leaf(path.last().cloned().unwrap_or_default(), path);
        }
        UseTree::Name(part) => leaf(part.ident.to_string(), path),
        UseTree::Rename(part) => {
            let own = part.ident.to_string();
            let first = path.first().cloned().unwrap_or(own);
            leaf(part.rename.to_string(), &[first]);
        }
        UseTree::Glob(_) => leaf("*".to_owned(), path),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, path, leaves);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_code_uses_is_not_named() {
        let source = "
            use quick::Fast; use seen::{Shape as S, other}; use tree::*; use hidden::Trait;
            pub use again::Thing; pub extern crate whole; use private::Field;
            pub fn f<T: bound::Real>(a: &S) -> Result<(), error::Error> { Fast::new(); code::run() }
            fn own(a: secret::Type) {}
            pub struct P { inner: Field, pub shown: open::Type }
            impl P { pub fn m(&self) -> method::Result { loop {} } fn n(a: secret::A) {} }
            impl Trait for P { fn t() -> code::T { loop {} } }
        ";
        let file = syn::parse_file(source).expect("Rust");
        let mut named = named_in(&file);
        named.retain(|name| name.starts_with(char::is_lowercase));
        let expected = ["again", "bound", "error", "method", "open", "seen", "whole"];
        assert_eq!(named.into_iter().collect::<Vec<_>>(), expected);
    }
}
