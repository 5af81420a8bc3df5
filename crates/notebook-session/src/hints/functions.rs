//! A function whose type is not the expected one.

use super::{Hint, Known};
use crate::declaration;
use crate::diagnostic::Diagnostic;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let is_it = diagnostic.has_code("E0308") && diagnostic.all.contains("expected fn pointer");
    let wanted = diagnostic.wanted.as_ref().filter(|_| is_it)?;
    let name = diagnostic.primary()?.of(known.cell);
    if diagnostic.all.contains("do not capture any variables") {
        return Some(Hint::new(format!(
            "a function is expected here, but a closure that uses the notebook's variables is not one: \
             write `fn name(...)`, of the type\n    {wanted}"
        )));
    }
    if name.starts_with('|') || name.starts_with("move") {
        return Some(Hint::new(format!(
            "this closure does not have the expected type:\n    {wanted}"
        )));
    }
    let declared = declaration::in_source(known.cell, name);
    let differs = declared
        .as_ref()
        .and_then(|declared| difference(declared, wanted));
    let what = differs.unwrap_or_else(|| "its type is different".to_owned());
    let lines = declared.map_or(String::new(), |declared| format!("\n    {declared}"));
    Some(Hint::new(format!(
        "`{name}` does not fit: {what}. The expected type is\n    {wanted}{}",
        match lines.is_empty() {
            true => lines,
            false => format!("\nand `{name}` is{lines}"),
        }
    )))
}

/// The argument types and the result type.
fn types(function: &str) -> Option<(Vec<String>, String)> {
    let begin = function.find('(')?;
    let (mut depth, mut end) = (0, begin);
    let mut arguments = vec![String::new()];
    for (place, c) in function
        .char_indices()
        .skip_while(|(place, _)| *place < begin)
    {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = place;
            break;
        }
        match (depth, c) {
            (1, ',') => arguments.push(String::new()),
            (1, '(') if place == begin => {}
            _ => arguments.last_mut()?.push(c),
        }
    }
    let arguments = arguments.iter().map(|argument| of_argument(argument));
    let arguments = arguments.filter(|argument| !argument.is_empty());
    let result = function[end..]
        .split_once("->")
        .map_or("()", |(_, result)| result);
    Some((arguments.collect(), result.trim().to_owned()))
}

/// The type in `name: type`, or in a bare type.
fn of_argument(argument: &str) -> String {
    let mut depth = 0;
    for (place, c) in argument.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ':' if depth == 0 && !argument[place + 1..].starts_with(':') => {
                return argument[place + 1..].trim().to_owned();
            }
            _ => {}
        }
    }
    argument.trim().to_owned()
}

/// Describes the first difference between the declared and the expected type of a function.
fn difference(declared: &str, wanted: &str) -> Option<String> {
    let ((arguments, result), (wanted, wanted_result)) = (types(declared)?, types(wanted)?);
    if arguments.len() != wanted.len() {
        let count = |count: usize| match count {
            1 => "1 argument".to_owned(),
            _ => format!("{count} arguments"),
        };
        let (has, should) = (count(arguments.len()), wanted.len());
        return Some(format!("it takes {has}, but should take {should}"));
    }
    let mut pairs = arguments.iter().zip(&wanted).zip(1..);
    if let Some(((is, should), number)) = pairs.find(|((is, should), _)| is != should) {
        let which = if wanted.len() == 1 {
            "its argument".to_owned()
        } else {
            format!("argument {number}")
        };
        return Some(format!("{which} is `{is}`, but should be `{should}`"));
    }
    (result != wanted_result)
        .then(|| format!("it returns `{result}`, but should return `{wanted_result}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_said() {
        let wanted = "fn(&Array2<f32>, (f32, f32)) -> Array2<f32>";
        for (declared, says) in [
            (
                "fn f(a: &Array2<f32>) -> Array2<f32>",
                "it takes 1 argument, but should take 2",
            ),
            (
                "fn f(a: Array2<f32>, b: (f32, f32)) -> Array2<f32>",
                "argument 1 is `Array2<f32>`, but should be `&Array2<f32>`",
            ),
            (
                "fn f(a: &Array2<f32>, (b, c): (f32, f32)) -> Array1<f32>",
                "it returns `Array1<f32>`, but should return `Array2<f32>`",
            ),
        ] {
            assert_eq!(difference(declared, wanted).as_deref(), Some(says));
        }
        assert_eq!(
            difference(
                "fn f(a: &Array2<f32>, b: (f32, f32)) -> Array2<f32>",
                wanted
            ),
            None
        );
    }
}
