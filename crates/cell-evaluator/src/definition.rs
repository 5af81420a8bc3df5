//! A definition in a cell: its names, and how its text is made visible to other crates.

use crate::macro_text;
use crate::mentions::mentions;
use crate::names;
use crate::parsed_cell::ItemPart;
use crate::piece::{Change, Piece};
use crate::source_text::SourceText;
use crate::statics::Statics;
use crate::surroundings::{Id, Surroundings, module};
use crate::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ImplItem, Item};

/// The head of an `impl` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplHeader {
    /// `Display for Word`, or just `Word`, as written.
    pub text: String,
    /// Whether it implements a trait.
    pub is_of_trait: bool,
    /// Its methods, constants and types, and their ranges in the text of the cell.
    pub members: BTreeMap<String, Range<usize>>,
}

/// The kind of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// Anything else: an item with a name, or a macro call that generates items.
    Other,
    /// A trait: its methods can be called where it is not mentioned.
    Trait,
    Impl(ImplHeader),
}

/// A definition that cells can use.
#[derive(Clone, Debug)]
pub struct Definition {
    pub id: Id,
    pub kind: DefinitionKind,
    /// The names that it certainly defines.
    pub names: Vec<String>,
    /// Whether a macro may have generated further names, which only the compiler knows.
    pub makes_others: bool,
    pub piece: Piece,
    pub mentions: BTreeSet<String>,
    /// The front end's identifier for the cell.
    pub key: Option<String>,
    /// Set once its cell has run again: only code written against it still needs it.
    pub is_forgotten: bool,
    /// The definitions and imports that its names referred to when the cell ran.
    pub surroundings: Surroundings,
    /// Members of an `impl` block that a newer block replaces.
    left_out: Vec<Range<usize>>,
    statics: Statics,
    /// The library that holds the storage of its statics, once it is compiled.
    pub statics_in: Option<PathBuf>,
}

impl Definition {
    pub fn new(id: Id, cell: u64, text: &Rc<str>, part: &ItemPart) -> Definition {
        let mut changes = visible::item(&part.item);
        if let Item::Macro(call) = &part.item
            && names::is_defining(&call.mac)
        {
            changes.extend(macro_text::of_items(call.mac.tokens.clone()).changes);
        }
        let piece = Piece {
            cell,
            text: Rc::clone(text),
            range: part.range.clone(),
            changes,
        };
        let names = names::of(&part.item);
        Definition {
            id,
            kind: kind(&part.item),
            makes_others: names::has_unknown(&part.item),
            names,
            mentions: mentions(piece.code()),
            piece,
            key: None,
            is_forgotten: false,
            surroundings: Surroundings::default(),
            left_out: Vec::new(),
            statics: Statics::of(&part.item),
            statics_in: None,
        }
    }

    pub fn has_statics(&self) -> bool {
        !self.statics.is_empty()
    }

    /// The definitions that the names in the head of an `impl` block refer to.
    pub fn head_binds(&self) -> BTreeMap<String, Id> {
        let mut binds = self.surroundings.binds.clone();
        match &self.kind {
            DefinitionKind::Impl(header) => {
                let names = mentions(&header.text);
                binds.retain(|name, _| names.contains(name));
            }
            _ => binds.clear(),
        }
        binds
    }

    /// Leaves out members that a newer `impl` block replaces.
    pub fn leave_out(&mut self, names: &[String]) {
        if let DefinitionKind::Impl(header) = &mut self.kind {
            let ranges = names.iter().filter_map(|name| header.members.remove(name));
            self.left_out.extend(ranges);
        }
    }

    /// Its text in the cell, without the members that a newer `impl` block replaces.
    pub fn own_text(&self) -> String {
        let piece = Piece {
            changes: Vec::new(),
            ..self.piece.clone()
        };
        let mut source = SourceText::default();
        piece.write(self.omissions(), &mut source);
        source.text().to_owned()
    }

    fn omissions(&self) -> Vec<Change> {
        let ranges = self.left_out.iter();
        ranges.map(|range| (range.clone(), String::new())).collect()
    }

    /// Writes it with `pub` wherever other crates may need it. Statics whose storage is in an
    /// earlier library are declared rather than defined again.
    pub fn write(&self, source: &mut SourceText) {
        let are_declared = self.statics_in.is_some();
        let mut changes = self
            .statics
            .changes(&self.piece.text, &module(self.id), are_declared);
        changes.extend(self.omissions());
        self.piece.write(changes, source);
    }
}

fn kind(item: &Item) -> DefinitionKind {
    let Item::Impl(item) = item else {
        return match item {
            Item::Trait(_) | Item::TraitAlias(_) => DefinitionKind::Trait,
            _ => DefinitionKind::Other,
        };
    };
    let target = text_of(&item.self_ty);
    let text = match &item.trait_ {
        Some((path, _)) => format!("{} for {target}", text_of(path)),
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
    DefinitionKind::Impl(ImplHeader {
        text,
        is_of_trait: item.trait_.is_some(),
        members: item.items.iter().filter_map(member).collect(),
    })
}

/// The text of a piece of syntax, with single spaces.
fn text_of(piece: &impl Spanned) -> String {
    let text = piece.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed_cell::ParsedCell;

    fn definitions(text: &str) -> Vec<Definition> {
        let cell = ParsedCell::parse(text, &()).expect("Rust");
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
                "pub struct Q(pub i32, pub u8);",
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
        let DefinitionKind::Impl(header) = &found[0].kind else {
            panic!("{:?}", found[0].kind);
        };
        assert_eq!(header.text, "std::fmt::Display for Pair<T>");
        assert!(header.members.contains_key("fmt"));
    }
}
