//! How deep code is nested. A parser calls itself for each level, and so does whatever walks
//! through its tree: without a limit the stack of the thread overflows, and the kernel dies.

use crate::evaluation::failure::Failure;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::thread::Builder;

/// The most brackets that are open at a time.
const MOST_BRACKETS: usize = 200;
/// The most words and signs that one expression hangs on: `1 + 1 + 1`, `!!!a`, `a.b.c.d`,
/// `Vec<Vec<u8>>`.
const MOST_TOKENS: usize = 2_000;
/// A stack for the work on code of that depth.
pub const STACK: usize = 512 << 20;

/// Refuses code that is nested too deep.
///
/// # Errors
///
/// A failure that says how deep it is, and what to do.
pub fn check(code: &str) -> Result<(), Failure> {
    let (brackets, tokens) = depth(code);
    let message = if brackets > MOST_BRACKETS {
        format!("the brackets are nested {brackets} deep; at most {MOST_BRACKETS} can be compiled")
    } else if tokens > MOST_TOKENS {
        format!(
            "an expression is {tokens} words and signs deep; at most {MOST_TOKENS} can be compiled"
        )
    } else {
        return Ok(());
    };
    let advice = "put inner parts into variables before it";
    Err(Failure::new("CompileError", format!("{message}: {advice}")))
}

/// What is open at a place in code: a bracket, or all of it.
#[derive(Default)]
struct Level {
    /// So many tokens can contain the next one: those since the last separator.
    tokens: usize,
    /// So many of them are not over at a comma: `Result<u8, Result<u8, ...`, `|a, b| |a, b| ...`.
    lists: usize,
}

/// The most open brackets, and the most tokens of which each can contain the next one. The
/// tree of the code is not deeper, whatever it is.
fn depth(code: &str) -> (usize, usize) {
    let mut levels = vec![Level::default()];
    let mut tokens_below = 0; // of all levels but the last
    let (mut brackets, mut deepest) = (0, 0);
    let mut is_behind_block = false;
    let mut place = 0;
    for token in tokenize(code, FrontmatterAllowed::No) {
        let text = &code[place..place + token.len as usize];
        place += text.len();
        if is_blank(token.kind) {
            continue;
        }
        let level = levels.last_mut().expect("the code itself");
        if std::mem::take(&mut is_behind_block) && begins_statement(token.kind, text) {
            *level = Level::default();
        }
        level.tokens += 1;
        deepest = deepest.max(tokens_below + level.tokens);
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => {
                tokens_below += level.tokens;
                levels.push(Level::default());
                brackets = brackets.max(levels.len() - 1);
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                if levels.len() > 1 {
                    levels.pop();
                    tokens_below -= levels.last().map_or(0, |level| level.tokens);
                }
                is_behind_block = token.kind == TokenKind::CloseBrace;
            }
            TokenKind::Semi => *level = Level::default(),
            TokenKind::Comma => level.tokens = level.lists,
            TokenKind::Lt | TokenKind::Or => level.lists += 1,
            _ => {}
        }
    }
    (brackets, deepest)
}

/// Does work on code that [`check`] accepts where there is room for it; `None` if it panicked.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// Whether what stands behind a block is no part of the expression that ends with the block.
fn begins_statement(token: TokenKind, text: &str) -> bool {
    match token {
        TokenKind::Ident => !matches!(text, "else" | "as"),
        TokenKind::Literal { .. } | TokenKind::Pound => true,
        _ => false,
    }
}

fn is_blank(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep a text is that is repeated 1000 times.
    fn depth_of_thousand(text: &str) -> (usize, usize) {
        depth(&text.repeat(1000))
    }

    #[test]
    fn brackets_are_counted_where_they_are_open() {
        assert_eq!(depth("a").0, 0);
        assert_eq!(depth("f(a[{b}], (c))").0, 3);
        assert_eq!(depth_of_thousand("(").0, 1000);
        assert_eq!(depth_of_thousand("()").0, 1);
        assert_eq!(depth_of_thousand(")").0, 0);
        assert_eq!(depth("\"((\" // ((\n/* (( */ '('").0, 0);
    }

    #[test]
    fn what_can_contain_the_next_is_counted() {
        for text in [
            "!",
            "1 + ",
            "a.",
            "a().",
            "Vec<",
            "Result<u8, ",
            "|a, b| ",
            "return ",
            "if a {} else ",
            "if {a} {b; c} else ",
            "match a {} .b() + ",
            "a = {} = ",
            "f(a, b, ",
            "{ a; b; -",
        ] {
            let (_, tokens) = depth_of_thousand(text);
            assert!(tokens >= 1000, "{text:?}: {tokens}");
        }
    }

    #[test]
    fn what_stands_side_by_side_is_not() {
        for text in [
            "let a = 1 + 1;\n",
            "a + b, ",
            "fn f(a: u8) -> u8 { a }\n",
            "if a { b }\n",
            "#[test]\nstruct A {}\n",
            "Some(1) => { 2 }\n",
            "1 => { 2 }\n",
            "[1, 2, 3], ",
            "println!(\"{}\", a < b);\n",
        ] {
            let (_, tokens) = depth_of_thousand(text);
            assert!(tokens < 30, "{text:?}: {tokens}");
        }
    }

    #[test]
    fn the_sentence_has_the_numbers() {
        let sentence = |code: &str| check(code).expect_err("too deep").message;
        assert_eq!(
            sentence(&"(".repeat(5000)),
            "the brackets are nested 5000 deep; at most 200 can be compiled: put inner parts into \
             variables before it"
        );
        assert_eq!(
            sentence(&format!("{}a", "!".repeat(5000))),
            "an expression is 5001 words and signs deep; at most 2000 can be compiled: put inner \
             parts into variables before it"
        );
        assert!(check(&"(".repeat(200)).is_ok());
    }
}
