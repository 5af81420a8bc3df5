//! Items in the text of macros. Generated items have the visibility written in the macro's rules,
//! so making them usable in later cells takes a `pub` in the rules.

use crate::piece::Change;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Macro, Token, Type, Visibility};

/// Whether a macro's text expands to items, and the changes that make these visible.
#[derive(Clone, Debug, Default)]
pub struct MacroOutput {
    /// Whether the expansion is valid in item position.
    pub is_items: bool,
    /// Insertions of the missing `pub`s.
    pub changes: Vec<Change>,
}

/// Describes what a macro's rules expand to.
pub fn of_rules(rules: TokenStream) -> MacroOutput {
    let mut made = MacroOutput::default();
    let trees: Vec<TokenTree> = rules.into_iter().collect();
    for three in trees.windows(3) {
        if let [first, second, TokenTree::Group(transcriber)] = three
            && is_punct(Some(first), '=')
            && is_punct(Some(second), '>')
        {
            let one = of_items(transcriber.stream());
            made.is_items |= one.is_items;
            made.changes.extend(one.changes);
        }
    }
    made
}

/// Describes an expansion to these tokens, which may or may not be items.
pub fn of_items(tokens: TokenStream) -> MacroOutput {
    let mut scan = Scan::default();
    scan.items(tokens);
    MacroOutput {
        is_items: scan.has_items && !scan.has_others,
        changes: scan.changes,
    }
}

/// The names and types of the statics in a `thread_local!`.
pub fn thread_locals(call: &Macro) -> Vec<(Ident, Type)> {
    if call
        .path
        .segments
        .last()
        .is_none_or(|last| last.ident != "thread_local")
    {
        return Vec::new();
    }
    let all = |input: ParseStream| {
        let mut found = Vec::new();
        while !input.is_empty() {
            Attribute::parse_outer(input)?;
            input.parse::<Visibility>()?;
            input.parse::<Token![static]>()?;
            let name = input.parse()?;
            input.parse::<Token![:]>()?;
            found.push((name, input.parse()?));
            input.parse::<Token![=]>()?;
            input.parse::<Expr>()?;
            input.parse::<Option<Token![;]>>()?;
        }
        Ok(found)
    };
    all.parse2(call.tokens.clone()).unwrap_or_default()
}

#[derive(Default)]
struct Scan {
    has_items: bool,
    /// Set once something other than an item is found.
    has_others: bool,
    changes: Vec<Change>,
}

