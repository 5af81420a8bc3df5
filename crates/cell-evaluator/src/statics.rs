//! Statics keep their storage in the library that first defined them; later versions of the crate
//! only declare them.

use crate::macro_text::thread_locals;
use crate::piece::Change;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Item, ItemMacro, ItemStatic, StmtMacro, Visibility};

/// A `static` item, or a `thread_local!` with all the statics it declares.
#[derive(Clone, Debug)]
struct StaticItem {
    /// Its range in the cell's text.
    range: Range<usize>,
    is_thread_local: bool,
    all: Vec<Static>,
}

#[derive(Clone, Debug)]
struct Static {
    name: String,
    /// The range of its type in the text.
    of: Range<usize>,
    is_mutable: bool,
}

/// All statics of a definition, including those in functions and modules.
#[derive(Clone, Debug, Default)]
pub struct Statics(Vec<StaticItem>);

impl Statics {
    pub fn of(item: &Item) -> Statics {
        let mut found = Statics::default();
        found.visit_item(item);
        found
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changes that export the statics for later libraries or, if `are_declared`, replace them
    /// with declarations of those in an earlier one. `of` is the prefix of their symbol names.
    pub fn changes(&self, text: &str, of: &str, are_declared: bool) -> Vec<Change> {
        let mut changes = Vec::new();
        for (number, place) in self.0.iter().enumerate() {
            let mut declared = String::new();
            for one in &place.all {
                let (name, kind) = (&one.name, &text[one.of.clone()]);
                let symbol = format!("{of}_static_{number}_{name}");
                let kind = match place.is_thread_local {
                    true => format!("::std::thread::LocalKey<{kind}>"),
                    false => kind.to_owned(),
                };
                if are_declared {
                    let words = if one.is_mutable {
                        "static mut"
                    } else {
                        "safe static"
                    };
                    declared +=
                        &format!("#[link_name = \"{symbol}\"] pub {words} {name}: {kind}; ");
                    continue;
                }
                let export = format!("#[unsafe(export_name = \"{symbol}\")] ");
                changes.push(match place.is_thread_local {
                    // The key is a constant: a copy of it refers to the same storage.
                    true => (
                        place.range.end..place.range.end,
                        format!("\n{export}static __{name}: {kind} = {name};"),
                    ),
                    false => (place.range.start..place.range.start, export),
                });
            }
            if are_declared {
                changes.push((
                    place.range.clone(),
                    format!("unsafe extern \"Rust\" {{ {declared}}}"),
                ));
            }
        }
        changes
    }

    fn add_thread_locals(&mut self, call: &syn::Macro, range: Range<usize>) {
        let all = thread_locals(call).into_iter().map(|(name, of)| Static {
            name: name.to_string(),
            of: of.span().byte_range(),
            is_mutable: false,
        });
        let all: Vec<Static> = all.collect();
        if !all.is_empty() {
            self.0.push(StaticItem {
                range,
                is_thread_local: true,
                all,
            });
        }
    }
}

impl<'ast> Visit<'ast> for Statics {
    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        let start = match &item.vis {
            Visibility::Inherited => item.static_token.span().byte_range().start,
            visibility => visibility.span().byte_range().start,
        };
        let one = Static {
            name: item.ident.to_string(),
            of: item.ty.span().byte_range(),
            is_mutable: matches!(item.mutability, syn::StaticMutability::Mut(_)),
        };
        let range = start..item.span().byte_range().end;
        self.0.push(StaticItem {
            range,
            is_thread_local: false,
            all: vec![one],
        });
        visit::visit_item_static(self, item);
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        self.add_thread_locals(&item.mac, item.span().byte_range());
    }

    fn visit_stmt_macro(&mut self, call: &'ast StmtMacro) {
        self.add_thread_locals(&call.mac, call.span().byte_range());
    }
}
