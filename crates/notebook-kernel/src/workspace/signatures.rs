//! Sources as type inference needs them: without the bodies of functions, which it does not look
//! into, and without what only people read. It keeps all that it has read in memory.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::ops::Range;

/// In the place of a body. It has every type.
const ANY: &str = "{loop{}}";
/// A constant function that is longer than this computes no length of an array.
const LONG: usize = 120;
/// What a matcher of a macro can match: a body with one of them is part of a pattern.
const FRAGMENTS: [&str; 14] = [
    "block",
    "expr",
    "ident",
    "item",
    "lifetime",
    "literal",
    "meta",
    "pat",
    "pat_param",
    "path",
    "stmt",
    "tt",
    "ty",
    "vis",
];

/// What only the compiler reads of an item; `unstable` is not among them, because completions go by
/// it.
const ATTRIBUTES: [&str; 15] = [
    "allow",
    "cold",
    "inline",
    "must_use",
    "rustc_allow_const_fn_unstable",
    "rustc_const_stable",
    "rustc_const_unstable",
    "rustc_diagnostic_item",
    "rustc_inherit_overflow_checks",
    "rustc_no_implicit_autorefs",
    "rustc_nounwind",
    "rustc_on_unimplemented",
    "rustc_should_not_be_called_on_const_items",
    "stable",
    "track_caller",
];
/// What people read, which is left out of macros alone.
const DOCUMENTATION: &str = "doc";

/// A piece of source and what it is.
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
}

impl Token<'_> {
    fn is_space(&self) -> bool {
        use TokenKind::{BlockComment, LineComment, Whitespace};
        matches!(
            self.kind,
            Whitespace | LineComment { .. } | BlockComment { .. }
        )
    }

    fn is_documentation(&self) -> bool {
        use TokenKind::{BlockComment, LineComment};
        matches!(
            self.kind,
            LineComment { doc_style: Some(_) }
                | BlockComment {
                    doc_style: Some(_),
                    ..
                }
        )
    }
}

/// The same signatures. Comments and what only the compiler reads are left out, documentation where
/// it stands in a macro, with every use of which it would be there again.
pub fn of(source: &str) -> String {
    let tokens = tokens(source);
    let mut out = String::with_capacity(source.len());
    let (mut next, mut macro_end, mut call_end) = (0, 0, 0);
    while let Some(token) = tokens.get(next) {
        if token.text == "macro_rules" && next >= macro_end {
            macro_end = end_of_macro(&tokens, next).unwrap_or(macro_end);
        }
        if token.text == "!" && next >= call_end {
            call_end = end_of_arguments(&tokens, next).unwrap_or(call_end);
        }
        // A macro may ask for an attribute among its arguments.
        if next >= call_end
            && let Some(end) = end_of_attribute(&tokens, next, next < macro_end)
        {
            next = end;
            continue;
        }
        let is_kept = !token.is_space() || token.kind == TokenKind::Whitespace;
        if is_kept || token.is_documentation() && next >= macro_end {
            out += token.text;
        } else {
            out.push(' '); // or two names would be one
        }
        next += 1;
        if token.text == "fn"
            && let Some(body) = body(&tokens, next - 1)
        {
            tokens[next..body.start].iter().for_each(|token| {
                let kept = !token.is_space() || token.kind == TokenKind::Whitespace;
                out += if kept { token.text } else { " " };
            });
            out += ANY;
            next = body.end;
        }
    }
    out
}

fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut rest = source;
    tokenize(source, FrontmatterAllowed::No)
        .map(|token| {
            let (text, after) = rest.split_at(token.len as usize);
            rest = after;
            let kind = token.kind;
            Token { kind, text }
        })
        .collect()
}

/// The body of the function whose `fn` is at this place, if it can be left out.
fn body(tokens: &[Token], place: usize) -> Option<Range<usize>> {
    let name = visible(tokens, place + 1)?;
    if !matches!(
        tokens[name].kind,
        TokenKind::Ident | TokenKind::RawIdent | TokenKind::Dollar
    ) {
        return None; // the type of a function
    }
    let (mut depth, mut start) = (0_usize, name);
    loop {
        match tokens.get(start)?.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            "{" if depth == 0 => break,
            ";" | "}" if depth == 0 => return None,
            "impl" => return None, // what it is only the body says
            _ => {}
        }
        start += 1;
    }
    let end = end_of_group(tokens, start)?;
    // `{ N }` in a type is no body.
    let after = visible(tokens, end).map_or("", |after| tokens[after].text);
    if [">", ",", "{", "where"].contains(&after) || has_fragment(&tokens[place..end]) {
        return None;
    }
    let before = tokens[..place]
        .iter()
        .rev()
        .filter(|token| !token.is_space());
    let is_constant = before.take(4).any(|token| token.text == "const");
    (!is_constant || end - start > LONG).then_some(start..end)
}

/// Whether `$name:fragment` is among the tokens.
fn has_fragment(tokens: &[Token]) -> bool {
    tokens
        .windows(2)
        .any(|pair| pair[0].kind == TokenKind::Colon && FRAGMENTS.contains(&pair[1].text))
}

