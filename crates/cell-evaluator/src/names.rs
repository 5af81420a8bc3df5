//! The names that an item defines.

use crate::macro_text::thread_locals;
use std::collections::BTreeSet;
use syn::punctuated::Punctuated;
use syn::{Attribute, ForeignItem, Ident, Item, Macro, Path, Token};

/// One of Rust's namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    Types,
    Values,
}

/// Macros in item position that define something.
const DEFINING: [&str; 3] = ["thread_local", "lazy_static", "bitflags"];
/// Built-in attributes that generate no items.
const PLAIN: [&str; 29] = [
    "allow",
    "automatically_derived",
    "cold",
    "default",
    "deny",
    "deprecated",
    "diagnostic",
    "doc",
    "expect",
    "export_name",
    "forbid",
    "global_allocator",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "proc_macro",
    "repr",
    "rustfmt",
    "target_feature",
    "track_caller",
    "unsafe",
    "used",
    "warn",
];
const DERIVES: [&str; 9] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// Whether a macro from outside the notebook expands to items.
pub fn is_defining(call: &Macro) -> bool {
    let last = call.path.segments.last();
    last.is_some_and(|last| DEFINING.iter().any(|name| last.ident == name))
}

/// The names that an item certainly defines; none if it has a `cfg`, which may leave it out.
pub fn of(item: &Item) -> Vec<String> {
    if attributes(item)
        .iter()
        .any(|one| one.path().is_ident("cfg"))
    {
        return Vec::new();
    }
    let names: Vec<&Ident> = match item {
        Item::ExternCrate(item) => vec![item.rename.as_ref().map_or(&item.ident, |(_, name)| name)],
        Item::ForeignMod(block) => {
            let names: Option<Vec<&Ident>> = block.items.iter().map(foreign).collect();
            names.unwrap_or_default()
        }
        Item::Macro(call) => {
            return thread_locals(&call.mac)
                .iter()
                .map(|(name, _)| name.to_string())
                .collect();
        }
        Item::TraitAlias(item) => vec![&item.ident],
        _ => spaced(item).into_iter().map(|(_, name)| name).collect(),
    };
    let is_named = |name: &&Ident| **name != "_";
    names
        .into_iter()
        .filter(is_named)
        .map(Ident::to_string)
        .collect()
}

/// The name that an item certainly defines, with its namespace, if the item has a single name.
pub fn spaces(item: &Item) -> BTreeSet<(Namespace, String)> {
    match of(item).is_empty() {
        true => BTreeSet::new(),
        false => spaced(item)
            .into_iter()
            .map(|(space, name)| (space, name.to_string()))
            .collect(),
    }
}

fn spaced(item: &Item) -> Option<(Namespace, &Ident)> {
    use Namespace::{Types, Values};
    Some(match item {
        Item::Const(item) => (Values, &item.ident),
        Item::Fn(item) => (Values, &item.sig.ident),
        Item::Static(item) => (Values, &item.ident),
        Item::Enum(item) => (Types, &item.ident),
        Item::Mod(item) => (Types, &item.ident),
        Item::Struct(item) => (Types, &item.ident),
        Item::Trait(item) => (Types, &item.ident),
        Item::Type(item) => (Types, &item.ident),
        Item::Union(item) => (Types, &item.ident),
        _ => return None,
    })
}

/// Whether a macro may generate definitions from an item under names that only the compiler knows.
pub fn has_unknown(item: &Item) -> bool {
    let is_plain = |path: &Path, known: &[&str]| match path.segments.first() {
        Some(first) => known.iter().any(|name| first.ident == name),
        None => true,
    };
    let makes_none = |one: &Attribute| match one.path().is_ident("derive") {
        true => one
            .parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
            .is_ok_and(|derives| derives.iter().all(|derive| is_plain(derive, &DERIVES))),
        false => is_plain(one.path(), &PLAIN),
    };
    match item {
        Item::Macro(call) => thread_locals(&call.mac).is_empty(),
        Item::ForeignMod(block) => block.items.iter().any(|one| foreign(one).is_none()),
        _ => !attributes(item).iter().all(makes_none),
    }
}

fn foreign(item: &ForeignItem) -> Option<&Ident> {
    match item {
        ForeignItem::Fn(item) => Some(&item.sig.ident),
        ForeignItem::Static(item) => Some(&item.ident),
        ForeignItem::Type(item) => Some(&item.ident),
        _ => None,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => &[],
    }
}
