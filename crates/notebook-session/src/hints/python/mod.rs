//! Python code, whatever error rustc reports for it.

mod builtins;
mod methods;
mod modules;
mod quotes;

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};

/// Beginnings of Python lines, and what to write in Rust instead.
const LINES: [(&str, &str); 7] = [
    (
        "def ",
        "a function is written `fn f(x: f32) -> f32 { ... }`",
    ),
    ("import ", "names of a crate are imported with `use`"),
    ("from ", "names of a crate are imported with `use`"),
    ("class ", "a type is written `struct Name { field: f32 }`"),
    ("elif ", "another condition is written `} else if ... {`"),
    ("print ", "text is printed with `println!(\"{}\", x)`"),
    (
        "not ",
        "the opposite of a condition is written `!condition`",
    ),
];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let place = diagnostic.primary()?;
    let whole = line(known.cell, place.line);
    let text = whole.trim_start();
    if let Some((begin, rust)) = LINES.iter().find(|(begin, _)| text.starts_with(begin)) {
        return Some(is_python(begin.trim_end(), rust));
    }
    if format!(" {whole}").contains(" lambda ") {
        return Some(is_python("lambda", "it is `|x| x + 1`"));
    }
    let message = diagnostic.message.as_str();
    let is_power = diagnostic.has_code("E0614") && text.contains("**");
    let is_xor = message.contains("implementation for `") && message.contains(" ^ ");
    if is_power || is_xor {
        return Some(Hint::new(
            "a power is a method in Rust: `x.powi(2)`, for an array `x.mapv(|value| value.powi(2))`",
        ));
    }
    if let Some(hint) = quotes::hint(diagnostic, known) {
        return Some(hint);
    }
    match diagnostic.code.as_deref() {
        None if message.starts_with("prefix `f` is unknown") => {
            Some(is_python("f\"...\"", "it is `format!(\"...\")`"))
        }
        None => comment(known.cell, place)
            .or_else(|| of_type(whole))
            .or_else(|| floor_division(whole, place))
            .or_else(|| of_signs(message, whole, place))
            .or_else(|| index(message, whole, place.line)),
        Some("E0282") if message.ends_with("for `Option<_>`") && whole.contains("None") => {
            Some(Hint::new(
                "`None` is a missing value, and Rust must know its type: \
                 `let x: Option<f32> = None;`",
            ))
        }
        Some("E0423") if message.contains("found module") => {
            modules::hint(place.of(known.cell), diagnostic, known)
        }
        Some("E0423") if message.contains("found builtin type") => {
            builtins::value(place.of(known.cell))
        }
        _ => methods::hint(diagnostic, known),
    }
}

/// An undefined name that exists in Python: a module, function, value or type.
pub fn missing(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    match diagnostic.message.starts_with("cannot find type") {
        true => builtins::type_name(name),
        false => builtins::value(name).or_else(|| modules::hint(name, diagnostic, known)),
    }
}

/// Removes errors that only occur because the compiler continues after Python code.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>, known: &Known<'_>) {
    let mut told: Vec<(usize, Hint)> = Vec::new();
    errors.retain(|one| {
        let Some(number) = one.primary().map(|place| place.line) else {
            return true;
        };
        let Some(hint) = hint(one, known) else {
            return !is_in_block(known.cell, number);
        };
        let is_first = !told
            .iter()
            .any(|(line, of)| *line == number && of.text == hint.text);
        told.push((number, hint));
        is_first && !is_in_block(known.cell, number)
    });
}

/// Whether the line belongs to an indented block under a line of Python.
fn is_in_block(cell: &str, number: usize) -> bool {
    let is_indented = |text: &&str| text.starts_with([' ', '\t']) || text.trim().is_empty();
    let lines: Vec<&str> = cell.lines().take(number).collect();
    let head = lines.iter().rev().find(|text| !is_indented(text));
    let is_head = |text: &&str| LINES.iter().any(|(begin, _)| text.starts_with(begin));
    lines.last().is_some_and(is_indented) && head.is_some_and(is_head)
}

fn is_python(python: &str, rust: &str) -> Hint {
    Hint::new(format!("`{python}` is Python; in Rust {rust}"))
}

/// A comment: `# text`.
fn comment(cell: &str, place: LineSpan) -> Option<Hint> {
    let before = cell.lines().take(place.line).enumerate();
    let before = before.map(|(index, text)| match index + 1 == place.line {
        true => text.chars().take(place.start).collect(),
        false => text.to_owned(),
    });
    let before: Vec<String> = before.collect();
    let last = before.iter().rposition(|text| !text.trim().is_empty())?;
    let start = before[last].trim_end().strip_suffix('#')?.chars().count();
    let edit = Edit {
        place: LineSpan {
            line: last + 1,
            start,
            end: start + 1,
        },
        text: "//".to_owned(),
    };
    Some(Hint::with("a comment begins with `//` in Rust", vec![edit]))
}

