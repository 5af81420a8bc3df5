//! Python, whatever rustc makes of its words.

use super::{Hint, Known, receiver};
use crate::evaluation::diagnostic::{Diagnostic, Edit, Place, line};

/// How a line begins that is Python.
const LINES: [(&str, &str); 7] = [
    (
        "def ",
        "a function is written `fn f(x: f32) -> f32 { ... }`",
    ),
    ("import ", "names of a crate are brought in with `use`"),
    ("from ", "names of a crate are brought in with `use`"),
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
    let is_xor = message.contains("implementation for `f") && message.contains(" ^ ");
    if is_power || is_xor {
        return Some(Hint::new(
            "a power is a method in Rust: `x.powi(2)`, of an array `x.mapv(|value| value.powi(2))`",
        ));
    }
    match diagnostic.code.as_deref() {
        None => comment(known.cell, place)
            .or_else(|| of_signs(message, whole, place))
            .or_else(|| index(message, whole, place.line)),
        Some("E0425")
            if whole.chars().nth(place.end) == Some('"') && place.of(known.cell) == "f" =>
        {
            Some(is_python("f\"...\"", "it is `format!(\"...\")`"))
        }
        Some("E0282") if message.ends_with("for `Option<_>`") && whole.contains("None") => {
            Some(Hint::new(
                "`None` is a value that is missing, and Rust must know of which type: \
                 `let x: Option<f32> = None;`",
            ))
        }
        Some("E0599") => method(message, known, place),
        _ => None,
    }
}

fn is_python(python: &str, rust: &str) -> Hint {
    Hint::new(format!("`{python}` is Python; in Rust {rust}"))
}

/// `# text`.
fn comment(cell: &str, place: Place) -> Option<Hint> {
    let before = cell.lines().take(place.line).enumerate();
    let before = before.map(|(index, text)| match index + 1 == place.line {
        true => text.chars().take(place.start).collect(),
        false => text.to_owned(),
    });
    let before: Vec<String> = before.collect();
    let last = before.iter().rposition(|text| !text.trim().is_empty())?;
    let start = before[last].trim_end().strip_suffix('#')?.chars().count();
    let edit = Edit {
        place: Place {
            line: last + 1,
            start,
            end: start + 1,
        },
        text: "//".to_owned(),
    };
    Some(Hint::with("a comment begins with `//` in Rust", vec![edit]))
}

/// What rustc says about a sign or a word that cannot stand there.
fn of_signs(message: &str, whole: &str, place: Place) -> Option<Hint> {
    if message.starts_with("expected `{`, found `:`") {
        let head = whole.trim_end().strip_suffix(':');
        let edits = head.map(|head| Edit {
            place: Place {
                line: place.line,
                start: 0,
                end: whole.chars().count(),
            },
            text: format!("{} {{", without_range(head)),
        });
        let text = "a block stands between `{` and `}` in Rust, and no `:` before it";
        return Some(Hint::with(text, edits.into_iter().collect()));
    }
    if message.ends_with("found `@`") {
        return Some(is_python("@", "the product of matrices is `a.dot(&b)`"));
    }
    if message.ends_with("found keyword `for`") && whole.contains('[') {
        return Some(is_python(
            "[... for x in ...]",
            "a list is collected: `(0..3).map(|x| x * 2).collect::<Vec<_>>()`",
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

/// `0..n` for `range(n)`, and `a..b` for `range(a, b)`.
fn without_range(text: &str) -> String {
    let range = || {
        let (before, rest) = text.split_once("range(")?;
        let (arguments, behind) = rest.rsplit_once(')')?;
        let ends: Vec<&str> = arguments.split(',').map(str::trim).collect();
        match ends[..] {
            [end] => Some(format!("{before}0..{end}{behind}")),
            [start, end] => Some(format!("{before}{start}..{end}{behind}")),
            _ => None,
        }
    };
    range().unwrap_or_else(|| text.to_owned())
}

/// `q[0, 1]`.
fn index(message: &str, whole: &str, number: usize) -> Option<Hint> {
    let says_it = message.ends_with("found `,`") || message == "expected `;`, found `[`";
    let signs: Vec<char> = whole.chars().collect();
    let is_name =
        |sign: Option<&char>| sign.is_some_and(|sign| sign.is_alphanumeric() || *sign == '_');
    let start = (1..signs.len()).find(|&place| {
        let inner = signs[place + 1..]
            .iter()
            .take_while(|sign| !"[]".contains(**sign));
        signs[place] == '['
            && is_name(signs.get(place - 1))
            && inner.into_iter().any(|sign| *sign == ',')
    })?;
    let end = start + signs[start..].iter().position(|sign| *sign == ']')?;
    let twice = |place: usize| Edit {
        place: Place {
            line: number,
            start: place,
            end: place + 1,
        },
        text: signs[place].to_string().repeat(2),
    };
    says_it.then(|| {
        let text = "an index of several numbers stands in two pairs of brackets";
        Hint::with(text, vec![twice(start), twice(end)])
    })
}

/// What arrays have in NumPy.
fn method(message: &str, known: &Known<'_>, place: Place) -> Option<Hint> {
    if !message.contains("`ArrayBase<") {
        return None;
    }
    let array = receiver(known.cell, place).map_or("x", |place| place.of(known.cell));
    let float = match message.contains("f64") {
        true => "f64",
        false => "f32",
    };
    let name = place.of(known.cell);
    let rust = match name {
        "max" => format!("{array}.iter().copied().fold({float}::NEG_INFINITY, {float}::max)"),
        "min" => format!("{array}.iter().copied().fold({float}::INFINITY, {float}::min)"),
        "argmax" | "argmin" => format!(
            "{array}.iter().enumerate().{}_by(|a, b| a.1.total_cmp(b.1)).unwrap().0",
            name.trim_start_matches("arg")
        ),
        "transpose" => format!("{array}.t()"),
        "reshape" => format!("{array}.to_shape((2, 3)).unwrap().to_owned()"),
        _ => return None,
    };
    Some(Hint::new(format!(
        "arrays have no `{name}` in Rust; write\n    {rust}"
    )))
}
