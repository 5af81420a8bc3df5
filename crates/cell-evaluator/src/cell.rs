//! A cell, taken apart: definitions, imports, statements, and the variables that they declare.

use proc_macro2::extra::invalidate_current_thread_spans;
use std::collections::BTreeSet;
use std::ops::Range;
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Item, PatIdent, Stmt, StmtMacro};

/// The parts of a cell, each as the range of its bytes in the text.
#[derive(Default)]
pub struct Cell {
    pub items: Vec<ItemPart>,
    /// `use` declarations.
    pub uses: Vec<Range<usize>>,
    pub statements: Vec<Range<usize>>,
    /// An expression at the end, without a semicolon: the value of the cell.
    pub value: Option<Range<usize>>,
    /// What its top-level `let`s declare, each name once, in the order in which they are declared.
    pub variables: Vec<Declared>,
}

/// An item other than `use`, with what the rest needs to know of it.
pub struct ItemPart {
    pub range: Range<usize>,
    pub item: Item,
}

/// A variable, as its pattern declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub is_mutable: bool,
}

/// Macros that stand where an item could, and define something.
const DEFINING: [&str; 3] = ["thread_local", "lazy_static", "bitflags"];

impl Cell {
    /// Takes a cell apart. `defines` says whether a macro of an earlier cell makes items.
    ///
    /// # Errors
    ///
    /// If the text is not Rust: then rustc is asked what is wrong with it.
    pub fn parse(text: &str, defines: &dyn Fn(&str) -> bool) -> Result<Cell, syn::Error> {
        // The spans of all texts that a thread has parsed would be kept for ever.
        invalidate_current_thread_spans();
        let statements = Block::parse_within.parse_str(text)?;
        let mut cell = Cell::default();
        let mut own_macros = BTreeSet::new();
        let count = statements.len();
        for (place, statement) in statements.into_iter().enumerate() {
            let range = statement.span().byte_range();
            let is_last = place + 1 == count;
            match statement {
                Stmt::Item(Item::Use(_)) => cell.uses.push(range),
                Stmt::Item(item) => {
                    if let Item::Macro(made) = &item
                        && let Some(name) = &made.ident
                        && makes_items(&made.mac.tokens.to_string())
                    {
                        own_macros.insert(name.to_string());
                    }
                    cell.items.push(ItemPart { range, item });
                }
                Stmt::Macro(call) if is_definition(&call, &own_macros, defines) => {
                    let item = Item::Macro(syn::ItemMacro {
                        attrs: call.attrs,
                        ident: None,
                        mac: call.mac,
                        semi_token: call.semi_token,
                    });
                    cell.items.push(ItemPart { range, item });
                }
                Stmt::Expr(_, None) if is_last => cell.value = Some(range),
                Stmt::Macro(call) if is_last && call.semi_token.is_none() => {
                    cell.value = Some(range);
                }
                Stmt::Local(local) => {
                    let mut names = Names::default();
                    names.visit_pat(&local.pat);
                    for declared in names.0 {
                        cell.variables.retain(|one| one.name != declared.name);
                        cell.variables.push(declared);
                    }
                    cell.statements.push(range);
                }
                _ => cell.statements.push(range),
            }
        }
        Ok(cell)
    }

    /// A name that two definitions of the cell have, and where the second one stands. The later
    /// cells could not say which of them they mean.
    pub fn repeated(&self) -> Option<(String, Range<usize>)> {
        let mut seen = BTreeSet::new();
        let mut names = self.items.iter().filter_map(|part| {
            let (kind, ident) = match &part.item {
                Item::Const(item) => ("value", &item.ident),
                Item::Fn(item) => ("value", &item.sig.ident),
                Item::Static(item) => ("value", &item.ident),
                Item::Enum(item) => ("type", &item.ident),
                Item::Mod(item) => ("type", &item.ident),
                Item::Struct(item) => ("type", &item.ident),
                Item::Trait(item) => ("type", &item.ident),
                Item::Type(item) => ("type", &item.ident),
                Item::Union(item) => ("type", &item.ident),
                _ => return None,
            };
            Some((kind, ident.to_string(), part.range.clone()))
        });
        let (_, name, range) = names.find(|(kind, name, _)| !seen.insert((*kind, name.clone())))?;
        Some((name, range))
    }
}

fn is_definition(call: &StmtMacro, own: &BTreeSet<String>, defines: &dyn Fn(&str) -> bool) -> bool {
    let name = call.mac.path.segments.last();
    let name = name.map(|segment| segment.ident.to_string());
    name.is_some_and(|name| {
        DEFINING.contains(&name.as_str()) || own.contains(&name) || defines(&name)
    })
}

/// Whether a macro, by the text of its rules, makes items: one of its transcribers begins with a
/// word that only an item begins with.
pub fn makes_items(rules: &str) -> bool {
    let beginnings = rules.split("=>").skip(1);
    let first_word = |text: &str| {
        let is_before = |c: char| !c.is_alphabetic() && c != '#';
        let mut text = text.trim_start_matches(is_before);
        while let Some((_, after)) = text.strip_prefix('#').and_then(|rest| rest.split_once(']')) {
            text = after.trim_start_matches(is_before);
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let words = [
        "struct", "enum", "fn", "impl", "trait", "static", "const", "mod", "type", "pub",
    ];
    beginnings
        .map(first_word)
        .any(|word| words.contains(&word.as_str()))
}

/// The names that a pattern binds.
#[derive(Default)]
struct Names(Vec<Declared>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = pattern.ident.to_string();
        // `None` and constants look like names that are bound.
        if !name.starts_with(char::is_uppercase) {
            self.0.push(Declared {
                name,
                is_mutable: pattern.mutability.is_some(),
            });
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Cell {
        Cell::parse(text, &|_| false).expect("Rust")
    }

    #[test]
    fn a_cell_is_taken_apart() {
        let text = "use std::fmt;\nstruct P;\nlet (a, mut b) = (1, 2);\nlet Some(c) = d else { return };\na + b";
        let cell = parsed(text);
        let pieces = |ranges: &[Range<usize>]| -> Vec<String> {
            ranges
                .iter()
                .map(|range| text[range.clone()].to_owned())
                .collect()
        };
        assert_eq!(pieces(&cell.uses), ["use std::fmt;"]);
        assert_eq!(cell.items.len(), 1);
        assert_eq!(cell.statements.len(), 2);
        assert_eq!(pieces(&[cell.value.expect("a value")]), ["a + b"]);
        let names: Vec<(&str, bool)> = (cell.variables.iter())
            .map(|one| (one.name.as_str(), one.is_mutable))
            .collect();
        assert_eq!(names, [("a", false), ("b", true), ("c", false)]);
    }

    #[test]
    fn a_macro_at_the_end_is_the_value_unless_it_ends_in_a_semicolon() {
        assert!(parsed("vec![1, 2]").value.is_some());
        assert!(parsed("vec![1, 2];").value.is_none());
        assert!(parsed("println!(\"a\")").value.is_some());
    }

    #[test]
    fn macros_that_make_items_stand_among_the_items() {
        let cell = parsed(
            "thread_local! { static A: i32 = 1 }\nmacro_rules! make { ($n:ident) => { struct $n; } }\nmake!(P);\nvec![1];",
        );
        assert_eq!((cell.items.len(), cell.statements.len()), (3, 1));
    }

    #[test]
    fn bytes_are_counted_and_not_characters() {
        let text = "let größe = \"ä\"; größe";
        let value = parsed(text).value.expect("a value");
        assert_eq!(&text[value], "größe");
    }
}
