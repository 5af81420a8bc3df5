//! Constructs that are written differently in Rust, mostly with arrays.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

const NOT_NEGATIVE: &str = "an index cannot be negative: the last one is `x.len() - 1`, the last row \
    of a matrix `x.nrows() - 1`; in `s![-1, ..]` negative numbers count from the end";

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    if message.contains("closing delimiter") || message.contains("unclosed delimiter") {
        return open_bracket(known.cell);
    }
    let place = diagnostic.primary()?;
    let text = place.of(known.cell);
    let whole = line(known.cell, place.line);
    if message.starts_with("negative integers cannot be used to index on") {
        return Some(from_the_end(diagnostic, text, place));
    }
    match diagnostic.code.as_deref()? {
        "E0277"
            if message.contains("NdIndex<Dim<[usize; ")
                && ["`[i", "`[u8", "`[u32", "`[u64", "`i", "`u8", "`u32", "`u64"]
                    .iter()
                    .any(|begin| message.contains(&format!("bound {begin}"))) =>
        {
            Some(Hint::new(
                "an index is a `usize`, whatever it counts: convert it where it is used, as in \
                 `q[[i as usize, 0]]`, or where it is made, as in `let i: usize = 0;`",
            ))
        }
        "E0277" if message.contains("NdIndex<Dim<[usize; ") => Some(index(message, known, place)),
        "E0277" if message.starts_with("the type `str` cannot be indexed by `") => Some(Hint::new(
            "a string cannot be indexed by a number: its first letter is `text.chars().next()`, its \
             first word `text.split(' ').next()`, and `nth(1)` in place of `next()` is the second",
        )),
        "E0277" if message.contains("cannot be indexed by") => {
            let edit = Edit {
                place,
                text: format!("{text} as usize"),
            };
            let text = "an index is a `usize`, whatever it counts: convert it";
            Some(Hint::with(text, vec![edit]))
        }
        "E0600" if message.starts_with("cannot apply unary operator `-` to type `u") => {
            Some(Hint::new(
                "a whole number from 0 up is expected here, but this one is negative: leave the `-` \
                 out",
            ))
        }
        "E0277" if message.contains("usize: Neg") => Some(Hint::new(NOT_NEGATIVE)),
        "E0277"
            if ["`{integer}`", "`usize`", "`i32`"]
                .iter()
                .any(|number| message == format!("{number} is not an iterator")) =>
        {
            let edit = Edit {
                place,
                text: format!("0..{text}"),
            };
            let text = "a loop runs over a range or over the values of something";
            Some(Hint::with(text, vec![edit]))
        }
        "E0277" if message.contains("implement `std::fmt::Display`") => Some(Hint::new(
            "this type is printed with `{:?}` instead of `{}`",
        )),
        "E0061" if is_any(text, &["sum", "mean", "std", "var"]) => Some(Hint::new(format!(
            "`{text}` covers all values; along one axis, use `{text}_axis(Axis(1))`{}",
            if is_any(text, &["std", "var"]) {
                ", followed by the degrees of freedom"
            } else {
                ""
            }
        ))),
        "E0061" | "E0271" if whole.contains("zeros(") || whole.contains("ones(") => {
            let shape = shape(whole, place.line)?;
            let text = "a shape of two axes is one argument, a pair in brackets";
            Some(Hint::with(text, vec![shape]))
        }
        "E0282" | "E0283" if text == "sum" => {
            let edit = Edit {
                place,
                text: "sum::<f32>".to_owned(),
            };
            let text = "the sum of an iterator could have several types: say which";
            Some(Hint::with(text, vec![edit]))
        }
        "E0282" | "E0283" | "E0284" => element_type(whole, place.line),
        "E0308" if message == "mismatched types" && diagnostic.all.contains("expected `Axis`") => {
            let edit = Edit {
                place,
                text: format!("Axis({text})"),
            };
            let text = "an axis is not just a number: 0 goes down the rows, 1 along each row";
            Some(Hint::with(text, vec![edit]))
        }
        "E0070" if whole.contains(".row(") || whole.contains(".column(") => Some(Hint::new(
            "a row is not assigned with `=`: its numbers are copied into it, \
             `out.row_mut(i).assign(&row)`",
        )),
        "E0609" | "E0599"
            if message.starts_with("no field `T`")
                || message.starts_with("no method named `T`") =>
        {
            Some(Hint::new("the transpose is the method `.t()`"))
        }
        "E0369" if message.starts_with("binary operation `") && message.contains("ArrayBase<") => {
            Some(Hint::new(
                "an array cannot be compared with a number as a whole: say which values you mean, as in \
                 `x.iter().all(|value| *value > 0.0)`, or make a mask, `x.mapv(|value| value > 0.0)`",
            ))
        }
        _ => None,
    }
}

