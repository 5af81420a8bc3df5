//! The declarations in a list of items, with their names and documentation.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ImplItem, Item as Syntax, Lit, Meta, ReturnType, Signature, Type};

/// An item that can be named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub kind: ItemKind,
    /// Its name as used, with any parameters: `title(title)`.
    pub text: String,
    pub declaration: String,
    pub documentation: String,
    /// The name of the type that a function returns.
    pub returns: Option<String>,
    pub is_public: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ItemKind {
    Function,
    Field,
    Type,
    Module,
    Constant,
    Macro,
}

/// Items by name.
pub type Items = BTreeMap<String, Item>;

/// The declarations in a list of items.
#[derive(Default)]
pub struct Declared {
    pub items: Items,
    /// The methods, fields and variants of each type, by type name.
    pub members: BTreeMap<String, Items>,
}

/// Adds an item. A private item never replaces a public one: a private field does not hide the
/// method of the same name.
pub fn put(items: &mut Items, name: String, item: Item) {
    let is_hiding = |one: &Item| one.is_public && !item.is_public;
    if !items.get(&name).is_some_and(is_hiding) {
        items.insert(name, item);
    }
}

impl ItemKind {
    /// The word that front ends show.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::Function | ItemKind::Macro => "function",
            ItemKind::Field => "field",
            ItemKind::Type => "type",
            ItemKind::Module => "module",
            ItemKind::Constant => "constant",
        }
    }
}

impl Declared {
    /// Adds the declarations of an item.
    pub fn add(&mut self, item: &Syntax) {
        let (name, one) = match item {
            Syntax::Fn(item) => function(&item.sig, &item.attrs, is_public(&item.vis), ""),
            Syntax::Struct(item) => {
                let members = self.members.entry(item.ident.to_string()).or_default();
                for field in &item.fields {
                    if let Some(name) = &field.ident {
                        let public = is_public(&field.vis);
                        let one = of(
                            ItemKind::Field,
                            name,
                            &source(field.ty.span()),
                            &field.attrs,
                            public,
                        );
                        let declaration = format!("{name}: {}", one.declaration);
                        put(members, name.to_string(), Item { declaration, ..one });
                    }
                }
                named(
                    ItemKind::Type,
                    "struct",
                    &item.ident,
                    &item.attrs,
                    &item.vis,
                )
            }
            Syntax::Enum(item) => {
                let members = self.members.entry(item.ident.to_string()).or_default();
                for variant in &item.variants {
                    let code = format!("{}::{}", item.ident, variant.ident);
                    let one = of(
                        ItemKind::Constant,
                        &variant.ident,
                        &code,
                        &variant.attrs,
                        true,
                    );
                    members.insert(variant.ident.to_string(), one);
                }
                named(ItemKind::Type, "enum", &item.ident, &item.attrs, &item.vis)
            }
            Syntax::Trait(item) => {
                named(ItemKind::Type, "trait", &item.ident, &item.attrs, &item.vis)
            }
            Syntax::Type(item) => {
                named(ItemKind::Type, "type", &item.ident, &item.attrs, &item.vis)
            }
            Syntax::Mod(item) => {
                named(ItemKind::Module, "mod", &item.ident, &item.attrs, &item.vis)
            }
            Syntax::Const(item) => named(
                ItemKind::Constant,
                "const",
                &item.ident,
                &item.attrs,
                &item.vis,
            ),
            Syntax::Static(item) => named(
                ItemKind::Constant,
                "static",
                &item.ident,
                &item.attrs,
                &item.vis,
            ),
            Syntax::Macro(item) => {
                let Some(name) = &item.ident else { return };
                let is_exported = |one: &Attribute| one.path().is_ident("macro_export");
                let public = item.attrs.iter().any(is_exported);
                let code = format!("macro_rules! {name}");
                let one = of(ItemKind::Macro, name, &code, &item.attrs, public);
                let text = format!("{name}!()");
                (name.to_string(), Item { text, ..one })
            }
            Syntax::Impl(item) => {
                let Some(of_type) = type_name(&item.self_ty) else {
                    return;
                };
                let members = self.members.entry(of_type.clone()).or_default();
                for member in &item.items {
                    if let ImplItem::Fn(one) = member {
                        let public = is_public(&one.vis); // always false in the `impl` of a trait
                        let (name, one) = function(&one.sig, &one.attrs, public, &of_type);
                        put(members, name, one);
                    }
                }
                return;
            }
            _ => return,
        };
        self.items.insert(name, one);
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn named(
    kind: ItemKind,
    keyword: &str,
    name: &syn::Ident,
    attributes: &[Attribute],
    visibility: &syn::Visibility,
) -> (String, Item) {
    let code = format!("{keyword} {name}");
    let one = of(kind, name, &code, attributes, is_public(visibility));
    (name.to_string(), one)
}

fn of(
    kind: ItemKind,
    name: &syn::Ident,
    code: &str,
    attributes: &[Attribute],
    is_public: bool,
) -> Item {
    Item {
        kind,
        text: name.to_string(),
        declaration: code.to_owned(),
        documentation: documentation(attributes),
        returns: None,
        is_public: is_public && !is_hidden(attributes),
    }
}

fn function(
    signature: &Signature,
    attributes: &[Attribute],
    is_public: bool,
    of_type: &str,
) -> (String, Item) {
    let name = signature.ident.to_string();
    let arguments = signature.inputs.iter().filter_map(|one| match one {
        syn::FnArg::Receiver(_) => None,
        syn::FnArg::Typed(one) => match &*one.pat {
            syn::Pat::Ident(pattern) => Some(pattern.ident.to_string()),
            _ => Some("_".to_owned()),
        },
    });
    let arguments: Vec<String> = arguments.collect();
    let returns = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, returned) => type_name(returned),
    };
    let code = source(signature.span());
    let one = of(
        ItemKind::Function,
        &signature.ident,
        &code,
        attributes,
        is_public,
    );
    let is_own = returns.as_deref() == Some("Self");
    let item = Item {
        text: format!("{name}({})", arguments.join(", ")),
        returns: returns.map(|name| if is_own { of_type.to_owned() } else { name }),
        ..one
    };
    (name, item)
}

