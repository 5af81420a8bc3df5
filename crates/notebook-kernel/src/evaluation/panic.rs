//! A panic of a cell, as the prelude shows it.

use crate::evaluation::diagnostic;
use crate::evaluation::failure::Failure;
use std::fs;
use std::path::Path;

pub struct Panic {
    /// The line of the compiled source; 0 if it was elsewhere.
    line: usize,
    pub message: String,
}

const UNHEARD: &str = "the cell panicked, and its message is not known. If a cell has called \
    `std::panic::set_hook`, that hook has got the message; restart the kernel to see messages here \
    again.";

impl Panic {
    /// One that the prelude has not shown.
    pub fn unheard() -> Panic {
        Panic {
            line: 0,
            message: UNHEARD.to_owned(),
        }
    }

    /// The panic in a block of the type `PANIC_TYPE`.
    pub fn read(block: &str) -> Panic {
        let (line, message) = block.split_once(' ').unwrap_or(("", block));
        Panic {
            line: line.parse().unwrap_or(0),
            message: message.to_owned(),
        }
    }

    /// The failure of the cell, with the line of the cell, if that is known. `compiled` is
    /// the source that evcxr made of the cell.
    pub fn into_failure(self, cell: &str, compiled: &Path) -> Failure {
        let line = self.line(cell, compiled);
        let mut failure = Failure::new("Panic", self.message);
        let text = |number: usize| format!("{number:4} | {}", diagnostic::line(cell, number));
        failure.details.extend(line.map(text));
        failure
    }

    /// The number of the line of the cell, if it is known.
    pub fn line(&self, cell: &str, compiled: &Path) -> Option<usize> {
        let source = fs::read_to_string(compiled).ok()?;
        let compiled_line = source.lines().nth(self.line.checked_sub(1)?)?;
        let is_it = |line: &str| !line.trim().is_empty() && compiled_line.contains(line.trim());
        let mut places = cell.lines().enumerate().filter(|(_, line)| is_it(line));
        let (index, _) = places.next()?;
        let is_certain = places.next().is_none();
        is_certain.then_some(index + 1)
    }
}
