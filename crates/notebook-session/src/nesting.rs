//! Limits the nesting depth of code. The parser recurses at every level, and so does any tree
//! traversal: unlimited depth would overflow the thread's stack and crash the kernel.

use notebook::evaluator::Failure;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::thread::Builder;

/// Maximum number of simultaneously open brackets.
const MOST_BRACKETS: usize = 200;
/// Maximum number of tokens that can nest within one expression: `1 + 1 + 1`, `!!!a`, `a.b.c.d`,
/// `Vec<Vec<u8>>`.
const MOST_TOKENS: usize = 2_000;
/// Stack size sufficient for code of that depth.
pub const STACK: usize = 512 << 20;

/// Rejects code that is nested too deeply.
///
/// # Errors
///
/// If it is; the failure states the depth and what to do.
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

/// The kind of an open nesting level.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// A bracket, or the top level.
    Bracket,
    /// The parameters of a closure, between two `|`.
    Parameters,
    /// Generic arguments, after a `<`.
    Types,
}

struct Level {
    open: Open,
    /// The number of tokens that may enclose the next one: those since the last separator.
    tokens: usize,
    /// Whether a type is expected here, and whether one was before the last `:`.
    is_type: bool,
    was_type: bool,
}

impl Level {
    fn new(open: Open) -> Level {
        Level {
            open,
            tokens: 0,
            is_type: false,
            was_type: false,
        }
    }
}

/// The open levels, outermost first.
struct Levels {
    levels: Vec<Level>,
    /// How many of them are brackets.
    brackets: usize,
    /// The tokens of all levels but the last.
    tokens_below: usize,
}

impl Levels {
    fn last(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the code itself")
    }

    fn push(&mut self, open: Open) {
        self.tokens_below += self.last().tokens;
        self.levels.push(Level::new(open));
        self.brackets += usize::from(open == Open::Bracket);
    }

    /// Closes the innermost level, but never the top level.
    fn pop(&mut self) {
        if self.levels.len() > 1 {
            let closed = self.levels.pop().expect("a level");
            self.brackets -= usize::from(closed.open == Open::Bracket);
            self.tokens_below -= self.last().tokens;
        }
    }

    /// Closes levels that cannot extend past a bracket or a semicolon.
    fn pop_to_bracket(&mut self) {
        while self.last().open != Open::Bracket {
            self.pop();
        }
    }

    /// Marks the start of something that the tokens before it do not enclose.
    fn separate(&mut self) {
        let open = self.last().open;
        *self.last() = Level::new(open);
    }
}

/// A token other than whitespace and comments.
#[derive(Clone, Copy)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    /// Whether it directly follows the token before it.
    is_joined: bool,
}

impl Token<'_> {
    /// Whether an operand can end here, which makes a following `|` or `<` an operator.
    fn ends_operand(self) -> bool {
        match self.kind {
            TokenKind::Ident => !is_keyword(self.text),
            TokenKind::RawIdent
            | TokenKind::Literal { .. }
            | TokenKind::CloseParen
            | TokenKind::CloseBracket
            | TokenKind::Question => true,
            _ => false,
        }
    }

    fn is(before: Option<Self>, kind: TokenKind) -> bool {
        before.is_some_and(|token| token.kind == kind)
    }
}

