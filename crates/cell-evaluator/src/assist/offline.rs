//! Answers without a language server, from the index and the notebook's own definitions and
//! variables.

use super::answers::{Candidate, Candidates, begins, times, word};
use super::document::NotebookCode;
use super::hover::Hover;
use super::index::Index;
use super::items::{Declared, Item, ItemKind, type_name};
use crate::imports::Import;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Everything that can be named: the index, and the notebook's definitions and variables.
struct KnownNames<'a> {
    index: &'a Index,
    around: &'a NotebookCode,
    own: Declared,
}

/// The keywords that can start or appear in a statement or expression.
const KEYWORDS: [&str; 24] = [
    "break",
    "const",
    "continue",
    "else",
    "enum",
    "false",
    "fn",
    "for",
    "if",
    "if let",
    "impl",
    "in",
    "let",
    "loop",
    "match",
    "move",
    "mut",
    "return",
    "struct",
    "trait",
    "true",
    "use",
    "while",
    "while let",
];

/// Completes the name at a place.
pub fn complete(index: &Index, around: &NotebookCode, cell: &str, place: usize) -> Candidates {
    let known = KnownNames::new(index, around, cell);
    let mut found = word(cell, place);
    let (before, typed) = (&cell[..found.start], &cell[found.start..place]);
    let mut texts: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut add = |text: &str, kind| {
        if begins(text, typed) {
            texts.entry(text.to_owned()).or_insert(kind);
        }
    };
    match qualifier(before) {
        Some(of) => {
            let is_method = before.ends_with('.');
            for (_, item) in known.within(of, is_method) {
                add(&item.text, item.kind.word());
            }
        }
        None if typed.is_empty() => {}
        None => {
            for (name, _) in &around.variables {
                add(name, "variable");
            }
            for name in known.locals(cell) {
                add(name, "variable");
            }
            for (name, item) in known.named() {
                let text = item
                    .text
                    .strip_prefix(item.text.split(['(', '!']).next().unwrap_or(""));
                add(&format!("{name}{}", text.unwrap_or("")), item.kind.word());
            }
            for word in KEYWORDS {
                add(word, "keyword");
            }
        }
    }
    let texts = texts.into_iter();
    found.texts = texts.map(|(text, kind)| Candidate { text, kind }).collect();
    if before.ends_with('.') {
        let calls = &index.calls;
        let often = |one: &Candidate| Reverse(times(calls, &one.text));
        found
            .texts
            .sort_by_key(|one| (one.kind != "function", often(one)));
    }
    // Matches that differ in case come last.
    found.texts.sort_by_key(|one| !one.text.starts_with(typed));
    found
}

/// Describes the name at a place.
pub fn inspect(index: &Index, around: &NotebookCode, cell: &str, place: usize) -> Option<Hover> {
    let known = KnownNames::new(index, around, cell);
    let at = word(cell, place);
    let name = &cell[at.start..at.end];
    let before = &cell[..at.start];
    let of = |item: &Item| Hover::of(&item.declaration, &item.documentation);
    if let Some(qualifier) = qualifier(before) {
        let mut members = known.within(qualifier, before.ends_with('.')).into_iter();
        return members
            .find(|(own, _)| *own == name)
            .map(|(_, item)| of(item));
    }
    let variable = around.variables.iter().find(|(own, _)| own == name);
    if let Some((name, type_code)) = variable {
        return Some(Hover::of(&format!("let {name}: {type_code}"), ""));
    }
    let mut named = known.named().into_iter();
    named
        .find(|(own, _)| *own == name)
        .map(|(_, item)| of(&item))
}

/// The expression or path before the `::` or `.` that `before` ends with.
fn qualifier(before: &str) -> Option<&str> {
    let rest = before
        .strip_suffix("::")
        .or_else(|| before.strip_suffix('.'))?;
    let is_path = before.ends_with("::");
    let mut depth = 0_usize;
    let start = rest.char_indices().rev().find(|(_, one)| {
        match one {
            ')' | ']' if !is_path => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            one => {
                return !(one.is_alphanumeric()
                    || "_:".contains(*one)
                    || (*one == '.' && !is_path));
            }
        }
        false
    });
    let start = start.map_or(0, |(place, one)| place + one.len_utf8());
    Some(&rest[start..])
}

