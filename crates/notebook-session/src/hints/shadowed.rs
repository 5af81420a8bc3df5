//! A variable that shadows a function.

use super::{Hint, Known};
use crate::cell_syntax::{self, DefinedIn};
use crate::diagnostic::Diagnostic;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("E0618") {
        return None;
    }
    let name = diagnostic.primary()?.of(known.cell);
    let variable = known.variable(name);
    let here = cell_syntax::definition(known.cell, name);
    let since = match (here, known.earlier_cells.definer(name)) {
        (Some(DefinedIn::Cell(line)), _) => format!(" since line {line}"),
        (_, Some(cell)) => format!(" since {cell}"),
        _ if variable.is_some() => String::new(),
        _ => return None,
    };
    let found = diagnostic.quoted();
    let type_name = found.first().map_or("", |found| found);
    Some(Hint::new(match known.earlier_cells.imported(name) {
        Some(path) => format!(
            "`{name}` is a variable{since} ({type_name}), and hides the function `{name}`: write \
             `{path}(...)` here, and give the variable another name"
        ),
        None => format!(
            "`{name}` is a variable{since} ({type_name}), not a function: give the variable \
             another name if a function `{name}` is meant"
        ),
    }))
}