impl Scan {
    fn items(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            at = self.item(&trees, at);
        }
    }

    /// Scans the item that starts at `at`; returns the position after it.
    fn item(&mut self, trees: &[TokenTree], at: usize) -> usize {
        let at = after_attributes(trees, at);
        if let Some((group, next)) = repetition(trees, at) {
            self.items(group.stream());
            return next;
        }
        let first = match (word(trees, at).as_str(), is_punct(trees.get(at), '$')) {
            ("pub", _) => {
                at + 1 + usize::from(group(trees, at + 1, Delimiter::Parenthesis).is_some())
            }
            (_, true) if is_item(&word(trees, at + 2)) => at + 2,
            _ => at,
        };
        let mut kind = first;
        let is_foreign = loop {
            let next = word(trees, kind + 1);
            match word(trees, kind).as_str() {
                "unsafe" | "async" | "safe" => kind += 1,
                "const" if ["fn", "unsafe", "async", "extern"].contains(&next.as_str()) => {
                    kind += 1
                }
                "extern" if next != "crate" => {
                    kind +=
                        1 + usize::from(matches!(trees.get(kind + 1), Some(TokenTree::Literal(_))));
                    if group(trees, kind, Delimiter::Brace).is_some() {
                        break true;
                    }
                }
                _ => break false,
            }
        };
        let kind_word = word(trees, kind);
        let is_short = ["const", "static", "type", "use", "extern"].contains(&kind_word.as_str());
        let is_end = |tree: &TokenTree| match tree {
            TokenTree::Group(group) => !is_short && group.delimiter() == Delimiter::Brace,
            _ => is_punct(Some(tree), ';'),
        };
        let end = trees[at..]
            .iter()
            .position(is_end)
            .map_or(trees.len(), |place| at + place + 1);
        let body = group(trees, end - 1, Delimiter::Brace);
        match kind_word.as_str() {
            _ if is_foreign => self.members(body),
            "impl" => {
                let head = kind..end;
                let is_of_trait = head.into_iter().any(|place| {
                    word(trees, place) == "for" && !is_punct(trees.get(place + 1), '<')
                });
                if !is_of_trait {
                    self.members(body);
                }
            }
            "use" | "macro_rules" => {}
            one if is_item(one) && group(trees, kind + 1, Delimiter::Brace).is_none() => {
                self.visible(trees, at, first);
                if ["struct", "union"].contains(&one) {
                    let parts = &trees[kind..end];
                    let fields = parts.iter().rev().find_map(|tree| match tree {
                        TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket => {
                            Some(group)
                        }
                        _ => None,
                    });
                    if let Some(fields) = fields {
                        self.fields(fields.stream());
                    }
                }
            }
            // Not an item, unless it is a macro call or a fragment, which may stand for one.
            _ => {
                let is_call = is_punct(trees.get(kind + 1), '!') || is_punct(trees.get(kind), '$');
                self.has_others |= !is_call;
                return end;
            }
        }
        self.has_items = true;
        end
    }

    fn members(&mut self, body: Option<&Group>) {
        if let Some(body) = body {
            self.items(body.stream());
        }
    }

    fn fields(&mut self, fields: TokenStream) {
        let trees: Vec<TokenTree> = fields.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            at = after_attributes(&trees, at);
            if let Some((group, next)) = repetition(&trees, at) {
                self.fields(group.stream());
                at = next;
                continue;
            }
            // `$vis $name: $type`, `$vis $type`
            let is_fragment = is_punct(trees.get(at), '$')
                && (is_punct(trees.get(at + 2), '$') || !word(&trees, at + 2).is_empty());
            if at < trees.len() && !is_punct(trees.get(at), ',') && word(&trees, at) != "pub" {
                self.visible(&trees, at, if is_fragment { at + 2 } else { at });
            }
            let mut depth = 0_i32;
            while at < trees.len() && !(depth == 0 && is_punct(trees.get(at), ',')) {
                let is_arrow = at > 0 && is_punct(trees.get(at - 1), '-');
                depth += i32::from(is_punct(trees.get(at), '<'));
                depth -= i32::from(is_punct(trees.get(at), '>') && !is_arrow);
                at += 1;
            }
            at += 1;
        }
    }

    /// Inserts `pub` at `first`, replacing everything from `at` up to there.
    fn visible(&mut self, trees: &[TokenTree], at: usize, first: usize) {
        let start = |place: usize| trees[place].span().byte_range().start;
        if let Some(end) = (first < trees.len()).then(|| start(first)) {
            self.changes.push((start(at)..end, "pub ".to_owned()));
        }
    }
}

fn is_punct(tree: Option<&TokenTree>, c: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

fn word(trees: &[TokenTree], at: usize) -> String {
    match trees.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    }
}