/// Behind an attribute that nobody needs, if there is one at this place.
fn end_of_attribute(tokens: &[Token], place: usize, is_in_macro: bool) -> Option<usize> {
    let [sign, bracket, name] = tokens.get(place..place + 3)? else {
        return None;
    };
    let is_needless = ATTRIBUTES.contains(&name.text) || is_in_macro && name.text == DOCUMENTATION;
    let is_one = sign.text == "#" && bracket.text == "[" && is_needless;
    let end = is_one.then(|| end_of_group(tokens, place + 1))??;
    // `#[doc = $text:expr]` is what a macro matches.
    (!has_fragment(&tokens[place..end])).then_some(end)
}

/// Behind the rules of a macro.
fn end_of_macro(tokens: &[Token], place: usize) -> Option<usize> {
    let bang = visible(tokens, place + 1).filter(|at| tokens[*at].text == "!")?;
    let name = visible(tokens, bang + 1)?;
    end_of_group(tokens, visible(tokens, name + 1)?)
}

/// Behind the arguments of the macro that is called with this `!`.
fn end_of_arguments(tokens: &[Token], bang: usize) -> Option<usize> {
    let start = visible(tokens, bang + 1)?;
    let is_bracket = ["(", "[", "{"].contains(&tokens[start].text);
    is_bracket.then(|| end_of_group(tokens, start))?
}

/// Behind the bracket that closes the one at this place.
fn end_of_group(tokens: &[Token], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(place + 1);
        }
    }
    None
}

/// The first place from this one on that is no space and no comment.
fn visible(tokens: &[Token], from: usize) -> Option<usize> {
    (from..tokens.len()).find(|place| !tokens[*place].is_space())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_left_out_and_signatures_stay() {
        for (source, signatures) in [
            (
                "/// Half.\nfn half(x: [u8; { 1 }]) -> u8 { if x { \"}\" } }\nstruct A;",
                "/// Half.\nfn half(x: [u8; { 1 }]) -> u8 {loop{}}\nstruct A;",
            ),
            (
                "impl A { pub unsafe fn r#a<T>(&self) where T: B { '}' } const C: u8 = 1; }",
                "impl A { pub unsafe fn r#a<T>(&self) where T: B {loop{}} const C: u8 = 1; }",
            ),
            (
                "fn a() -> B<fn(u8) -> u8> { b }",
                "fn a() -> B<fn(u8) -> u8> {loop{}}",
            ),
            (
                "trait A { fn a(); } // why\nfn b() {}",
                "trait A { fn a(); }  \nfn b() {loop{}}",
            ),
        ] {
            assert_eq!(of(source), signatures);
        }
    }

    #[test]
    fn what_types_depend_on_stays() {
        for source in [
            "fn a() -> impl Iterator<Item = u8> { b() }",
            "const fn two() -> usize { 1 + 1 }",
            "type F = fn(u8) -> u8;",
            "fn a() -> B<{ 1 + 1 }> where C: D;",
            "macro_rules! a { (fn $name:ident() { $($body:tt)* }) => {} }",
        ] {
            assert_eq!(of(source), source);
        }
        let long = format!("const fn a() {{ {} }}", "x + ".repeat(LONG));
        assert_eq!(of(&long), "const fn a() {loop{}}");
    }

    #[test]
    fn attributes_for_the_compiler_are_left_out() {
        let source = "#![stable(since = \"1\")]\n#[inline] #[must_use = \"]\"] #[lang = \"a\"]\nfn a();\n\
             impl B { #[stable(since = \"1\")] #[unstable(b)] #[doc(hidden)] fn b(); }";
        let expected = "#![stable(since = \"1\")]\n  #[lang = \"a\"]\nfn a();\n\
             impl B {  #[unstable(b)] #[doc(hidden)] fn b(); }";
        assert_eq!(of(source), expected);
    }

    #[test]
    fn attributes_among_the_arguments_of_a_macro_stay() {
        for call in [
            "macro_rules! a { () => { from!(u8 => u16, #[stable]); } }",
            "from!(u8 => u16, #[stable(since = \"1\")]);",
            "from! { #[inline] fn a(); }",
            "from![b!(c), #[stable]];",
        ] {
            assert_eq!(of(call), call);
            let behind = format!("{call}\n#[inline]\nfn a();");
            assert_eq!(of(&behind), format!("{call}\n\nfn a();"));
        }
    }

    #[test]
    fn documentation_in_macros_is_left_out() {
        let attributes =
            "macro_rules! a { () => { #[doc = \"b\"] #[inline] #[lang = \"c\"] fn d(); } }";
        let expected = "macro_rules! a { () => {   #[lang = \"c\"] fn d(); } }";
        assert_eq!(of(attributes), expected);
        let matched =
            "macro_rules! a { (#[doc = $text:expr]) => {} }\n#[doc(alias = \"c\")]\nfn b();";
        assert_eq!(of(matched), matched);
        let source = "//! A.\nmacro_rules! a {\n/// B.\n() => { /** C. */ fn b() { c } };\n}\n/// D.\nfn e();";
        let expected =
            "//! A.\nmacro_rules! a {\n \n() => {   fn b() {loop{}} };\n}\n/// D.\nfn e();";
        assert_eq!(of(source), expected);
    }
}