/// The maximum number of open brackets, and of tokens that may enclose one another. These are upper
/// bounds on the depth of the syntax tree.
fn depth(code: &str) -> (usize, usize) {
    let mut levels = Levels {
        levels: vec![Level::new(Open::Bracket)],
        brackets: 0,
        tokens_below: 0,
    };
    let (mut brackets, mut deepest) = (0, 0);
    let (mut before, mut before_that): (Option<Token<'_>>, Option<Token<'_>>) = (None, None);
    let mut place = 0;
    let mut is_joined = false;
    for token in tokenize(code, FrontmatterAllowed::No) {
        let text = &code[place..place + token.len as usize];
        place += text.len();
        if is_blank(token.kind) {
            is_joined = false;
            continue;
        }
        let token = Token {
            kind: token.kind,
            text,
            is_joined: std::mem::replace(&mut is_joined, true),
        };
        let is_behind_block = Token::is(before, TokenKind::CloseBrace);
        if is_behind_block && begins_statement(token.kind, text) {
            levels.separate();
        }
        levels.last().tokens += 1;
        deepest = deepest.max(levels.tokens_below + levels.last().tokens);
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => {
                levels.push(Open::Bracket);
                brackets = brackets.max(levels.brackets);
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                levels.pop_to_bracket();
                levels.pop();
            }
            TokenKind::Semi => {
                levels.pop_to_bracket();
                levels.separate();
            }
            TokenKind::Comma => levels.separate(),
            TokenKind::Or if levels.last().open == Open::Parameters => levels.pop(),
            TokenKind::Or if !before.is_some_and(Token::ends_operand) => {
                levels.push(Open::Parameters);
            }
            TokenKind::Lt if begins_types(token, before, before_that, levels.last()) => {
                levels.push(Open::Types);
            }
            TokenKind::Gt if levels.last().open == Open::Types && !ends_arrow(token, before) => {
                levels.pop();
            }
            _ => {}
        }
        let level = levels.last();
        match token.kind {
            // The second colon of a `::`.
            TokenKind::Colon if token.is_joined && Token::is(before, TokenKind::Colon) => {
                level.is_type = level.was_type;
            }
            TokenKind::Colon => level.was_type = std::mem::replace(&mut level.is_type, true),
            TokenKind::Gt if ends_arrow(token, before) => level.is_type = true,
            TokenKind::Ident if is_before_type(text) => level.is_type = true,
            TokenKind::Eq => level.is_type = false,
            _ => {}
        }
        (before, before_that) = (Some(token), before);
    }
    (brackets, deepest)
}

/// Whether this `<` starts, or may start, generic arguments; after a value it is a comparison.
fn begins_types(
    token: Token<'_>,
    before: Option<Token<'_>>,
    before_that: Option<Token<'_>>,
    level: &Level,
) -> bool {
    let Some(before) = before else {
        return true;
    };
    if before.kind == TokenKind::Lt && token.is_joined {
        return false; // the second `<` of a `<<`
    }
    let is_of_function = before_that.is_some_and(|token| token.text == "fn");
    let names_type = before.text.starts_with(char::is_uppercase);
    !before.ends_operand()
        || level.is_type
        || level.open == Open::Types
        || is_of_function
        || names_type
}

/// Whether a `>` is part of `->` or `=>`.
fn ends_arrow(token: Token<'_>, before: Option<Token<'_>>) -> bool {
    token.is_joined && (Token::is(before, TokenKind::Minus) || Token::is(before, TokenKind::Eq))
}

/// Whether this word is followed by a type or its name.
fn is_before_type(word: &str) -> bool {
    [
        "as", "dyn", "enum", "for", "impl", "struct", "trait", "type",
    ]
    .contains(&word)
}

/// Whether this word is a keyword, and so not an operand.
fn is_keyword(word: &str) -> bool {
    [
        "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum",
        "extern", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move",
        "mut", "pub", "ref", "return", "static", "struct", "trait", "type", "unsafe", "use",
        "where", "while", "yield",
    ]
    .contains(&word)
}

/// Runs `work`, which handles deeply nested code, on a thread with a large enough stack; `None` if
/// it panicked, or the thread could not be started.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// Whether this token after a block starts a new statement instead of continuing the expression.
fn begins_statement(token: TokenKind, text: &str) -> bool {
    match token {
        TokenKind::Ident => !matches!(text, "else" | "as"),
        TokenKind::Literal { .. } | TokenKind::Pound => true,
        _ => false,
    }
}

/// Whether a token is whitespace or a comment.
pub fn is_blank(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The depth of this text repeated 1000 times.
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
            "a::<u8, ",
            "move |a: Vec<u8>, b| ",
            "return |a, b| ",
            "a | b + ",
            "a < b + ",
            "fn f<T, U: ",
        ] {
            let (_, tokens) = depth_of_thousand(text);
            assert!(tokens >= 1000, "{text:?}: {tokens}");
        }
        for before in ["let a: ", "a as ", "fn f() -> ", "impl A for "] {
            let types = format!("{before}{}", "small<u8, ".repeat(1000));
            assert!(depth(&types).1 >= 1000, "{before}");
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
            "a < b, ",
            "1 << 2, ",
            "a::b < c, ",
            "READ | WRITE, ",
            "1 | 2 => 3,\n",
            "|a, b| a + b, ",
            "|a| a < 2, ",
            "Vec::<u8>::new(), ",
            "Vec<Vec<u8>>, ",
            "|| Box<dyn Fn(u8) -> u8>, ",
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