/// The last segment of a type's path.
pub fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|one| one.ident.to_string()),
        Type::Reference(inner) => type_name(&inner.elem),
        _ => None,
    }
}

/// The source of a span, on one line.
fn source(span: proc_macro2::Span) -> String {
    let code = span.source_text().unwrap_or_default();
    let words: Vec<&str> = code.split_whitespace().collect();
    let line = words.join(" ");
    line.replace("( ", "(")
        .replace(", )", ")")
        .replace("< ", "<")
        .replace(", >", ">")
}

fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').map(str::to_owned).unwrap_or(line))
        .collect();
    lines.join("\n")
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_say_what_a_learner_asks_for() {
        let source = "
            /// Scores.
            ///
            /// Of all.
            pub fn scores<A: Real>(
                q: &A,
                (a, b): (u8, u8),
            ) -> Matrix<A> { loop {} }
            struct P { pub x: u8, y: Vec<u8> }
            impl<T> P { pub fn new() -> Self { loop {} } fn one(&self, n: u8) {} }
            enum Mask { None }
            #[doc(hidden)] pub mod scene {}
        ";
        let mut declared = Declared::default();
        for item in &syn::parse_file(source).expect("Rust").items {
            declared.add(item);
        }
        let scores = &declared.items["scores"];
        let code = "fn scores<A: Real>(q: &A, (a, b): (u8, u8)) -> Matrix<A>";
        assert_eq!(scores.declaration, code);
        assert_eq!(scores.documentation, "Scores.\n\nOf all.");
        assert_eq!(
            (scores.text.as_str(), scores.is_public),
            ("scores(q, _)", true)
        );
        assert_eq!(scores.returns.as_deref(), Some("Matrix"));
        let p = &declared.members["P"];
        assert_eq!(p.keys().collect::<Vec<_>>(), ["new", "one", "x", "y"]);
        assert_eq!(p["new"].returns.as_deref(), Some("P"));
        assert_eq!(p["y"].declaration, "y: Vec<u8>");
        assert_eq!(declared.members["Mask"]["None"].declaration, "Mask::None");
        assert!(!declared.items["scene"].is_public);
    }
}
