//! Remarks on cells that ran but whose value is not what Python would give: `2^3`, `5 / 2`,
//! `7 // 2`. They are made only for integer literals and for powers such as `n^2`, where the
//! intention is clear.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// The remark on the last expression of a cell, if any.
pub fn about(cell: &str) -> Option<String> {
    let mut tokens = last_expression(cell);
    if tokens.len() > 2 {
        tokens.pop_if(|(_, part)| *part == WordKind::Comment);
    }
    match tokens[..] {
        [
            (left, WordKind::Number),
            ("/", _),
            (right, WordKind::Number),
        ] => quotient(left, right),
        [
            (left, WordKind::Number),
            ("^", _),
            (right, WordKind::Number),
        ] => power(left, right),
        [
            (name, WordKind::Name),
            ("^", _),
            (exponent, WordKind::Number),
        ] => Some(format!(
            "[`^` combines the bits of integers in Rust; a power is `{name}.pow({exponent})`.]\n"
        )),
        [(left, WordKind::Number), (comment, WordKind::Comment)] => {
            let right = comment.strip_prefix("//")?.trim();
            let (a, b) = (number(left)?, number(right)?);
            let quotient = a.checked_div(b)?;
            (a != b).then(|| format!(
                "[`//` begins a comment in Rust, so this is {a}. `{left} / {right}` is {quotient}: \
                 dividing integers drops the remainder.]\n"
            ))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum WordKind {
    Number,
    Name,
    Comment,
    Other,
}

/// The tokens of the last expression, if it fits on one line.
fn last_expression(cell: &str) -> Vec<(&str, WordKind)> {
    let line = cell.lines().rev().find(|line| !line.trim().is_empty());
    let mut rest = line.unwrap_or_default();
    let mut found = Vec::new();
    for token in tokenize(rest, FrontmatterAllowed::No) {
        let (text, after) = rest.split_at(token.len as usize);
        rest = after;
        let part = match token.kind {
            TokenKind::Whitespace => continue,
            TokenKind::Semi => {
                found.clear();
                continue;
            }
            TokenKind::LineComment { doc_style: None } => WordKind::Comment,
            TokenKind::Literal {
                kind: LiteralKind::Int { .. },
                ..
            } => WordKind::Number,
            TokenKind::Ident => WordKind::Name,
            _ => WordKind::Other,
        };
        found.push((text, part));
    }
    found
}

/// An integer literal without a type suffix.
fn number(text: &str) -> Option<i64> {
    text.replace('_', "").parse().ok()
}

fn quotient(left: &str, right: &str) -> Option<String> {
    let (a, b) = (number(left)?, number(right)?);
    if a.checked_rem(b)? == 0 {
        return None;
    }
    let exact = a as f64 / b as f64;
    let rounded = (exact * 1e4).round() / 1e4;
    let about = if rounded == exact { "" } else { "about " };
    Some(format!(
        "[Dividing integers drops the remainder in Rust; `{left}.0 / {right}.0` is {about}{rounded}.]\n"
    ))
}

fn power(left: &str, right: &str) -> Option<String> {
    let (base, exponent) = (number(left)?, number(right)?);
    let power = base.checked_pow(u32::try_from(exponent).ok()?)?;
    let of = if i32::try_from(power).is_ok() {
        "i32"
    } else {
        "i64"
    };
    Some(format!(
        "[`^` combines the bits of integers in Rust; a power is `{left}_{of}.pow({right})`, which \
         is {power}.]\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_computes_otherwise_is_remarked_on() {
        for (cell, says) in [
            ("2^3", "`2_i32.pow(3)`, which is 8.]\n"),
            (
                "let a = 1;\n10 ^ 12 // many",
                "`10_i64.pow(12)`, which is 1000000000000.]\n",
            ),
            ("n^2", "a power is `n.pow(2)`.]\n"),
            ("let n = 4; 5 / 2\n", "`5.0 / 2.0` is 2.5.]\n"),
            ("1 / 3", "`1.0 / 3.0` is about 0.3333.]\n"),
            (
                "7 // 2",
                "so this is 7. `7 / 2` is 3: dividing integers drops the remainder.]\n",
            ),
        ] {
            let said = about(cell).unwrap_or_default();
            assert!(said.ends_with(says), "{cell}: {said}");
        }
    }

    #[test]
    fn nothing_is_said_where_it_may_be_meant() {
        for cell in [
            "",
            "6 / 2",
            "5 / 0",
            "5.0 / 2.0",
            "5_u8 / 2",
            "n / 2",
            "a ^ b",
            "2^3;",
            "let a = 2^3;",
            "7 // seven",
            "7 // 7",
            "n // 2",
            "0b101 ^ 0b11",
            "2^3 + 1",
            "9 ^ 99",
            "/* 5 / 2 */",
        ] {
            assert_eq!(about(cell), None, "{cell}");
        }
    }
}
