//! One definition of a cell: what it is called, and how its text becomes visible to other crates.

use crate::cell::ItemPart;
use crate::mentions::mentions;
use crate::source_text::{Origin, SourceText};
use crate::surroundings::{Id, Surroundings, module};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Field, ImplItem, Item, ItemStatic, Stmt, Visibility};

/// What an `impl` block belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplHeader {
    /// `Display for Word`, or `Word`, as it is written.
    pub text: String,
    /// Whether it is of a trait.
    pub is_of_trait: bool,
    /// Its methods, constants and types, and where they stand in the text of the cell.
    pub members: BTreeMap<String, Range<usize>>,
}

/// What a definition is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has a name.
    Named,
    /// A trait: its methods can be called where it is not mentioned.
    Trait,
    Impl(ImplHeader),
    /// A macro made it: its names are known to the compiler alone.
    Made,
}

/// A `static` of a definition.
#[derive(Clone, Debug)]
pub struct Static {
    /// Its range in the text of the cell.
    range: Range<usize>,
    /// Where `static` stands, after attributes and `pub`.
    keyword: usize,
    name: String,
    /// `mut X: T`, or `X: T`.
    declaration: Range<usize>,
    is_mutable: bool,
}

/// A definition that cells can use.
#[derive(Clone, Debug)]
pub struct Definition {
    pub id: Id,
    /// The number of the cell that has defined it.
    pub cell: u64,
    pub kind: Kind,
    /// The names that it defines.
    pub names: Vec<String>,
    /// The whole text of the cell.
    pub text: Rc<str>,
    pub range: Range<usize>,
    pub mentions: BTreeSet<String>,
    /// The cell, as the front end knows it.
    pub key: Option<String>,
    /// What its names mean: what they meant when the cell ran.
    pub surroundings: Surroundings,
    /// Members of an `impl` block that a newer one has.
    left_out: Vec<Range<usize>>,
    statics: Vec<Static>,
    /// The library in which its statics have their storage, once it is compiled.
    pub statics_in: Option<PathBuf>,
    visible: Visible,
}

/// Where `pub` has to stand so that later cells can use what the cell itself could.
#[derive(Clone, Debug, Default)]
struct Visible {
    /// Bytes before which it is put.
    before: BTreeSet<usize>,
    /// `pub(crate)` and the like, which it replaces.
    instead: BTreeMap<usize, usize>,
}

impl Definition {
    pub fn new(id: Id, cell: u64, text: &Rc<str>, part: &ItemPart) -> Definition {
        let mut visible = Visible::default();
        visible.item(&part.item);
        let mut found = Statics::default();
        found.visit_item(&part.item);
        let code = &text[part.range.clone()];
        let (kind, name) = kind_and_name(&part.item);
        Definition {
            id,
            cell,
            kind,
            names: name.into_iter().collect(),
            text: Rc::clone(text),
            range: part.range.clone(),
            mentions: mentions(code),
            key: None,
            surroundings: Surroundings::default(),
            left_out: Vec::new(),
            statics: found.0,
            statics_in: None,
            visible,
        }
    }

    /// Its text, as the learner wrote it.
    pub fn code(&self) -> &str {
        &self.text[self.range.clone()]
    }

    pub fn has_statics(&self) -> bool {
        !self.statics.is_empty()
    }

    /// What the names in the head of an `impl` block mean.
    pub fn head_binds(&self) -> BTreeMap<String, Id> {
        let mut binds = self.surroundings.binds.clone();
        match &self.kind {
            Kind::Impl(header) => {
                let names = mentions(&header.text);
                binds.retain(|name, _| names.contains(name));
            }
            _ => binds.clear(),
        }
        binds
    }

    /// Leaves out members that a newer `impl` block has.
    pub fn leave_out(&mut self, names: &[String]) {
        if let Kind::Impl(header) = &mut self.kind {
            let ranges = names.iter().filter_map(|name| header.members.remove(name));
            self.left_out.extend(ranges);
        }
    }

