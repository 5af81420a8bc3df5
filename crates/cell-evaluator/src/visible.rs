//! Where to insert `pub` so that later cells can use whatever the cell itself can.

use crate::piece::Change;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::{Field, ForeignItem, ImplItem, Item, Safety, Visibility};

/// The changes that make an item and its contents visible to other crates.
pub fn item(item: &Item) -> Vec<Change> {
    let mut visible = Visible(Vec::new());
    visible.item(item);
    visible.0
}

/// The change that inserts `pub` at a place.
pub fn before(place: usize) -> Change {
    (place..place, "pub ".to_owned())
}

struct Visible(Vec<Change>);

fn range(piece: &impl Spanned) -> Range<usize> {
    piece.span().byte_range()
}

impl Visible {
    /// Inserts `pub` before `first`, replacing `pub(crate)` and the like.
    fn one(&mut self, visibility: &Visibility, first: &impl Spanned) {
        match visibility {
            Visibility::Inherited => self.0.push(before(range(first).start)),
            Visibility::Restricted(restricted) => {
                self.0.push((range(restricted), "pub".to_owned()))
            }
            Visibility::Public(_) => {}
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(item) => self.one(&item.vis, &item.const_token),
            Item::Enum(item) => self.one(&item.vis, &item.enum_token),
            Item::ExternCrate(item) => self.one(&item.vis, &item.extern_token),
            Item::Fn(item) => self.one(&item.vis, &item.sig),
            Item::Mod(item) => match &item.unsafety {
                Some(word) => self.one(&item.vis, word),
                None => self.one(&item.vis, &item.mod_token),
            },
            Item::Static(item) => self.one(&item.vis, &item.static_token),
            Item::Struct(item) => {
                self.one(&item.vis, &item.struct_token);
                self.fields(item.fields.iter());
            }
            Item::Trait(item) => match (&item.unsafety, &item.modifiers.auto_token) {
                (Some(word), _) => self.one(&item.vis, word),
                (None, Some(word)) => self.one(&item.vis, word),
                (None, None) => self.one(&item.vis, &item.trait_token),
            },
            Item::Type(item) => self.one(&item.vis, &item.type_token),
            Item::Union(item) => {
                self.one(&item.vis, &item.union_token);
                self.fields(item.fields.named.iter());
            }
            Item::Impl(block) if block.trait_.is_none() => {
                for member in &block.items {
                    match member {
                        ImplItem::Const(one) => self.one(&one.vis, &one.const_token),
                        ImplItem::Fn(one) => self.one(&one.vis, &one.sig),
                        ImplItem::Type(one) => self.one(&one.vis, &one.type_token),
                        _ => {}
                    }
                }
            }
            Item::ForeignMod(block) => {
                for member in &block.items {
                    match member {
                        ForeignItem::Fn(one) => self.one(&one.vis, &one.sig),
                        ForeignItem::Static(one) => match &one.safety {
                            Safety::Safe(word) => self.one(&one.vis, word),
                            Safety::Unsafe(word) => self.one(&one.vis, word),
                            Safety::Default => self.one(&one.vis, &one.static_token),
                        },
                        ForeignItem::Type(one) => self.one(&one.vis, &one.type_token),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn fields<'a>(&mut self, fields: impl Iterator<Item = &'a Field>) {
        for field in fields {
            match &field.ident {
                Some(name) => self.one(&field.vis, name),
                None => self.one(&field.vis, &field.ty),
            }
        }
    }
}
