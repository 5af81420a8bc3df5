//! A name that is not there, or is something else.

use super::{Hint, Known};
use crate::evaluation::cell_syntax;
use crate::evaluation::diagnostic::{Diagnostic, Place, line};
use crate::evaluation::memory::Reason;

/// What Python has in place of something in Rust.
const OF_PYTHON: [(&str, &str); 14] = [
    ("True", "`true`"),
    ("False", "`false`"),
    ("print", "the macro `println!(\"{}\", x)`"),
    ("len", "the method `x.len()`"),
    ("range", "`0..n`, as in `for i in 0..n { ... }`"),
    ("abs", "the method `x.abs()`"),
    (
        "sqrt",
        "the method `x.sqrt()`, of an array `x.mapv(|value| value.sqrt())`",
    ),
    (
        "exp",
        "the method `x.exp()`, of an array `x.mapv(|value| value.exp())`",
    ),
    ("max", "the method `a.max(b)`"),
    ("min", "the method `a.min(b)`"),
    ("enumerate", "the method `values.iter().enumerate()`"),
    ("zip", "the method `a.iter().zip(&b)`"),
    ("str", "the method `x.to_string()`"),
    ("float", "`x as f32` or `x as f64`"),
];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let name = *diagnostic.quoted().first()?;
    match diagnostic.code.as_deref()? {
        "E0423" if diagnostic.message.contains("found macro") => {
            let quoted_name = diagnostic.quoted().last().copied().unwrap_or(name);
            Some(met_macro(quoted_name, diagnostic, known))
        }
        "E0425" | "E0433" | "E0412" => missing(name, diagnostic, known),
        _ if diagnostic.message.starts_with("cannot find macro") => {
            missing(name, diagnostic, known)
        }
        _ => None,
    }
}