fn group(trees: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match trees.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

fn is_item(word: &str) -> bool {
    const WORDS: [&str; 13] = [
        "async", "const", "enum", "extern", "fn", "mod", "safe", "static", "struct", "trait",
        "type", "union", "unsafe",
    ];
    WORDS.contains(&word)
}

fn after_attributes(trees: &[TokenTree], mut at: usize) -> usize {
    while is_punct(trees.get(at), '#') && group(trees, at + 1, Delimiter::Bracket).is_some() {
        at += 2;
    }
    match repetition(trees, at) {
        // `$(#[$attribute])*`
        Some((group, next))
            if is_punct(group.stream().into_iter().next().as_ref(), '#')
                && group.stream().into_iter().count() == 2 =>
        {
            after_attributes(trees, next)
        }
        _ => at,
    }
}

/// The inside of a `$(...),*` at `at`, and the position after it.
fn repetition(trees: &[TokenTree], at: usize) -> Option<(&Group, usize)> {
    let inner =
        group(trees, at + 1, Delimiter::Parenthesis).filter(|_| is_punct(trees.get(at), '$'))?;
    let is_sign = |at: usize| ['*', '+', '?'].iter().any(|c| is_punct(trees.get(at), *c));
    Some((inner, at + if is_sign(at + 2) { 3 } else { 4 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, made: impl Fn(TokenStream) -> MacroOutput) -> (bool, String) {
        let mut made = made(text.parse().expect("tokens"));
        let mut text = text.to_owned();
        made.changes
            .sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, word) in made.changes {
            text.replace_range(range, &word);
        }
        (made.is_items, text)
    }

    #[test]
    fn what_rules_make_is_visible() {
        let pairs = [
            (
                "($n:ident) => { #[derive(Debug)] struct $n; }",
                "($n:ident) => { #[derive(Debug)] pub struct $n; }",
            ),
            (
                "() => { $(#[$m])* $v struct $n { $($fv $f: Vec<A, $t>),*, b: fn(A) -> Map<B, C>, pub c: i32 } }",
                "() => { $(#[$m])* pub struct $n { $(pub $f: Vec<A, $t>),*, pub b: fn(A) -> Map<B, C>, pub c: i32 } }",
            ),
            (
                "() => { struct $n($a, $v $b, Map<u8, u8>); const fn one() {} }",
                "() => { pub struct $n(pub $a, pub $b, pub Map<u8, u8>); pub const fn one() {} }",
            ),
            (
                "() => { impl<T> $n<T> where T: for<'a> Fn(&'a u8) { fn a() {} const B: u8 = { 1 }; } impl A for B { fn c() {} }  }",
                "() => { impl<T> $n<T> where T: for<'a> Fn(&'a u8) { pub fn a() {} pub const B: u8 = { 1 }; } impl A for B { fn c() {} }  }",
            ),
            (
                "() => { $(static $n: u8 = 1;)* unsafe extern \"C\" { fn abs(); } enum E { A } }",
                "() => { $(pub static $n: u8 = 1;)* unsafe extern \"C\" { pub fn abs(); } pub enum E { A } }",
            ),
            (
                "(a) => { fn a() {} other! {} $item }; (b) => { 1 + 1 }",
                "(a) => { pub fn a() {} other! {} $item }; (b) => { 1 + 1 }",
            ),
        ];
        for (text, expected) in pairs {
            assert_eq!(changed(text, of_rules), (true, expected.to_owned()));
        }
        assert_eq!(
            changed("static ref A: u8 = 1;", of_items).1,
            "pub static ref A: u8 = 1;"
        );
    }

    #[test]
    fn what_makes_statements_or_a_value_is_no_item() {
        for text in [
            "($x:expr) => { $x + $x }",
            "() => { struct P; let p = P; }",
            "() => {{ struct P; P }}",
            "() => { unsafe { a() } }",
            "() => { const { 1 } }",
            "() => { fn a() {} a() }",
            "() => {}",
            "=> { struct P;",
        ] {
            let tokens = text.parse::<TokenStream>();
            assert!(
                !tokens.is_ok_and(|tokens| of_rules(tokens).is_items),
                "{text}"
            );
        }
    }

    #[test]
    fn thread_locals_have_names_and_types() {
        let names = |text: &str| -> Vec<String> {
            let call = syn::parse_str(text).expect("a macro");
            thread_locals(&call)
                .into_iter()
                .map(|(name, _)| name.to_string())
                .collect()
        };
        assert_eq!(
            names(
                "std::thread_local! { #[doc = \"\"] static A: Cell<u8> = const { Cell::new(1) }; pub static B: u8 = 1 }"
            ),
            ["A", "B"]
        );
        assert!(names("thread_local! { let }").is_empty());
        assert!(names("other! { static A: u8 = 1 }").is_empty());
    }
}
