//! Mixed number types, which Rust does not convert implicitly.

use super::{Hint, Known, receiver};
use crate::cell_syntax;
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};

pub const INTEGERS: [&str; 13] = [
    "{integer}",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
];
const FLOATS: [&str; 2] = ["f32", "f64"];

/// f32 and f64 in the same expression.
pub fn mixed(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let code = diagnostic.code.as_deref()?;
    let is_about_types = ["E0308", "E0277", "E0271"].contains(&code);
    // rustc's list of types that implement the operator contains both.
    let is_list = |line: &str| {
        let is_one = FLOATS.contains(&line.trim().trim_matches('`'));
        line.contains(" implements `") || line.contains("f32 or ") || is_one
    };
    let said = diagnostic.all.lines().filter(|line| !is_list(line));
    let has_both = FLOATS
        .iter()
        .all(|float| said.clone().any(|line| has_word(line, float)));
    if !is_about_types || !has_both || integer_and_other(diagnostic).is_some() {
        return None;
    }
    // For a literal with a type suffix, use rustc's correction.
    let literal = diagnostic
        .helps
        .iter()
        .find(|help| help.message.contains("numeric literal"));
    if let Some(help) = literal.filter(|help| !help.edits.is_empty()) {
        let text = "f32 and f64 are different types, and Rust does not convert one to the other";
        return Some(Hint::with(
            format!("{text}: write the number with the expected type"),
            help.edits.clone(),
        ));
    }
    let of_type = |wanted: &str| -> Vec<String> {
        let mut lines: Vec<usize> = diagnostic
            .marks
            .iter()
            .map(|mark| mark.place.line)
            .collect();
        lines.dedup();
        let mut names: Vec<String> = lines
            .iter()
            .flat_map(|number| cell_syntax::names_in(line(known.cell, *number)))
            .filter(|name| {
                let variable = known.variable(name);
                variable.is_some_and(|variable| {
                    let others = FLOATS.iter().filter(|float| **float != wanted);
                    let mut others = others.map(|float| has_word(&variable.type_name, float));
                    has_word(&variable.type_name, wanted) && !others.any(|has| has)
                })
            })
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let [narrow, wide] = FLOATS.map(of_type);
    let is_array = |name: &String| {
        let variable = known.variable(name);
        variable.is_some_and(|variable| variable.type_name.contains("Array"))
    };
    let which = match (narrow.is_empty(), wide.is_empty()) {
        (false, false) => format!("{} f32 and {} f64", listed(&narrow), listed(&wide)),
        (false, true) => format!("{} f32, and something else here is f64", listed(&narrow)),
        (true, false) => format!("{} f64, and something else here is f32", listed(&wide)),
        (true, true) => "f32 meets f64 here".to_owned(),
    };
    let convert = match wide.first() {
        Some(name) if is_array(name) => format!("`{name}.mapv(|x| x as f32)`"),
        Some(name) => format!("`{name} as f32`"),
        None => "`array.mapv(|x| x as f32)`, or for one number `x as f32`".to_owned(),
    };
    Some(Hint::new(format!(
        "{which}, and Rust does not mix the two. Convert: {convert}; or write the numbers as f32 \
         from the start: `array![0.1_f32, 0.2]` (without `_f32`, `array![0.1, 0.2]` is f64)"
    )))
}

/// An integer where a float is expected, or next to one.
pub fn converted(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if let Some((integer, other)) = integer_and_other(diagnostic) {
        return beside(diagnostic, known, &integer, &other);
    }
    if diagnostic.has_code("E0599") || diagnostic.has_code("E0689") {
        return method_of_floats(diagnostic, known);
    }
    if !diagnostic.has_code("E0308") {
        return None;
    }
    let point = diagnostic
        .helps
        .iter()
        .find(|help| help.message.contains("use a float literal"));
    if let Some(help) = point.filter(|help| !help.edits.is_empty()) {
        let text = "an integer is not a float in Rust: write the decimal point";
        return Some(Hint::with(text, help.edits.clone()));
    }
    let mark = diagnostic.marks.iter().find(|mark| mark.is_primary)?;
    let types: Vec<&str> = mark.label.split('`').skip(1).step_by(2).collect();
    let [wanted, found] = types[..] else {
        return None;
    };
    let is_number = |name: &str| INTEGERS.contains(&name) || FLOATS.contains(&name);
    if !is_number(wanted) || !is_number(found) || !mark.label.starts_with("expected") {
        return None;
    }
    let text = mark.place.of(known.cell);
    let is_one = text
        .chars()
        .all(|c| c.is_alphanumeric() || "_.".contains(c));
    let is_call = text.ends_with(')') && !text.contains(' ');
    let edit = Edit {
        place: mark.place,
        text: match is_one || is_call {
            true => format!("{text} as {wanted}"),
            false => format!("({text}) as {wanted}"),
        },
    };
    let text = format!("this is {found}, but {wanted} is expected: convert it with `as {wanted}`");
    Some(Hint::with(text, vec![edit]))
}

/// `n.sqrt()` on an integer.
fn method_of_floats(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let [method, integer] = diagnostic.quoted()[..] else {
        return None;
    };
    let of_floats = [
        "sqrt", "exp", "ln", "log2", "log10", "powf", "sin", "cos", "tan", "tanh", "recip", "round",
    ];
    if !of_floats.contains(&method) || !INTEGERS.contains(&integer) {
        return None;
    }
    let place = receiver(known.cell, diagnostic.primary()?);
    let edits = place.map(|place| Edit {
        place,
        text: match diagnostic.has_code("E0689") {
            true => format!("{}.0_f32", place.of(known.cell)), // a literal
            false => format!("({} as f32)", place.of(known.cell)),
        },
    });
    let text = format!(
        "`{method}` is a method of floats, and this is {}",
        match integer {
            "{integer}" => "an integer: write the point and the type".to_owned(),
            name => format!("{name}: convert it first"),
        }
    );
    Some(Hint::with(text, edits.into_iter().collect()))
}

/// The integer type and the other operand's type.
pub(super) fn integer_and_other(diagnostic: &Diagnostic) -> Option<(String, String)> {
    let is_operator = [
        "cannot add",
        "cannot subtract",
        "cannot multiply",
        "cannot divide",
        "cannot calculate",
        "can't compare",
    ];
    if !is_operator
        .iter()
        .any(|begin| diagnostic.message.starts_with(begin))
    {
        return None;
    }
    let quoted = diagnostic.quoted();
    let [first, second] = quoted[..] else {
        return None;
    };
    let [a, b] = [first, second].map(|name| name.trim_start_matches('&'));
    let is_float =
        |name: &str| FLOATS.iter().any(|float| has_word(name, float)) || name == "{float}";
    let is_integer = |name: &str| INTEGERS.contains(&name);
    if is_integer(a) && is_float(b) {
        Some((a.to_owned(), b.to_owned()))
    } else if is_integer(b) && is_float(a) {
        Some((b.to_owned(), a.to_owned()))
    } else {
        None
    }
}

fn beside(diagnostic: &Diagnostic, known: &Known<'_>, integer: &str, other: &str) -> Option<Hint> {
    let operator = diagnostic.primary()?;
    let float = FLOATS
        .into_iter()
        .find(|float| has_word(other, float))
        .unwrap_or("f32");
    let chars: Vec<char> = line(known.cell, operator.line).chars().collect();
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let after = {
        let blanks = chars[operator.end..]
            .iter()
            .take_while(|c| **c == ' ')
            .count();
        let start = operator.end + blanks;
        (
            start,
            start + chars[start..].iter().take_while(|c| is_word(c)).count(),
        )
    };
    let before = {
        let blanks = chars[..operator.start]
            .iter()
            .rev()
            .take_while(|c| **c == ' ')
            .count();
        let end = operator.start - blanks;
        (
            end - chars[..end].iter().rev().take_while(|c| is_word(c)).count(),
            end,
        )
    };
    let is_last_integer = {
        let quoted = diagnostic.quoted();
        let last = match diagnostic.message.starts_with("cannot add")
            || diagnostic.message.starts_with("cannot subtract")
        {
            true => quoted.first(), // "cannot add B to A"
            false => quoted.last(),
        };
        last.is_some_and(|last| last.trim_start_matches('&') == integer)
    };
    let (start, end) = if is_last_integer { after } else { before };
    let place = LineSpan {
        line: operator.line,
        start,
        end,
    };
    let operand = place.of(known.cell).to_owned();
    let follows = chars.get(end);
    let what = "Rust does not mix integers with floats";
    let is_literal = !operand.is_empty() && operand.chars().all(|c| c.is_ascii_digit());
    if is_literal {
        let text = format!(
            "`{operand}` is an integer, but is combined with {float}; {what}: write `{operand}.0`"
        );
        let text_of_edit = format!("{operand}.0");
        return Some(Hint::with(
            text,
            vec![Edit {
                place,
                text: text_of_edit,
            }],
        ));
    }
    let is_name = operand.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if is_name
        && !matches!(follows, Some('.' | '(' | '[' | ':'))
        && (start == 0 || chars[start - 1] != '.')
    {
        let text = format!(
            "`{operand}` is an integer, but is combined with {float}; {what}: convert it with `as {float}`"
        );
        let edit = Edit {
            place,
            text: format!("{operand} as {float}"),
        };
        return Some(Hint::with(text, vec![edit]));
    }
    Some(Hint::new(format!(
        "an integer is combined with {float} here; {what}: write floats with a decimal point (`2.0`), and convert \
         others with `as {float}`"
    )))
}

fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        1 => format!("{} is", names[0]),
        _ => format!("{} are", names.join(", ")),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.into_iter().any(|one| one == word)
}
