//! A variable that takes the name of the function it was computed with, as in
//! `let scores = scores(&q, &k);`: later cells can no longer call that function.

use crate::earlier_cells::EarlierCells;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

/// A sentence about the first variable that hides a function and still exists after the cell.
pub fn about(cell: &str, exists: impl Fn(&str) -> bool, earlier: &EarlierCells) -> Option<String> {
    let name = hiding(cell).find(|name| exists(name))?;
    let call = match earlier.imported(name) {
        Some(path) => {
            format!(": write `{path}(...)` there, or give the variable another name here")
        }
        None => ": give the variable another name here".to_owned(),
    };
    Some(format!(
        "[`{name}` is a variable now, and hides the function `{name}` in later cells{call}.]\n"
    ))
}

/// The top-level variables whose initialiser calls a function of the same name.
fn hiding(cell: &str) -> impl Iterator<Item = &str> {
    let mut found = Vec::new();
    let (mut place, mut depth) = (0, 0_usize);
    let mut before = TokenKind::Semi;
    let mut name = None;
    let mut tokens = tokenize(cell, FrontmatterAllowed::No).peekable();
    let mut declares = false;
    while let Some(token) = tokens.next() {
        let text = &cell[place..place + token.len as usize];
        place += text.len();
        match token.kind {
            TokenKind::Whitespace
            | TokenKind::LineComment { .. }
            | TokenKind::BlockComment { .. } => {
                continue;
            }
            TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseBrace => depth = depth.saturating_sub(1),
            TokenKind::Semi if depth == 0 => name = None,
            TokenKind::Ident if depth > 0 => {}
            TokenKind::Ident if text == "let" => declares = true,
            TokenKind::Ident if text == "mut" => {}
            TokenKind::Ident if declares => (name, declares) = (Some(text), false),
            TokenKind::Ident => {
                let is_call = tokens
                    .peek()
                    .is_some_and(|next| next.kind == TokenKind::OpenParen);
                let is_path = matches!(before, TokenKind::Dot | TokenKind::Colon);
                if is_call && !is_path && name == Some(text) {
                    found.push(text);
                }
            }
            _ => {}
        }
        before = token.kind;
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::earlier_cells::CellOutcome;

    #[test]
    fn a_variable_that_hides_its_function_is_found() {
        let found = |cell: &'static str| hiding(cell).collect::<Vec<&str>>();
        assert_eq!(found("let scores = scores(&q, &k);"), ["scores"]);
        assert_eq!(
            found("let mut a: f32 =\n  // all\n  a(1) + b(2);\nlet b = 1;"),
            ["a"]
        );
        assert_eq!(found("let c = softmax(&c(1));"), ["c"]);
        for cell in [
            "let all = scores(&q, &k);",
            "let sum = q.sum();",
            "let scores = toy::scores(&q, &k);",
            "let a = 1; a(2)",
            "{ let scores = scores(&q, &k); }",
            "let f = |x| { let g = g(x); g };",
            "let a = \"a(1)\";",
            "",
        ] {
            assert_eq!(found(cell), [""; 0], "{cell}");
        }
    }

    #[test]
    fn it_is_told_if_the_variable_is_there() {
        let cell = "let scores = scores(&q);";
        let mut earlier = EarlierCells::default();
        let told = about(cell, |name| name == "scores", &earlier).unwrap_or_default();
        assert!(
            told.ends_with("later cells: give the variable another name here.]\n"),
            "{told}"
        );
        earlier.note("use toy::prelude::*;", CellOutcome::Success, &[], &[]);
        let told = about(cell, |name| name == "scores", &earlier).unwrap_or_default();
        assert!(
            told.contains("write `toy::prelude::scores(...)` there, or"),
            "{told}"
        );
        assert_eq!(about(cell, |_| false, &earlier), None);
    }
}