impl<'a> KnownNames<'a> {
    fn new(index: &'a Index, around: &'a NotebookCode, cell: &str) -> KnownNames<'a> {
        proc_macro2::extra::invalidate_current_thread_spans();
        let mut own = Declared::default();
        for text in [around.definitions.as_str(), cell] {
            let file = syn::parse_file(text).ok();
            for item in file.iter().flat_map(|file| &file.items) {
                own.add(item);
            }
        }
        KnownNames { index, around, own }
    }

    /// All names that can be used unqualified.
    fn named(&self) -> Vec<(String, Item)> {
        let mut named: Vec<(String, Item)> = Vec::new();
        let own = self.own.items.iter();
        named.extend(own.map(|(name, one)| (name.clone(), one.clone())));
        for import in self.imports() {
            let path = import.path.join("::");
            if import.name == "*" {
                let all = self.index.modules.get(&path).into_iter().flatten();
                named.extend(all.map(|(name, one)| (name.clone(), one.clone())));
            } else if let Some((module, last)) = path.rsplit_once("::") {
                let module = self.index.modules.get(module);
                let found = module.and_then(|items| items.get(last)).cloned();
                named.push((
                    import.name.clone(),
                    found.unwrap_or_else(|| of_path(&import.name, &path)),
                ));
            }
        }
        let crates = self
            .index
            .modules
            .keys()
            .filter(|path| !path.contains("::"));
        named.extend(crates.map(|name| (name.clone(), of_path(name, name))));
        named
    }

    fn imports(&self) -> Vec<Import> {
        let declarations = self.around.imports.split_inclusive(';');
        declarations
            .flat_map(|one| Import::all(one.trim()))
            .collect()
    }

    /// The members of `of`, the expression or path before a `.` or `::`.
    fn within(&self, of: &str, is_method: bool) -> Vec<(&str, &Item)> {
        let mut found: Vec<(&str, &Item)> = Vec::new();
        let mut extend = |items: Option<&'a super::items::Items>| {
            let items = items.into_iter().flatten();
            found.extend(items.map(|(name, one)| (name.as_str(), one)));
        };
        if !is_method {
            for path in self.paths(of) {
                extend(self.index.modules.get(&path));
            }
        }
        let of_type = match is_method {
            true => self.type_of(of),
            false => of.rsplit("::").next().map(str::to_owned),
        };
        let of_type = of_type.unwrap_or_default();
        extend(self.index.members.get(&of_type));
        if let Some(own) = self.own.members.get(&of_type) {
            found.extend(own.iter().map(|(name, one)| (name.as_str(), one)));
        }
        found.retain(|(_, one)| is_method || one.kind != ItemKind::Field);
        found
    }

    /// The absolute paths that a path may stand for.
    fn paths(&self, path: &str) -> Vec<String> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let mut paths = vec![path.to_owned()];
        for import in self.imports() {
            let mut whole = import.path.clone();
            if import.name == "*" {
                whole.push(first.to_owned());
            } else if import.name != first {
                continue;
            }
            whole.extend((!rest.is_empty()).then(|| rest.to_owned()));
            paths.push(whole.join("::"));
        }
        paths
    }

    /// The name of a variable's type or of a function's or method's return type.
    fn type_of(&self, expression: &str) -> Option<String> {
        match syn::parse_str(expression).ok()? {
            syn::Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                let mut variables = self.around.variables.iter();
                let (_, type_code) = variables.find(|(own, _)| *own == name)?;
                type_name(&syn::parse_str(type_code).ok()?)
            }
            syn::Expr::Call(call) => {
                let syn::Expr::Path(path) = *call.func else {
                    return None;
                };
                let name = path.path.segments.last()?.ident.to_string();
                if let Some(of_type) = path.path.segments.iter().rev().nth(1) {
                    let member = self.member(&of_type.ident.to_string(), &name);
                    if let Some(member) = member {
                        return member.returns.clone();
                    }
                }
                let mut named = self.named().into_iter();
                named.find(|(own, _)| *own == name)?.1.returns
            }
            _ => None,
        }
    }

    fn member(&self, of_type: &str, name: &str) -> Option<&Item> {
        let own = self.own.members.get(of_type);
        let own = own.and_then(|members| members.get(name));
        own.or_else(|| self.index.members.get(of_type)?.get(name))
    }

    /// The variables that the cell declares with `let`.
    fn locals<'c>(&self, cell: &'c str) -> impl Iterator<Item = &'c str> {
        let declarations = cell.split("let ").skip(1);
        declarations.filter_map(|rest| {
            let rest = rest.trim_start();
            let rest = rest.strip_prefix("mut ").unwrap_or(rest);
            let is_part = |one: char| one.is_alphanumeric() || one == '_';
            let end = rest.find(|one| !is_part(one))?;
            (end > 0).then_some(&rest[..end])
        })
    }
}

fn of_path(name: &str, path: &str) -> Item {
    Item {
        kind: match (name.starts_with(char::is_uppercase), name == path) {
            (true, _) => ItemKind::Type,
            (_, true) => ItemKind::Module,
            _ => ItemKind::Function,
        },
        text: name.to_owned(),
        declaration: path.to_owned(),
        documentation: String::new(),
        returns: None,
        is_public: true,
    }
}
