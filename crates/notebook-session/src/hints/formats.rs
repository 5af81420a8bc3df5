//! An expression inside the format string of `println!`, which only accepts names.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};

/// Characters that can follow a name in an expression, but not in text with literal braces.
const OPERATORS: [char; 8] = ['.', '[', '(', '+', '-', '*', '/', '%'];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    if message == "unknown format trait `f`" {
        let mut helps = diagnostic.helps.iter();
        let plain = helps.find(|help| help.message.contains("`Display`"))?;
        let text = "write the number of decimals without an `f`";
        return Some(Hint::with(text, plain.edits.clone()));
    }
    let found = message.strip_prefix("invalid format string: expected `}`, found `");
    let is_expression = found.is_some_and(|text| text.starts_with(OPERATORS))
        || message.ends_with("field access isn't supported");
    if !is_expression {
        return None;
    }
    let place = diagnostic.primary()?;
    let chars: Vec<char> = line(known.cell, place.line).chars().collect();
    let before = chars.get(..place.start)?;
    let open = before.iter().rposition(|c| *c == '{')?;
    let close = open + chars[open..].iter().position(|c| *c == '}')?;
    let inner: String = chars[open + 1..close].iter().collect();
    let (value, format) = split(&inner);
    let text = "only a name can be inside the `{}` of a string: put other values after the string";
    // If another value follows, its position in the argument list would matter.
    let end = close + chars[close..].iter().position(|c| *c == '"')?;
    let whole: String = chars.iter().collect();
    let is_alone = whole.matches('{').count() == 1 && chars.get(end + 1) == Some(&')');
    let edit = |start: usize, end: usize, text: String| Edit {
        place: LineSpan {
            line: place.line,
            start,
            end,
        },
        text,
    };
    let edits = vec![
        edit(open + 1, close, format!(":{format}")),
        edit(end + 1, end + 1, format!(", {value}")),
    ];
    Some(match is_alone {
        true => Hint::with(text, edits),
        false => Hint::new(format!("{text}, `println!(\"{{:{format}}}\", {value})`")),
    })
}

/// Separates the value from its format spec.
fn split(inner: &str) -> (&str, &str) {
    let mut depth = 0;
    for (byte, c) in inner.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ':' if depth == 0 && !inner.contains("::") => {
                return (&inner[..byte], &inner[byte + 1..]);
            }
            _ => {}
        }
    }
    (inner, "?")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    fn told(cell: &str, found: &str) -> String {
        let message = format!("invalid format string: expected `}}`, found `{found}`");
        let mut error = diagnostic("", &message, cell, found);
        error.code = None;
        said(&error, cell)
    }

    #[test]
    fn an_expression_is_moved_after_the_text() {
        let text =
            "only a name can be inside the `{}` of a string: put other values after the string";
        assert_eq!(
            told("println!(\"{x.shape()}\");", "."),
            format!("{text}|println!(\"{{:?}}\", x.shape());")
        );
        assert_eq!(
            told("println!(\"sum: {x[0]:.3} of all\")", "["),
            format!("{text}|println!(\"sum: {{:.3}} of all\", x[0])")
        );
        assert_eq!(
            told("println!(\"{n + 1} of {n}\");", "+"),
            format!("{text}, `println!(\"{{:?}}\", n + 1)`|")
        );
        assert_eq!(told("println!(\"{n x}\");", "x"), "|");
    }
}
