//! Values of the wrong type returned or passed where an array, a number or a tuple is expected.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::expressions;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("E0308") {
        return None;
    }
    let (wanted, found) = wanted_and_found(&diagnostic.all)?;
    let mark = diagnostic.marks.iter().find(|mark| mark.is_primary)?;
    let at = mark.place;
    let mut labels = diagnostic.marks.iter().map(|mark| mark.label.as_str());
    let is_returned = labels.any(|label| label.ends_with("because of return type"));
    if found == "()" && diagnostic.all.contains("remove this semicolon") {
        return Some(Hint::new(
            "the `;` at the end of the last line throws its value away, so nothing is returned: \
             leave that `;` out",
        ));
    }
    if is_owned(wanted) {
        let of_array = view(found, at, known).or_else(|| borrowed(found, diagnostic));
        return match of_array {
            None if is_returned => no_array(wanted, found, at, known),
            hint => hint,
        };
    }
    if !is_returned {
        return None;
    }
    if is_float(wanted) && (is_owned(found) || is_view(found)) {
        let text = format!(
            "one number is expected here, {wanted}, but this is an array: `.sum()` adds up its values"
        );
        return Some(Hint::with(text, call(at, ".sum()", known.cell)));
    }
    wanted
        .starts_with('(')
        .then(|| no_tuple(wanted, found, at, known))
        .flatten()
}

/// The expected and the actual type as listed under rustc's message: "expected struct `X`",
/// followed by "found type `Y`" on the next line.
fn wanted_and_found(said: &str) -> Option<(&str, &str)> {
    let lines: Vec<&str> = said.lines().collect();
    lines.windows(2).find_map(|pair| {
        let wanted = type_after("expected ", pair[0])?;
        Some((wanted, type_after("found ", pair[1])?))
    })
}

fn type_after<'a>(begin: &str, line: &'a str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(begin)?;
    let (kind, name) = rest.strip_suffix('`')?.split_once('`')?;
    // A label has both types on one line, and no kind.
    (!kind.is_empty() && !name.contains('`')).then_some(name)
}

fn is_owned(name: &str) -> bool {
    // rustc omits type arguments that are the same in both types.
    name.starts_with("ArrayBase<OwnedRepr<") || name.starts_with("ArrayBase<_")
}

fn is_view(name: &str) -> bool {
    name.starts_with("ArrayBase<ViewRepr<")
}

fn is_float(name: &str) -> bool {
    ["f32", "f64"].contains(&name)
}

/// Appends a call to an expression.
fn call(at: LineSpan, call: &str, cell: &str) -> Vec<Edit> {
    let edit = |column: usize, text: &str| Edit {
        place: LineSpan {
            start: column,
            end: column,
            ..at
        },
        text: text.to_owned(),
    };
    match expressions::is_operation(cell, at) {
        true => vec![edit(at.start, "("), edit(at.end, &format!("){call}"))],
        false => vec![edit(at.end, call)],
    }
}

fn view(found: &str, at: LineSpan, known: &Known<'_>) -> Option<Hint> {
    let text = "an array that owns its values is expected here, but this is a view of another one: \
                `.to_owned()` copies it";
    is_view(found).then(|| Hint::with(text, call(at, ".to_owned()", known.cell)))
}

fn borrowed(found: &str, diagnostic: &Diagnostic) -> Option<Hint> {
    if !found.starts_with("&ArrayBase<") {
        return None;
    }
    let (remedy, edits) = diagnostic.helps.iter().find_map(|help| {
        let remedy = match help.message.as_str() {
            "consider using clone here" => "`.clone()` makes a copy",
            "consider removing the borrow" => "leave the `&` out",
            _ => return None,
        };
        Some((remedy, help.edits.clone()))
    })?;
    Some(Hint::with(
        format!("an array is expected here, but this is a reference to one: {remedy}"),
        edits,
    ))
}