/// `labels[-1]`, as in Python. rustc suggests `labels.len() ` before the `-1`.
fn from_the_end(diagnostic: &Diagnostic, index: &str, place: LineSpan) -> Hint {
    let mut replacements = diagnostic.helps.iter();
    let length = replacements.find_map(|help| help.replacement.as_deref());
    let number = index.strip_prefix('-');
    let is_list = !diagnostic.message.contains("Array");
    let (Some(length), Some(number), true) = (length, number, is_list) else {
        return Hint::new(NOT_NEGATIVE);
    };
    let length = length.trim();
    let mut text = "an index cannot be negative: count back from the length".to_owned();
    if let ("1", Some(list)) = (number, length.strip_suffix(".len()")) {
        text += &format!("; `{list}.last()` is the last value, too, as an `Option`");
    }
    let edit = Edit {
        place,
        text: format!("{length} - {number}"),
    };
    Hint::with(text, vec![edit])
}

/// Removes errors about expressions that contain a wrong array index.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>) {
    let is_index = |one: &Diagnostic| one.message.contains("NdIndex<Dim<[usize; ");
    let indices = errors.iter().filter(|one| is_index(one));
    let indices: Vec<LineSpan> = indices.filter_map(Diagnostic::primary).collect();
    errors.retain(|one| {
        let around = |place: LineSpan| {
            let is_in = |index: &LineSpan| {
                index.line == place.line && place.start < index.start && index.end < place.end
            };
            indices.iter().any(is_in)
        };
        is_index(one) || !one.primary().is_some_and(around)
    });
}

fn is_any(text: &str, names: &[&str]) -> bool {
    names.contains(&text)
}

/// An unclosed or mismatched bracket.
fn open_bracket(cell: &str) -> Option<Hint> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut place = 0;
    for token in tokenize(cell, FrontmatterAllowed::No) {
        let number = cell[..place].matches('\n').count() + 1;
        place += token.len as usize;
        let closed = match token.kind {
            TokenKind::OpenParen => {
                open.push(('(', number));
                continue;
            }
            TokenKind::OpenBracket => {
                open.push(('[', number));
                continue;
            }
            TokenKind::OpenBrace => {
                open.push(('{', number));
                continue;
            }
            TokenKind::CloseParen => ('(', ')'),
            TokenKind::CloseBracket => ('[', ']'),
            TokenKind::CloseBrace => ('{', '}'),
            _ => continue,
        };
        match open.pop() {
            Some((bracket, _)) if bracket == closed.0 => {}
            Some((bracket, opened)) => {
                return Some(Hint::new(format!(
                    "the `{bracket}` on line {opened} is closed by a `{}` on line {number}",
                    closed.1
                )));
            }
            None => {
                return Some(Hint::new(format!(
                    "the `{}` on line {number} closes nothing",
                    closed.1
                )));
            }
        }
    }
    let (bracket, number) = open.pop()?;
    Some(Hint::new(format!(
        "the `{bracket}` on line {number} is not closed"
    )))
}

