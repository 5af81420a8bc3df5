//! Whether a cell can be run as it stands, for consoles: Enter runs a complete
//! cell, and begins a new line in an incomplete one.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use serde_json::{Value, json};

const INDENT: &str = "    ";

/// The content of the reply to an `is_complete_request`.
pub fn reply(code: &str) -> Value {
    match state(code) {
        State::Complete => json!({ "status": "complete" }),
        State::Invalid => json!({ "status": "invalid" }),
        State::Incomplete => json!({ "status": "incomplete", "indent": indent(code) }),
    }
}

#[derive(Debug, PartialEq)]
enum State {
    Complete,
    Incomplete,
    Invalid,
}

fn state(code: &str) -> State {
    let mut open = Vec::new();
    let mut last = None;
    for token in tokenize(code, FrontmatterAllowed::No) {
        match token.kind {
            TokenKind::OpenParen => open.push(TokenKind::CloseParen),
            TokenKind::OpenBracket => open.push(TokenKind::CloseBracket),
            TokenKind::OpenBrace => open.push(TokenKind::CloseBrace),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace
                if open.pop() != Some(token.kind) =>
            {
                return State::Invalid;
            }
            TokenKind::Literal { kind, .. } if !is_terminated(kind) => {
                // A character must end in its line, a string may go on.
                return match kind {
                    LiteralKind::Char { .. } | LiteralKind::Byte { .. } => State::Invalid,
                    _ => State::Incomplete,
                };
            }
            TokenKind::BlockComment {
                terminated: false, ..
            } => return State::Incomplete,
            TokenKind::Unknown => return State::Invalid,
            _ => {}
        }
        if !is_blank(token.kind) {
            last = Some(token.kind);
        }
    }
    let is_command = code.trim_start().starts_with(':');
    if !open.is_empty() || (last.is_some_and(wants_more) && !is_command) {
        State::Incomplete
    } else {
        State::Complete
    }
}

fn is_blank(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
    )
}

/// Whether no cell can end in it.
fn wants_more(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Eq
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Star
            | TokenKind::Slash
            | TokenKind::And
            | TokenKind::Dot
            | TokenKind::Comma
            | TokenKind::Colon
    )
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

/// What the next line begins with: as the last one, one step more after a bracket.
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

    #[test]
    fn brackets_strings_and_comments_decide() {
        for complete in [
            "let a = 1;",
            "fn f() { }",
            "\"a\nb\"",
            "'a'",
            "&'static str",
            ":dep x",
            "",
            "1 // (",
        ] {
            assert_eq!(state(complete), State::Complete, "{complete}");
        }
        for incomplete in [
            "fn f() {",
            "println!(\"a",
            "let a =",
            "/* not yet",
            "r#\"a\"",
            "x.",
        ] {
            assert_eq!(state(incomplete), State::Incomplete, "{incomplete}");
        }
        for invalid in ["let a = 1);", "fn f( }", "b'a"] {
            assert_eq!(state(invalid), State::Invalid, "{invalid}");
        }
    }

    #[test]
    fn a_block_is_indented() {
        assert_eq!(indent("fn f() {"), "    ");
        assert_eq!(indent("fn f() {\n    if a {"), "        ");
        assert_eq!(indent("let a ="), "");
    }
}