/// A value that is not an array at all, such as a tuple, an iterator or a single number.
fn no_array(wanted: &str, found: &str, at: LineSpan, known: &Known<'_>) -> Option<Hint> {
    let has_one_axis = wanted.contains("; 1]");
    if let Some(inner) = found.strip_prefix('(') {
        let text = "an array is expected here, but this is a tuple, several values in parentheses";
        let given = at.of(known.cell);
        let list = given
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        let are_floats = !inner.contains("ArrayBase") && inner.contains(['f']);
        return Some(match list.filter(|_| has_one_axis && are_floats) {
            Some(list) => Hint::with(
                format!("{text}: make an array of them"),
                vec![Edit {
                    place: at,
                    text: format!("array![{list}]"),
                }],
            ),
            None => Hint::new(format!("{text}: return the one that is asked for")),
        });
    }
    if found.starts_with("std::iter::") && has_one_axis {
        let text = "an array is expected here, but this is an iterator: `.collect()` makes an array of its \
                    values";
        return Some(Hint::with(text, call(at, ".collect()", known.cell)));
    }
    (is_float(found) || found == "{float}").then(|| {
        Hint::new(
            "an array is expected here, but this is one number: `array![a, b]` is an array of numbers, and \
             `(0..n).map(|i| ...).collect()` computes one for each `i`",
        )
    })
}

/// A single value or a list where a tuple is expected.
fn no_tuple(wanted: &str, found: &str, at: LineSpan, known: &Known<'_>) -> Option<Hint> {
    let given = at.of(known.cell);
    let list = given
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    if let Some(list) = list.filter(|_| found.starts_with('[')) {
        let edit = Edit {
            place: at,
            text: format!("({list})"),
        };
        let text = "a tuple, several values in parentheses, is expected here, but this is a list";
        return Some(Hint::with(text, vec![edit]));
    }
    let (mut depth, mut count) = (0, 1);
    for c in wanted.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            ',' if depth == 1 => count += 1,
            _ => {}
        }
    }
    let names = ["a", "b", "c", "d", "e"];
    let all = names.get(..count)?.join(", ");
    let is_value = is_owned(found) || is_view(found) || is_float(found);
    is_value.then(|| {
        Hint::new(format!(
            "{count} values in parentheses, `({all})`, are expected here, but this is one"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use crate::diagnostic::Mark;

    const ONE: &str = "ArrayBase<OwnedRepr<f32>, Dim<[usize; 1]>, f32>";

    /// The hint for the value returned by a function.
    fn told(cell: &str, wanted: &str, found: &str) -> String {
        let mut error = diagnostic("E0308", "mismatched types", cell, cell);
        error.marks.push(Mark {
            label: format!("expected `{wanted}` because of return type"),
            ..Mark::default()
        });
        error.all += &format!("\nexpected struct `{wanted}`\n   found struct `{found}`");
        said(&error, cell)
    }

    #[test]
    fn an_array_in_place_of_a_number_is_added_up() {
        let expected = "one number is expected here, f32, but this is an array: `.sum()` adds up its values|\
            (a * b).sum()";
        assert_eq!(told("a * b", "f32", ONE), expected);
        assert!(told("w.row(0)", "f32", ONE).ends_with("|w.row(0).sum()"));
    }

    #[test]
    fn a_view_is_copied() {
        let told = told(
            "x.t()",
            "ArrayBase<OwnedRepr<f32>, _, _>",
            "ArrayBase<ViewRepr<&f32>, _, _>",
        );
        let expected = "an array that owns its values is expected here, but this is a view of another \
            one: `.to_owned()` copies it|x.t().to_owned()";
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_no_array_is_named() {
        assert!(told("(1.0, 2.0)", ONE, "({float}, {float})").ends_with("|array![1.0, 2.0]"));
        let several = told("(a, b)", ONE, &format!("({ONE}, {ONE})"));
        assert!(several.contains("a tuple"), "{several}");
        let iterator = told("x.iter()", ONE, "std::iter::Map<Iter<'_, f32>>");
        assert!(iterator.ends_with("|x.iter().collect()"), "{iterator}");
        assert!(told("x[0]", ONE, "f32").contains("this is one number"));
    }

    #[test]
    fn several_values_stand_in_round_brackets() {
        let pair = format!("({ONE}, {ONE})");
        let one = "2 values in parentheses, `(a, b)`, are expected here, but this is one|";
        assert_eq!(told("x.clone()", &pair, ONE), one);
        assert!(told("[a, b]", &pair, &format!("[{ONE}; 2]")).ends_with("|(a, b)"));
    }
}
