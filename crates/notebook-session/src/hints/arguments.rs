//! Calls with the wrong number of arguments.

use super::{Hint, Known};
use crate::diagnostic::Diagnostic;

/// Parts of rustc's message: "this function takes 2 arguments but 1 argument was supplied".
const TAKES: &str = " takes ";
const SUPPLIED: &str = " but ";

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("E0061") {
        return None;
    }
    let declaration = diagnostic.declaration.as_ref()?;
    let name = diagnostic.primary()?.of(known.cell);
    let (_, numbers) = diagnostic.message.split_once(TAKES)?;
    let (taken, supplied) = numbers.split_once(SUPPLIED)?;
    let supplied = supplied.split(' ').next()?;
    Some(Hint::new(format!(
        "`{name}` takes {taken}, but is given {supplied}:\n    {declaration}"
    )))
}