/// Python syntax in which rustc finds an unexpected token: `if x:`, `a @ b`, `[... for x in ...]`,
/// `x[:, 0]`.
fn of_signs(message: &str, whole: &str, place: LineSpan) -> Option<Hint> {
    if message.starts_with("expected `{`, found `:`") {
        let head = whole.trim_end().strip_suffix(':');
        let edits = head.map(|head| Edit {
            place: LineSpan {
                line: place.line,
                start: 0,
                end: whole.chars().count(),
            },
            text: format!("{} {{", without_range(head)),
        });
        let text = "in Rust a block is enclosed in `{` and `}`, without a `:` before it";
        return Some(Hint::with(text, edits.into_iter().collect()));
    }
    if message.ends_with("found `@`") {
        return Some(is_python("@", "the product of matrices is `a.dot(&b)`"));
    }
    if message.ends_with("found keyword `for`") && whole.contains('[') {
        return Some(is_python(
            "[... for x in ...]",
            "a list is built with `collect`: `(0..3).map(|x| x * 2).collect::<Vec<_>>()`",
        ));
    }
    let is_part = message.ends_with("found `:`") && whole[..byte(whole, place.start)].contains('[');
    is_part.then(|| {
        Hint::new(
            "a part of an array is taken with `slice`, and `..` stands for Python's `:`: \
             `x.slice(s![.., 0])` is the first column, `x.slice(s![0..2, ..])` the first two rows",
        )
    })
}

fn byte(text: &str, place: usize) -> usize {
    text.char_indices()
        .nth(place)
        .map_or(text.len(), |(byte, _)| byte)
}

/// Replaces `range(n)` with `0..n`, and `range(a, b)` with `a..b`.
fn without_range(text: &str) -> String {
    let range = || {
        let (before, rest) = text.split_once("range(")?;
        let (arguments, after) = rest.rsplit_once(')')?;
        let ends: Vec<&str> = arguments.split(',').map(str::trim).collect();
        match ends[..] {
            [end] => Some(format!("{before}0..{end}{after}")),
            [start, end] => Some(format!("{before}{start}..{end}{after}")),
            _ => None,
        }
    };
    range().unwrap_or_else(|| text.to_owned())
}

/// An index: `q[0, 1]`.
fn index(message: &str, whole: &str, number: usize) -> Option<Hint> {
    let says_it = message.ends_with("found `,`") || message == "expected `;`, found `[`";
    let chars: Vec<char> = whole.chars().collect();
    let is_name = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let start = (1..chars.len()).find(|&place| {
        let inner = chars[place + 1..]
            .iter()
            .take_while(|c| !"[]".contains(**c));
        chars[place] == '[' && is_name(chars.get(place - 1)) && inner.into_iter().any(|c| *c == ',')
    })?;
    let end = start + chars[start..].iter().position(|c| *c == ']')?;
    let twice = |place: usize| Edit {
        place: LineSpan {
            line: number,
            start: place,
            end: place + 1,
        },
        text: chars[place].to_string().repeat(2),
    };
    says_it.then(|| {
        let text = "an index of several numbers is written in two pairs of brackets";
        Hint::with(text, vec![twice(start), twice(end)])
    })
}

/// The call `type(x)`.
fn of_type(whole: &str) -> Option<Hint> {
    let (before, _) = whole.split_once("type(")?;
    let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_word.then(|| {
        is_python(
            "type(x)",
            "`std::any::type_name_of_val(&x)` names a type, and `:vars` lists all variables with \
             theirs",
        )
    })
}

/// `7 // 2`, which Rust reads as `7` and a comment.
fn floor_division(whole: &str, place: LineSpan) -> Option<Hint> {
    let before = byte(whole, place.start);
    let comment = whole[before..].trim_start().strip_prefix("//")?;
    let divisor = comment.trim().trim_end_matches(';');
    let is_code = divisor
        .chars()
        .all(|c| c.is_alphanumeric() || "_.()".contains(c));
    if divisor.is_empty() || !is_code {
        return None;
    }
    let start = whole.chars().count() - comment.chars().count() - 2;
    let edit = Edit {
        place: LineSpan {
            line: place.line,
            start,
            end: start + 2,
        },
        text: "/".to_owned(),
    };
    let text =
        "`//` begins a comment in Rust; integers are divided with `/`, which drops the remainder";
    Some(Hint::with(text, vec![edit]))
}

#[cfg(test)]
mod tests;
