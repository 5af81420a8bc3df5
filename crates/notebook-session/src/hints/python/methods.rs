//! Methods of Python lists and NumPy arrays.

use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};
use crate::hints::{Hint, Known, receiver};

/// The array whose method is called.
#[derive(Clone, Copy)]
pub struct Array<'a> {
    pub name: &'a str,
    /// The element type.
    pub float: &'a str,
    pub has_one_axis: bool,
    /// The arguments as written.
    pub arguments: &'a str,
}

impl Default for Array<'_> {
    fn default() -> Self {
        Array {
            name: "x",
            float: "f32",
            has_one_axis: true,
            arguments: "",
        }
    }
}

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let place = diagnostic.primary()?;
    let message = diagnostic.message.as_str();
    let name = place.of(known.cell);
    let is_of_reshape = match diagnostic.code.as_deref()? {
        "E0599" => return missing(message, name, place, known),
        "E0308" => return push(diagnostic),
        "E0277" if message.contains("Ord` is not satisfied") => return sort(diagnostic, known),
        "E0277" => message.contains("DataShared") || message.contains("usize: Neg"),
        "E0061" => true,
        _ => false,
    };
    let whole = line(known.cell, place.line);
    if name == "append" && message.contains(" takes 2 arguments") {
        return Some(keeps_its_length("an array"));
    }
    let start = whole.find(".reshape(").filter(|_| is_of_reshape)? + 1;
    let start = whole[..start].chars().count();
    let method = LineSpan {
        line: place.line,
        start,
        end: start + "reshape".len(),
    };
    of_array(message, "reshape", method, known)
}

fn missing(message: &str, name: &str, place: LineSpan, known: &Known<'_>) -> Option<Hint> {
    if message.contains("`ArrayBase<") || message.contains("`&ArrayBase<") {
        return of_array(message, name, place, known);
    }
    let is_list = message.contains("`Vec<") || message.contains("array `[");
    match name {
        "append" | "push" if message.contains("array `[") => Some(keeps_its_length("`[...]`")),
        "reshape" if is_list => Some(Hint::new(
            "a list has no shape: turn it into an array, `Array1::from(x)`, which has \
             `x.to_shape((2, 3)).unwrap().to_owned()`",
        )),
        _ => None,
    }
}

fn of_array(message: &str, name: &str, place: LineSpan, known: &Known<'_>) -> Option<Hint> {
    let float = match message.contains("f64") {
        true => "f64",
        false => "f32",
    };
    let array = Array {
        name: receiver(known.cell, place).map_or("x", |place| place.of(known.cell)),
        float,
        has_one_axis: message.contains("; 1]"),
        arguments: arguments(line(known.cell, place.line), place.end),
    };
    let rust = in_rust(name, &array)?;
    let why = match name {
        "reshape" => "`to_shape` gives an array another shape".to_owned(),
        _ => format!("arrays have no `{name}` in Rust"),
    };
    Some(Hint::new(format!("{why}; write\n    {rust}")))
}

/// The text in the parentheses after a name.
pub fn arguments(whole: &str, end: usize) -> &str {
    let from = |count: usize| whole.char_indices().nth(count).map(|(byte, _)| byte);
    let Some(rest) = from(end).and_then(|byte| whole[byte..].strip_prefix('(')) else {
        return "";
    };
    let mut depth = 0;
    for (byte, c) in rest.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => return rest[..byte].trim(),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// The Rust equivalent of a NumPy method or function.
pub fn in_rust(name: &str, array: &Array<'_>) -> Option<String> {
    let (x, float) = (array.name, array.float);
    let list = match array.has_one_axis {
        true => format!("{x}.to_vec()"),
        false => format!("{x}.iter().copied().collect::<Vec<_>>()"),
    };
    Some(match name {
        "max" => format!("{x}.iter().copied().fold({float}::NEG_INFINITY, {float}::max)"),
        "min" => format!("{x}.iter().copied().fold({float}::INFINITY, {float}::min)"),
        "argmax" | "argmin" => format!(
            "{x}.iter().enumerate().{}_by(|a, b| a.1.total_cmp(b.1)).unwrap().0",
            name.trim_start_matches("arg")
        ),
        "transpose" => format!("{x}.t()"),
        "reshape" => format!("{x}.to_shape({}).unwrap().to_owned()", shape(array)),
        "sort" => format!("let mut sorted = {list}; sorted.sort_by(|a, b| a.total_cmp(b));"),
        "copy" => format!("{x}.clone()"),
        "tolist" => list,
        "astype" => format!(
            "{x}.mapv(|value| value as {})",
            number_type(array.arguments)
        ),
        _ => return None,
    })
}

/// The shape as a single argument, with `-1` replaced by the length that it stands for.
fn shape(array: &Array<'_>) -> String {
    let inner = array.arguments.trim_start_matches(['(', '[']);
    let inner = inner.trim_end_matches([')', ']']);
    let length = format!("{}.len()", array.name);
    match inner.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [""] => "(2, 3)".to_owned(),
        ["-1"] => length,
        [one] => one.to_owned(),
        ["-1", "1"] => format!("({length}, 1)"),
        ["1", "-1"] => format!("(1, {length})"),
        ["-1", columns] => format!("({length} / {columns}, {columns})"),
        [rows, "-1"] => format!("({rows}, {length} / {rows})"),
        _ if inner.contains('-') => "(2, 3)".to_owned(),
        _ => format!("({inner})"),
    }
}

/// `astype(float)` means 64 bits, the size of Python's `float`.
fn number_type(arguments: &str) -> &'static str {
    match (arguments.contains("int"), arguments.contains("32")) {
        (true, true) => "i32",
        (true, false) => "i64",
        (false, true) => "f32",
        (false, false) => "f64",
    }
}

fn keeps_its_length(what: &str) -> Hint {
    Hint::new(format!(
        "{what} keeps its length in Rust; a list that grows is a `Vec`: `let mut list = \
         vec![\"a\"]; list.push(\"b\");`"
    ))
}

/// `list.append(value)`.
fn push(diagnostic: &Diagnostic) -> Option<Hint> {
    let is_it = |message: &str| message.contains("to use `push`");
    let help = diagnostic.helps.iter().find(|help| is_it(&help.message))?;
    let text = "in Rust `append` takes a whole list, `&mut other`; to add one value, use `push`";
    Some(Hint::with(text, help.edits.clone()))
}

/// `list.sort()` on floats.
fn sort(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let marks = diagnostic.marks.iter().map(|mark| mark.place);
    let place = marks.rev().find(|place| place.of(known.cell) == "sort")?;
    let float = match diagnostic.message.contains("f64") {
        true => "f64",
        false => "f32",
    };
    let edit = Edit {
        place: LineSpan {
            end: place.end + "()".len(),
            ..place
        },
        text: format!("sort_by({float}::total_cmp)"),
    };
    let text = "f32 and f64 are sorted with `sort_by` and a comparison";
    Some(Hint::with(text, vec![edit]))
}