/// An index with the wrong number of axes.
fn index(message: &str, known: &Known<'_>, place: LineSpan) -> Hint {
    let axes = message
        .split("Dim<[usize; ")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    let before: String = line(known.cell, place.line)
        .chars()
        .take(place.start)
        .collect();
    let before = before.trim_end().trim_end_matches('[').to_owned();
    let name = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    let name = name.filter(|name| !name.is_empty()).unwrap_or("x");
    let given = place.of(known.cell);
    let is_plain = given.chars().all(|c| c.is_alphanumeric() || c == '_');
    let row = if is_plain { given } else { "0" };
    Hint::new(match axes {
        Some("1") => format!(
            "`{name}` has one axis: a value is `{name}[0]`, a part `{name}.slice(s![0..2])`"
        ),
        Some("2") => format!(
            "`{name}` has 2 axes: a value is `{name}[[0, 1]]` (row 0, column 1), a row \
             `{name}.row({row})`, a part `{name}.slice(s![0..2, ..])`"
        ),
        axes => format!(
            "`{name}` has {} axes: a value is `{name}[[0, 1, 2]]`, with one number for each, a part \
             `{name}.slice(s![0, .., ..])`",
            axes.unwrap_or("more")
        ),
    })
}

/// Puts the shape in parentheses: `zeros((2, 3))` for `zeros(2, 3)`.
fn shape(whole: &str, number: usize) -> Option<Edit> {
    let call = ["zeros(", "ones("]
        .iter()
        .find_map(|name| Some(whole.find(name)? + name.len()))?;
    let inner = &whole[call..];
    let end = inner.find(')')?;
    let arguments = &inner[..end];
    if arguments.contains('(') || !arguments.contains(',') {
        return None;
    }
    let start = whole[..call].chars().count();
    Some(Edit {
        place: LineSpan {
            line: number,
            start,
            end: start + arguments.chars().count(),
        },
        text: format!("({arguments})"),
    })
}

/// A missing element type for a new array.
fn element_type(whole: &str, number: usize) -> Option<Hint> {
    let names = ["Array1::", "Array2::", "Array3::"];
    let (name, found) = names
        .iter()
        .find_map(|name| Some((name, whole.find(name)?)))?;
    if whole[found + name.len()..].starts_with('<') {
        return None;
    }
    let place = whole[..found].chars().count() + name.len();
    let edit = Edit {
        place: LineSpan {
            line: number,
            start: place,
            end: place,
        },
        text: "<f32>::".to_owned(),
    };
    let text = "Rust must know the type of the array's numbers, f32 or f64";
    Some(Hint::with(text, vec![edit]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;

    #[test]
    fn a_negative_index_counts_back_from_the_length() {
        let told = |type_name: &str, cell: &str, index: &str| {
            let message = format!("negative integers cannot be used to index on a `{type_name}`");
            let mut error = diagnostic("", &message, cell, index);
            error.code = None;
            error.helps[0].replacement = Some("labels.len()".to_owned());
            said(&error, cell)
        };
        assert_eq!(
            told("Vec<String>", "labels[-1]", "-1"),
            "an index cannot be negative: count back from the length; `labels.last()` is the last \
             value, too, as an `Option`|labels[labels.len() - 1]"
        );
        assert!(told("[i32; 3]", "labels[-2]", "-2").ends_with("length|labels[labels.len() - 2]"));
        let matrix = told(
            "ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>",
            "labels[-1]",
            "-1",
        );
        assert!(matrix.contains("`x.nrows() - 1`"), "{matrix}");
    }

    #[test]
    fn the_bracket_that_is_not_closed_is_named() {
        let said = |cell: &str| open_bracket(cell).map(|hint| hint.text);
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(said("a(\nb[1]"), of("the `(` on line 1 is not closed"));
        assert_eq!(
            said("a(1]"),
            of("the `(` on line 1 is closed by a `]` on line 1")
        );
        assert_eq!(said("\n)"), of("the `)` on line 2 closes nothing"));
        assert_eq!(said("\"(\""), None);
    }

    #[test]
    fn a_shape_is_put_into_brackets() {
        let edit = shape("let a = Array2::<f32>::zeros(2, 3);", 1).expect("an edit");
        assert_eq!((edit.text.as_str(), edit.place.start), ("(2, 3)", 29));
        assert_eq!(shape("Array2::zeros((2, 3))", 1), None);
    }
}
