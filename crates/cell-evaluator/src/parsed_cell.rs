//! A cell split into its parts: definitions, imports, statements, and the variables they declare.

use crate::macro_text;
use crate::names::{self, Namespace};
use proc_macro2::extra::invalidate_current_thread_spans;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprAwait, ExprReturn, Item, Macro, PatIdent, Stmt, StmtMacro};

/// The parts of a cell, each as a byte range of its text.
#[derive(Default)]
pub struct ParsedCell {
    /// Crate-level attributes from its first lines, such as `#![feature(..)]`, except [`LINTS`].
    pub attributes: Vec<Range<usize>>,
    pub items: Vec<ItemPart>,
    /// `use` declarations.
    pub uses: Vec<Range<usize>>,
    pub statements: Vec<Range<usize>>,
    /// The cell's value: a final expression without a semicolon.
    pub value: Option<Range<usize>>,
    /// The variables declared by its top-level `let`s, each name once, in order of declaration.
    pub variables: Vec<DeclaredVariable>,
    /// The first `return` outside any function.
    pub returns: Option<Range<usize>>,
    /// Whether it has an `.await` outside any `async` block.
    pub awaits: bool,
}

/// The facts about names of earlier cells that parsing depends on.
pub trait EarlierNames {
    /// Whether a macro expands to items.
    fn makes_items(&self, name: &str) -> bool;
    /// Whether a name is a definition or an import: as a pattern it may be a constant.
    fn is_defined(&self, name: &str) -> bool;
}

/// `()` stands for a notebook without earlier names.
#[cfg(test)]
impl EarlierNames for () {
    fn makes_items(&self, _: &str) -> bool {
        false
    }

    fn is_defined(&self, _: &str) -> bool {
        false
    }
}

/// An item other than `use`, and its range in the text.
pub struct ItemPart {
    pub range: Range<usize>,
    pub item: Item,
}

/// A variable declared by a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredVariable {
    pub name: String,
    pub is_mutable: bool,
    /// The range of its `let`.
    pub statement: Range<usize>,
}

/// Crate-level attributes without effect in cells, which have neither warnings nor documentation.
const LINTS: [&str; 6] = ["allow", "deny", "expect", "forbid", "warn", "doc"];

impl ParsedCell {
    /// Splits a cell into its parts.
    ///
    /// # Errors
    ///
    /// If the text is not valid Rust; rustc is then asked what is wrong with it.
    pub fn parse(text: &str, known: &dyn EarlierNames) -> Result<ParsedCell, syn::Error> {
        // Otherwise the spans of every text that a thread parses would be kept forever.
        invalidate_current_thread_spans();
        let parts =
            |input: ParseStream| Ok((Attribute::parse_inner(input)?, Block::parse_within(input)?));
        let (attributes, statements) = parts.parse_str(text)?;
        let mut cell = ParsedCell::default();
        let demands = attributes
            .iter()
            .filter(|one| !LINTS.iter().any(|lint| one.path().is_ident(lint)));
        cell.attributes = demands.map(|one| one.span().byte_range()).collect();
        let mut outer = Outer::default();
        let mut patterns = Vec::new();
        let mut own_macros = BTreeSet::new();
        let count = statements.len();
        for (place, statement) in statements.into_iter().enumerate() {
            let range = statement.span().byte_range();
            let is_last = place + 1 == count;
            outer.visit_stmt(&statement);
            match statement {
                Stmt::Item(Item::Use(_)) => cell.uses.push(range),
                Stmt::Item(item) => {
                    if let Item::Macro(made) = &item
                        && let Some(name) = &made.ident
                        && macro_text::of_rules(made.mac.tokens.clone()).is_items
                    {
                        own_macros.insert(name.to_string());
                    }
                    cell.items.push(ItemPart { range, item });
                }
                Stmt::Macro(call) if is_definition(&call, &own_macros, known) => {
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
                    patterns.push((local.pat, range.clone()));
                    cell.statements.push(range);
                }
                _ => cell.statements.push(range),
            }
        }
        cell.returns = outer.returns;
        cell.awaits = outer.awaits;
        let own: HashSet<String> = cell
            .items
            .iter()
            .flat_map(|part| names::of(&part.item))
            .collect();
        let mut names = BoundNames {
            is_constant: &|name| own.contains(name) || known.is_defined(name),
            statement: 0..0,
            found: Vec::new(),
        };
        for (pattern, statement) in &patterns {
            names.statement.clone_from(statement);
            names.visit_pat(pattern);
        }
        // The last of several declarations of a name is the variable.
        let mut seen = HashSet::new();
        let mut variables = names.found;
        variables.reverse();
        variables.retain(|one| seen.insert(one.name.clone()));
        variables.reverse();
        cell.variables = variables;
        Ok(cell)
    }