    /// Writes it with `pub` wherever another crate may need it. Statics that have their storage in
    /// an earlier library are declared, and not defined again.
    pub fn write(&self, source: &mut SourceText) {
        let mut at = self.range.start;
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for place in &self.visible.before {
            changes.push((*place..*place, "pub ".to_owned()));
        }
        for (start, end) in &self.visible.instead {
            changes.push((*start..*end, "pub ".to_owned()));
        }
        for (number, one) in self.statics.iter().enumerate() {
            let symbol = format!("{}_static_{number}_{}", module(self.id), one.name);
            if self.statics_in.is_some() {
                changes.retain(|(range, _)| !one.range.contains(&range.start));
                let safe = if one.is_mutable { "" } else { "safe " };
                let declaration = &self.text[one.declaration.clone()];
                let declared = format!(
                    "unsafe extern \"Rust\" {{ #[link_name = \"{symbol}\"] pub {safe}static \
                     {declaration}; }}"
                );
                changes.push((one.range.clone(), declared));
            } else {
                let attribute = format!("#[unsafe(export_name = \"{symbol}\")] ");
                changes.push((one.keyword..one.keyword, attribute));
            }
        }
        for range in &self.left_out {
            changes.retain(|(other, _)| !range.contains(&other.start));
            changes.push((range.clone(), String::new()));
        }
        // An attribute stands before `pub` at the same place.
        changes.sort_by_key(|(range, text)| (range.start, !text.starts_with('#')));
        for (range, text) in changes {
            if range.start > at {
                source.cell(self.cell, &self.text, at..range.start);
            }
            source.push(&text, Origin::Around);
            at = at.max(range.end);
        }
        source.cell(self.cell, &self.text, at..self.range.end);
    }
}

fn kind_and_name(item: &Item) -> (Kind, Option<String>) {
    let named = |ident: &syn::Ident| (Kind::Named, Some(ident.to_string()));
    match item {
        Item::Const(item) => named(&item.ident),
        Item::Enum(item) => named(&item.ident),
        Item::ExternCrate(item) => named(&item.ident),
        Item::Fn(item) => named(&item.sig.ident),
        Item::Mod(item) => named(&item.ident),
        Item::Static(item) => named(&item.ident),
        Item::Struct(item) => named(&item.ident),
        Item::Type(item) => named(&item.ident),
        Item::Union(item) => named(&item.ident),
        Item::Trait(item) => (Kind::Trait, Some(item.ident.to_string())),
        Item::TraitAlias(item) => (Kind::Trait, Some(item.ident.to_string())),
        Item::Impl(item) => {
            let target = text_of(&item.self_ty);
            let text = match &item.trait_ {
                Some((_, path, _)) => format!("{} for {target}", text_of(path)),
                None => target,
            };
            let member = |item: &ImplItem| {
                let name = match item {
                    ImplItem::Const(one) => &one.ident,
                    ImplItem::Fn(one) => &one.sig.ident,
                    ImplItem::Type(one) => &one.ident,
                    _ => return None,
                };
                Some((name.to_string(), item.span().byte_range()))
            };
            let header = ImplHeader {
                text,
                is_of_trait: item.trait_.is_some(),
                members: item.items.iter().filter_map(member).collect(),
            };
            (Kind::Impl(header), None)
        }
        _ => (Kind::Made, None),
    }
}

