//! Variables that cannot be kept for later cells.

use super::{Hint, Known};
use crate::cell_syntax;
use crate::diagnostic::{CONTAINS_REFERENCE, Diagnostic, Edit, Help, LineSpan, line};

/// Array methods that return views.
const VIEWS: [&str; 9] = [
    "row",
    "column",
    "slice",
    "view",
    "t",
    "index_axis",
    "diag",
    "slice_axis",
    "row_mut",
];

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if diagnostic.has_code("E0373") {
        let name = closure_at(diagnostic.primary()?, known);
        return name.map_or_else(
            || outliving_closure(diagnostic),
            |name| Some(closure(&name, known)),
        );
    }
    let is_untyped = |help: &Help| help.message.contains("closure parameter");
    if diagnostic.helps.iter().any(is_untyped)
        && let Some(name) = first_closure(diagnostic, known)
    {
        return Some(closure(&name, known));
    }
    if diagnostic.has_code("E0521") {
        let name = cell_syntax::closure_names(known.cell).into_iter().next()?;
        return Some(closure(&name, known));
    }
    if diagnostic.has_code("E0716") {
        return Some(Hint::new(
            "the borrowed value exists only in this line: assign it to a variable first, or keep a \
             copy (`.to_owned()`)",
        ));
    }
    if !diagnostic.message.contains(CONTAINS_REFERENCE) {
        return None;
    }
    let name = (*diagnostic.quoted().first()?).to_owned();
    let place = diagnostic.primary()?;
    let value = cell_syntax::initialiser(known.cell, &name)?;
    let whole = line(known.cell, place.line);
    let end = whole.find(&value).map(|start| {
        let end = whole[..start].chars().count() + value.chars().count();
        LineSpan {
            line: place.line,
            start: end,
            end,
        }
    });
    let from = cell_syntax::names_in(&value);
    let from = from.iter().find(|from| {
        known.has_variable(from) || cell_syntax::definition(known.cell, from).is_some()
    });
    let borrows = match from {
        Some(from) => format!("`{name}` borrows from `{from}`"),
        None => format!("`{name}` is borrowed"),
    };
    let cannot = "and only what owns its values can be kept for later cells";
    let method = cell_syntax::last_method(known.cell, &name);
    if VIEWS.contains(&method.as_deref().unwrap_or("")) {
        let text = format!("{borrows}, {cannot}: keep a copy with `.to_owned()`");
        let edits = end.map(|place| Edit {
            place,
            text: ".to_owned()".to_owned(),
        });
        return Some(Hint::with(text, edits.into_iter().collect()));
    }
    if let Some(owner) = value.strip_prefix('&')
        && owner.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        let text = format!(
            "{borrows}, {cannot}: write `&{owner}` where it is needed, or keep a copy (`{owner}.clone()`)"
        );
        return Some(Hint::new(text));
    }
    Some(Hint::new(format!(
        "{borrows}, {cannot}: keep a copy (`.to_owned()` or `.clone()`, of an iterator \
         `.collect::<Vec<_>>()`), or put the lines that use `{name}` into one block, `{{ ... }}`"
    )))
}

/// A variable whose type cannot be written, such as an iterator or a closure.
pub fn without_a_name(name: &str, known: &Known<'_>) -> Hint {
    if cell_syntax::closure(known.cell, name, &[]).is_some() {
        return closure(name, known);
    }
    Hint::new(format!(
        "`{name}` cannot be kept for later cells, because its type has no name: finish the value \
         here (an iterator with `.collect::<Vec<_>>()`), or put the lines that use `{name}` into \
         one block, `{{ ... }}`"
    ))
}

/// The name of the closure defined on the line of the message.
fn first_closure(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<String> {
    let text = line(known.cell, diagnostic.primary()?.line).trim_start();
    let name = text.strip_prefix("let ")?.split_once(['=', ':'])?.0.trim();
    cell_syntax::closure(known.cell, name, &[]).map(|_| name.to_owned())
}

/// The name of the closure that starts at this place.
fn closure_at(place: LineSpan, known: &Known<'_>) -> Option<String> {
    let before: String = line(known.cell, place.line)
        .chars()
        .take(place.start)
        .collect();
    let before = before.trim_end().strip_suffix('=')?.trim_end().to_owned();
    let name = before.rsplit([' ', ';']).next()?;
    Some(name.to_owned())
}

/// A closure that borrows variables and is called in a later cell.
fn outliving_closure(diagnostic: &Diagnostic) -> Option<Hint> {
    let [_, borrowed] = diagnostic.message.split("borrows `").collect::<Vec<_>>()[..] else {
        return None;
    };
    let name = borrowed.split('`').next()?;
    Some(Hint::new(format!(
        "this closure is called after its cell has ended, so it cannot borrow `{name}`: write \
         `move` before its first `|`, and give it a copy, which leaves `{name}` for later cells: \
         put all of it into a block that begins with a copy, `{{ let {name} = {name}.clone(); ... }}`"
    )))
}

fn closure(name: &str, known: &Known<'_>) -> Hint {
    let mut outside: Vec<&str> = known
        .variables
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let here: Vec<String> = cell_syntax::names_in(known.cell);
    outside.extend(here.iter().map(String::as_str));
    let found = cell_syntax::closure(known.cell, name, &outside);
    let cannot = format!("`{name}` is a closure, which cannot be kept for later cells");
    let Some(found) = found else {
        return Hint::new(format!(
            "{cannot}: write a function, `fn {name}(...) -> ... {{ ... }}`"
        ));
    };
    let parameters: Vec<&str> = found
        .parameters
        .split(',')
        .map(|one| one.split(':').next().unwrap_or("").trim())
        .collect();
    let captured: Vec<&String> = (found.captured.iter())
        .filter(|used| {
            let is_variable = known.has_variable(used)
                || cell_syntax::definition(known.cell, used)
                    .is_some_and(|place| matches!(place, cell_syntax::DefinedIn::Cell(_)));
            is_variable && !parameters.contains(&used.as_str())
        })
        .collect();
    let mut all: Vec<String> = (found.parameters.split(", "))
        .filter(|one| !one.is_empty())
        .map(|one| {
            if one.contains(':') {
                one.to_owned()
            } else {
                format!("{one}: ...")
            }
        })
        .collect();
    all.extend(captured.iter().map(|one| {
        let variable = known.variable(one);
        match variable {
            Some(variable) if variable.type_name.len() < 10 => {
                format!("{one}: {}", variable.type_name)
            }
            _ => format!("{one}: ..."),
        }
    }));
    let body = found
        .body
        .trim_start_matches('{')
        .trim_end_matches('}')
        .trim();
    let body = if body.contains('\n') { "..." } else { body };
    let takes = match captured[..] {
        [] => String::new(),
        [one] => format!(", which gets `{one}` as a parameter"),
        _ => ", which gets what it uses from outside as parameters".to_owned(),
    };
    Hint::new(format!(
        "{cannot}: write a function{takes}\n    fn {name}({}) -> ... {{ {body} }}",
        all.join(", ")
    ))
}
