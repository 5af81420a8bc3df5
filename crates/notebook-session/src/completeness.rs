//! Whether a cell is complete. In a console, Enter runs a complete cell and starts a new line in an
//! incomplete one.

use crate::first_lines::first_line_of_rust;
use crate::nesting;
use notebook::evaluator::Completeness;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use ra_ap_syntax::{Edition, SourceFile};

const INDENT: &str = "    ";
/// Cells are parsed as a function body.
const BEFORE: &str = "fn cell() {";
const BEHIND: &str = "\n}";

/// Whether a cell can be run as it stands.
pub fn of(code: &str) -> Completeness {
    match state(code) {
        Syntax::Complete => Completeness::Complete,
        Syntax::Invalid => Completeness::Invalid,
        Syntax::Incomplete => Completeness::Incomplete(indent(code)),
    }
}

#[derive(Debug, PartialEq)]
enum Syntax {
    Complete,
    Incomplete,
    Invalid,
}

fn state(cell: &str) -> Syntax {
    let code = without_commands(cell);
    let end = match last_token(code) {
        Ok(end) => end,
        Err(state) => return state,
    };
    if nesting::check(code).is_err() {
        return Syntax::Invalid; // running it shows the error
    }
    match nesting::with_room(|| first_error(code)).flatten() {
        None => Syntax::Complete,
        // More input could fix it.
        Some(place) if place >= end => Syntax::Incomplete,
        Some(_) => Syntax::Invalid,
    }
}

/// Byte offset of the first syntax error.
fn first_error(code: &str) -> Option<usize> {
    let parsed = SourceFile::parse(&format!("{BEFORE}{code}{BEHIND}"), Edition::Edition2024);
    let errors = parsed.errors();
    let places = errors
        .iter()
        .map(|error| usize::from(error.range().start()));
    places.min().map(|place| place.saturating_sub(BEFORE.len()))
}

/// The Rust code of a cell, after its first lines.
fn without_commands(cell: &str) -> &str {
    let Some(first) = first_line_of_rust(cell) else {
        return "";
    };
    let before: usize = cell.split_inclusive('\n').take(first).map(str::len).sum();
    &cell[before..]
}

/// The byte offset at which the last token ends, or the state if no parsing is needed: an open
/// bracket, string or comment makes the cell incomplete.
fn last_token(code: &str) -> Result<usize, Syntax> {
    let mut open = Vec::new();
    let (mut place, mut end) = (0, 0);
    for token in tokenize(code, FrontmatterAllowed::No) {
        place += token.len as usize;
        match token.kind {
            TokenKind::OpenParen => open.push(TokenKind::CloseParen),
            TokenKind::OpenBracket => open.push(TokenKind::CloseBracket),
            TokenKind::OpenBrace => open.push(TokenKind::CloseBrace),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace
                if open.pop() != Some(token.kind) =>
            {
                return Err(Syntax::Invalid);
            }
            TokenKind::Literal { kind, .. } if !is_terminated(kind) => {
                // Character literals cannot span lines; strings can.
                return Err(match kind {
                    LiteralKind::Char { .. } | LiteralKind::Byte { .. } => Syntax::Invalid,
                    _ => Syntax::Incomplete,
                });
            }
            TokenKind::BlockComment {
                terminated: false, ..
            } => return Err(Syntax::Incomplete),
            TokenKind::Unknown => return Err(Syntax::Invalid),
            _ => {}
        }
        if !nesting::is_blank(token.kind) {
            end = place;
        }
    }
    match open.is_empty() {
        true => Ok(end),
        false => Err(Syntax::Incomplete),
    }
}

fn is_terminated(literal: LiteralKind) -> bool {
    match literal {
        LiteralKind::Char { terminated }
        | LiteralKind::Byte { terminated }
        | LiteralKind::Str { terminated }
        | LiteralKind::ByteStr { terminated }
        | LiteralKind::CStr { terminated } => terminated,
        LiteralKind::RawStr { n_hashes }
        | LiteralKind::RawByteStr { n_hashes }
        | LiteralKind::RawCStr { n_hashes } => n_hashes.is_some(),
        LiteralKind::Int { .. } | LiteralKind::Float { .. } => true,
    }
}

/// Indentation for the next line: that of the last one, plus one level after an opening bracket.
fn indent(code: &str) -> String {
    let last = code.trim_end().lines().next_back().unwrap_or("");
    let indent = &last[..last.len() - last.trim_start().len()];
    let step = if last.ends_with(['{', '(', '[']) {
        INDENT
    } else {
        ""
    };
    format!("{indent}{step}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn are(cells: &[&str], expected: Syntax) {
        for cell in cells {
            assert_eq!(state(cell), expected, "{cell:?}");
        }
    }

    #[test]
    fn brackets_strings_and_comments_decide() {
        are(
            &[
                "fn f() { }",
                "\"a\nb\"",
                "'a'",
                "fn f(a: &'static str) {}",
                "",
                "1 // (",
            ],
            Syntax::Complete,
        );
        are(
            &["fn f() {", "println!(\"a", "/* not yet", "r#\"a\"", "x["],
            Syntax::Incomplete,
        );
        are(&["let a = 1);", "fn f( }", "b'a"], Syntax::Invalid);
    }

    #[test]
    fn what_could_go_on_is_incomplete_and_what_could_not_is_invalid() {
        are(
            &[
                "let a = 1;",
                "1 + 1",
                "f(&a)",
                "#[derive(Debug)]\nstruct A;",
                "let a = b?;",
            ],
            Syntax::Complete,
        );
        are(
            &[
                "let a =",
                "x.",
                "1 +",
                "#[derive(Debug)]",
                "struct A",
                "fn f()",
                "if a {} else",
            ],
            Syntax::Incomplete,
        );
        are(
            &[
                "let = ;",
                "let a = ;\n1",
                "1 + 1\n2 + 2",
                "fn 1() {}",
                "struct;",
                "a b",
                "a,",
            ],
            Syntax::Invalid,
        );
        are(
            &["#![allow(unused)]\nlet a = 1;", "#![allow(unused)]"],
            Syntax::Complete,
        );
    }

    #[test]
    fn commands_are_no_rust() {
        are(
            &[":dep x", " :dep x = \"1\"", "!ls (", ":vars\n// (\n\n1"],
            Syntax::Complete,
        );
        are(&[":dep x\nlet a ="], Syntax::Incomplete);
        are(&["1\n:vars"], Syntax::Invalid);
    }

    #[test]
    fn line_ends_and_odd_characters_change_nothing() {
        are(
            &["let a = 1;\r\n", "{\r\n1\r\n}\r\n", ":dep x\r\n1\r\n"],
            Syntax::Complete,
        );
        are(
            &["fn f() {\r\n", "let a = // b\r\n", "let a =  \r\n\r\n"],
            Syntax::Incomplete,
        );
        are(&["\0", "let a = 1;\0", "1 \u{feff}"], Syntax::Invalid);
        are(&["\"\0\"", "// \0"], Syntax::Complete);
    }

    #[test]
    fn brackets_too_deep_for_the_parser_are_invalid() {
        for depth in [5_000, 1_000_000] {
            let (open, close) = ("(".repeat(depth), ")".repeat(depth));
            are(&[&format!("{open}1{close}")], Syntax::Invalid);
            are(&[&open], Syntax::Incomplete);
        }
    }

    #[test]
    fn a_block_is_indented() {
        assert_eq!(indent("fn f() {"), "    ");
        assert_eq!(indent("fn f() {\n    if a {"), "        ");
        assert_eq!(indent("let a ="), "");
        assert_eq!(indent("fn f() {\r\n"), "    ");
    }
}