/// The text of a piece of syntax, with single spaces.
fn text_of(piece: &impl Spanned) -> String {
    let text = piece.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Visible {
    /// Puts `pub` before what is private, at the place of its first word.
    fn one(&mut self, visibility: &Visibility, place: usize) {
        match visibility {
            Visibility::Inherited => {
                self.before.insert(place);
            }
            Visibility::Restricted(restricted) => {
                let range = restricted.span().byte_range();
                self.instead.insert(range.start, range.end);
            }
            Visibility::Public(_) => {}
        }
    }

    fn item(&mut self, item: &Item) {
        let start = |piece: &dyn Fn() -> proc_macro2::Span| piece().byte_range().start;
        match item {
            Item::Const(item) => self.one(&item.vis, start(&|| item.const_token.span())),
            Item::Enum(item) => self.one(&item.vis, start(&|| item.enum_token.span())),
            Item::ExternCrate(item) => self.one(&item.vis, start(&|| item.extern_token.span())),
            Item::Fn(item) => self.one(&item.vis, start(&|| item.sig.span())),
            Item::Mod(item) => {
                let place = item
                    .unsafety
                    .as_ref()
                    .map_or(item.mod_token.span(), Spanned::span);
                self.one(&item.vis, place.byte_range().start);
            }
            Item::Static(item) => self.one(&item.vis, start(&|| item.static_token.span())),
            Item::Struct(item) => {
                self.one(&item.vis, start(&|| item.struct_token.span()));
                self.fields(item.fields.iter());
            }
            Item::Trait(item) => {
                let words = [
                    item.unsafety.as_ref().map(Spanned::span),
                    item.auto_token.as_ref().map(Spanned::span),
                ];
                let first = words.into_iter().flatten().next();
                let place = first.unwrap_or_else(|| item.trait_token.span());
                self.one(&item.vis, place.byte_range().start);
            }
            Item::Type(item) => self.one(&item.vis, start(&|| item.type_token.span())),
            Item::Union(item) => {
                self.one(&item.vis, start(&|| item.union_token.span()));
                self.fields(item.fields.named.iter());
            }
            Item::Impl(block) if block.trait_.is_none() => {
                for member in &block.items {
                    match member {
                        ImplItem::Const(one) => {
                            self.one(&one.vis, start(&|| one.const_token.span()))
                        }
                        ImplItem::Fn(one) => self.one(&one.vis, start(&|| one.sig.span())),
                        ImplItem::Type(one) => self.one(&one.vis, start(&|| one.type_token.span())),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn fields<'a>(&mut self, fields: impl Iterator<Item = &'a Field>) {
        for field in fields {
            let place = match &field.ident {
                Some(name) => name.span(),
                None => field.ty.span(),
            };
            self.one(&field.vis, place.byte_range().start);
        }
    }
}

/// All statics, those in functions, too.
#[derive(Default)]
struct Statics(Vec<Static>);

impl Statics {
    fn add(&mut self, item: &ItemStatic) {
        let keyword = item.static_token.span().byte_range();
        let start = match &item.vis {
            Visibility::Inherited => keyword.start,
            visibility => visibility.span().byte_range().start,
        };
        let type_end = item.ty.span().byte_range().end;
        self.0.push(Static {
            range: start..item.span().byte_range().end,
            keyword: start,
            name: item.ident.to_string(),
            declaration: keyword.end + 1..type_end,
            is_mutable: matches!(item.mutability, syn::StaticMutability::Mut(_)),
        });
    }
}

impl<'ast> Visit<'ast> for Statics {
    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.add(item);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        visit::visit_stmt(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;

    fn definitions(text: &str) -> Vec<Definition> {
        let cell = Cell::parse(text, &|_| false).expect("Rust");
        let text: Rc<str> = text.into();
        let parts = cell.items.iter().enumerate();
        parts
            .map(|(id, part)| Definition::new(id, 1, &text, part))
            .collect()
    }

    fn written(text: &str) -> String {
        let mut source = SourceText::default();
        for one in definitions(text) {
            one.write(&mut source);
        }
        source.text().to_owned()
    }

    #[test]
    fn what_the_cell_can_use_other_crates_can() {
        let pairs = [
            (
                "#[derive(Debug)] struct P { x: i32, pub y: i32 }",
                "#[derive(Debug)] pub struct P { pub x: i32, pub y: i32 }",
            ),
            (
                "struct Q(i32, pub(crate) u8);",
                "pub struct Q(pub i32, pub  u8);",
            ),
            ("const fn f() {}", "pub const fn f() {}"),
            (
                "impl P { fn a(&self) {} pub fn b() {} const C: i32 = 1; }",
                "impl P { pub fn a(&self) {} pub fn b() {} pub const C: i32 = 1; }",
            ),
            (
                "impl Clone for P { fn clone(&self) -> P { P } }",
                "impl Clone for P { fn clone(&self) -> P { P } }",
            ),
            (
                "unsafe trait T { fn f(); }",
                "pub unsafe trait T { fn f(); }",
            ),
            ("mod m { fn hidden() {} }", "pub mod m { fn hidden() {} }"),
        ];
        for (text, expected) in pairs {
            assert_eq!(written(text), expected);
        }
    }

    #[test]
    fn a_static_is_defined_once_and_declared_from_then_on() {
        let text =
            "fn next() -> u32 { static N: AtomicU32 = AtomicU32::new(0); N.fetch_add(1, SeqCst) }";
        let mut found = definitions(text);
        let mut source = SourceText::default();
        found[0].write(&mut source);
        assert!(
            source
                .text()
                .contains("#[unsafe(export_name = \"item_0_static_0_N\")] static N")
        );
        found[0].statics_in = Some("lib.so".into());
        let mut source = SourceText::default();
        found[0].write(&mut source);
        let declared = "unsafe extern \"Rust\" { #[link_name = \"item_0_static_0_N\"] pub safe static N: AtomicU32; } N.";
        assert!(source.text().contains(declared), "{}", source.text());
    }

    #[test]
    fn an_impl_knows_what_it_belongs_to() {
        let found =
            definitions("impl<T: Copy> std::fmt::Display\n  for Pair<T> { fn fmt(&self) {} }");
        let Kind::Impl(header) = &found[0].kind else {
            panic!("{:?}", found[0].kind);
        };
        assert_eq!(header.text, "std::fmt::Display for Pair<T>");
        assert!(header.members.contains_key("fmt"));
    }
}