fn met_macro(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Hint {
    if diagnostic.message.contains("expected function") {
        let calls = diagnostic
            .helps
            .iter()
            .find(|help| help.message.contains("use `!`"));
        let edits = calls.map(|help| help.edits.clone()).unwrap_or_default();
        let text = match name {
            "print" => "`print!` is a macro and needs its `!` and a text with places for values",
            _ => "a macro is called with `!` behind its name",
        };
        return match name {
            "print" => Hint::new(format!("{text}: `println!(\"{{}}\", x)`")),
            _ => Hint::with(text, edits),
        };
    }
    let there_is = format!("`{name}` is the macro `{name}![...]` here");
    Hint::new(match known.memory.why_missing(name) {
        Some(reason) if !matches!(reason, Reason::InBlock(..)) => {
            format!("{there_is}, no variable: {}", because(name, reason))
        }
        _ => format!(
            "{there_is}; there is no variable `{name}` yet: define it first (`let {name} = ...;`)"
        ),
    })
}

fn missing(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let number = diagnostic.primary().map_or(0, |place| place.line);
    if let Some(cell_syntax::Place::Cell(defined)) = cell_syntax::definition(known.cell, name)
        && (defined > number || defined == number && follows(name, diagnostic, known))
    {
        return Some(Hint::new(format!(
            "`{name}` is defined further down, in line {defined}: its `let` must stand before its \
             first use"
        )));
    }
    if diagnostic
        .primary()
        .is_some_and(|place| is_argument_name(place, known.cell))
    {
        return Some(Hint::new(format!(
            "arguments have no names in Rust: leave `{name}=` out, and give the values in their \
             order"
        )));
    }
    let reason = known.memory.why_missing(name);
    let is_assigned = diagnostic
        .primary()
        .is_some_and(|place| begins_assignment(place, known.cell));
    match reason {
        None | Some(Reason::InBlock(..)) if is_assigned => {
            return Some(Hint::new(format!(
                "there is no variable `{name}` yet: `let {name} = ...;` makes one"
            )));
        }
        Some(reason) => return Some(Hint::new(because(name, reason))),
        None => {}
    }
    if let Some((_, rust)) = OF_PYTHON.iter().find(|(python, _)| *python == name) {
        return Some(Hint::new(format!(
            "`{name}` is Python; in Rust it is {rust}"
        )));
    }
    if !diagnostic.has_code("E0425") {
        return None;
    }
    let similar = diagnostic
        .helps
        .iter()
        .find(|help| help.message.contains("similar name") && !help.edits.is_empty());
    if let Some(help) = similar {
        let other = &help.edits[0].text;
        let text = format!("there is no `{name}`, but there is `{other}`");
        return Some(Hint::with(text, help.edits.clone()));
    }
    if diagnostic
        .helps
        .iter()
        .any(|help| help.message.contains("import"))
    {
        return None; // rustc says where it is
    }
    let mut text = format!(
        "no cell that has run so far defines `{name}`: run the cell that does before this one, or \
         check the spelling"
    );
    let is_alone = diagnostic
        .primary()
        .is_some_and(|place| is_all_in_brackets(place, known.cell));
    if is_alone {
        text += &format!("; if it is a text, write it in quotes: `\"{name}\"`");
    }
    Some(Hint::new(text))
}

/// Whether it is the only thing in `f(name)`.
fn is_all_in_brackets(place: Place, cell: &str) -> bool {
    let signs: Vec<char> = line(cell, place.line).chars().collect();
    let before = signs[..place.start].iter().rev().find(|sign| **sign != ' ');
    let behind = signs[place.end..].iter().find(|sign| **sign != ' ');
    before == Some(&'(') && behind == Some(&')')
}

/// Whether the variable is defined behind the place in the same line.
fn follows(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> bool {
    let Some(place) = diagnostic.primary() else {
        return false;
    };
    let rest: String = line(known.cell, place.line)
        .chars()
        .skip(place.end)
        .collect();
    [format!("let {name}"), format!("let mut {name}")]
        .iter()
        .any(|text| rest.contains(text))
}

/// Whether the line is `name = value`.
fn begins_assignment(place: Place, cell: &str) -> bool {
    let signs: Vec<char> = line(cell, place.line).chars().collect();
    let begins = signs[..place.start].iter().all(|sign| *sign == ' ');
    let mut behind = signs[place.end..].iter().filter(|sign| **sign != ' ');
    begins && behind.next() == Some(&'=') && behind.next() != Some(&'=')
}

/// Whether it is the name in `f(name=value)`.
fn is_argument_name(place: Place, cell: &str) -> bool {
    let signs: Vec<char> = line(cell, place.line).chars().collect();
    let before = signs[..place.start].iter().rev().find(|sign| **sign != ' ');
    let mut behind = signs[place.end..].iter().filter(|sign| **sign != ' ');
    matches!(before, Some('(' | ',')) && behind.next() == Some(&'=') && behind.next() != Some(&'=')
}

fn because(name: &str, reason: Reason) -> String {
    match reason {
        Reason::Moved(cell, into) => {
            let into = into.map(|into| format!("{into} ")).unwrap_or_default();
            format!(
                "`{name}` was moved {into}in {cell}: borrow it there (`&{name}`) or copy it \
                 (`{name}.clone()`), and run the cell that defines `{name}` again"
            )
        }
        Reason::Lost(cell) => format!(
            "`{name}` was lost when the process of the cells ended in {cell}: run the cell that \
             defines it again"
        ),
        Reason::Failed(cell) => format!(
            "`{name}` is defined in {cell}, which failed: correct that cell and run it again"
        ),
        Reason::NotRun => format!(
            "`{name}` is defined in a cell that was not run, because a cell before it had failed: \
             run it"
        ),
        Reason::InBlock(cell, line) => format!(
            "`{name}` is defined inside a block in line {line} of {cell}, and ends with the block: \
             define it before the block (`let mut {name} = ...;`) and assign to it inside"
        ),
    }
}