    /// The names of the functions and values that it defines, which hide earlier variables of the
    /// same names.
    pub fn hides(&self) -> BTreeSet<String> {
        let all = self.items.iter().flat_map(|part| names::spaces(&part.item));
        let values = all.filter(|(space, _)| *space == Namespace::Values);
        values.map(|(_, name)| name).collect()
    }

    /// A name that the cell defines twice, and the place of the second definition. Later cells
    /// could not tell the two apart.
    pub fn repeated(&self) -> Option<(String, Range<usize>)> {
        let mut seen = BTreeSet::new();
        self.items.iter().find_map(|part| {
            let again = names::spaces(&part.item)
                .into_iter()
                .find(|name| !seen.insert(name.clone()));
            again.map(|(_, name)| (name, part.range.clone()))
        })
    }
}

fn is_definition(call: &StmtMacro, own: &BTreeSet<String>, known: &dyn EarlierNames) -> bool {
    let name = call.mac.path.segments.last();
    let name = name.map_or(String::new(), |segment| segment.ident.to_string());
    names::is_defining(&call.mac) || own.contains(&name) || known.makes_items(&name)
}

/// Collects the names that patterns bind.
struct BoundNames<'a> {
    is_constant: &'a dyn Fn(&str) -> bool,
    statement: Range<usize>,
    found: Vec<DeclaredVariable>,
}

impl<'ast> Visit<'ast> for BoundNames<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = pattern.ident.to_string();
        // `None` and constants parse as bindings; they are recognised by their capitals.
        let is_constant =
            name.starts_with(char::is_uppercase) && (name == "None" || (self.is_constant)(&name));
        if !is_constant {
            self.found.push(DeclaredVariable {
                name,
                is_mutable: pattern.mutability.is_some(),
                statement: self.statement.clone(),
            });
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}

/// Looks at the cell's own code, not inside its functions.
#[derive(Default)]
struct Outer {
    returns: Option<Range<usize>>,
    awaits: bool,
}

impl<'ast> Visit<'ast> for Outer {
    fn visit_expr_return(&mut self, found: &'ast ExprReturn) {
        let range = found.return_token.span.byte_range();
        self.returns.get_or_insert(range);
        visit::visit_expr_return(self, found);
    }

    fn visit_expr_await(&mut self, found: &'ast ExprAwait) {
        self.awaits = true;
        visit::visit_expr_await(self, found);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.awaits |= awaits(call.tokens.clone());
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// Whether tokens contain an `.await`.
fn awaits(tokens: TokenStream) -> bool {
    let mut after_dot = false;
    tokens.into_iter().any(|token| {
        let was_dot = std::mem::take(&mut after_dot);
        match token {
            TokenTree::Group(group) => awaits(group.stream()),
            TokenTree::Ident(word) => was_dot && word == "await",
            TokenTree::Punct(punct) => {
                after_dot = punct.as_char() == '.';
                false
            }
            TokenTree::Literal(_) => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> ParsedCell {
        ParsedCell::parse(text, &()).expect("Rust")
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
