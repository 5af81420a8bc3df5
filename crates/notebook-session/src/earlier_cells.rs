//! Remembers earlier cells, to explain errors in later ones.

use crate::cell_syntax::{self, DefinedIn};
use crate::variable::Variable;

/// Limits on the number of remembered cells and on bytes per cell.
const MOST_CELLS: usize = 1_000;
const LONGEST_CELL: usize = 1 << 16;

#[derive(Default)]
pub struct EarlierCells {
    cells: Vec<EarlierCell>,
    /// The execution number of the next cell, if it has one.
    next_number: Option<u64>,
}

/// A cell that was run, failed to compile, or was skipped.
struct EarlierCell {
    number: Option<u64>,
    source: String,
    end: CellOutcome,
    /// The variables that it removed.
    gone: Vec<String>,
}

/// How a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellOutcome {
    Success,
    Failure,
    /// The cells' process died with it, and all variables were lost.
    ProcessEnded,
    /// It was skipped because an earlier cell had failed.
    NotRun,
}

/// Why a name is undefined.
#[derive(Debug, PartialEq, Eq)]
pub enum Reason {
    /// This cell moved it; with the destination, if the syntax shows it.
    Moved(String, Option<String>),
    /// The cells' process died in this cell.
    Lost(String),
    /// The cell that defines it failed.
    Failed(String),
    /// The cell that defines it was not run.
    NotRun,
    /// It was local to a block of this cell; with the line.
    InBlock(String, usize),
}

impl EarlierCells {
    /// Sets the execution number of the next cell.
    pub fn number_next(&mut self, number: u64) {
        self.next_number = Some(number);
    }

    pub fn note(
        &mut self,
        source: &str,
        end: CellOutcome,
        before: &[Variable],
        after: &[Variable],
    ) {
        let is_gone = |variable: &&Variable| !after.iter().any(|one| one.name == variable.name);
        if self.cells.len() == MOST_CELLS {
            self.cells.remove(0);
        }
        let is_short = source.len() <= LONGEST_CELL;
        self.cells.push(EarlierCell {
            number: self.next_number.take(),
            source: if is_short { source } else { "" }.to_owned(),
            end,
            gone: (before.iter().filter(is_gone))
                .map(|variable| variable.name.clone())
                .collect(),
        });
    }

    /// Why this name is undefined; `None` if the earlier cells do not explain it.
    pub fn why_missing(&self, name: &str) -> Option<Reason> {
        let mut in_block = None;
        let cells = self.cells.iter().rev();
        for cell in cells.filter(|cell| cell.source.contains(name) || !cell.gone.is_empty()) {
            let named = cell.name();
            if cell.gone.iter().any(|gone| gone == name) {
                return Some(match cell.end {
                    CellOutcome::ProcessEnded => Reason::Lost(named),
                    _ => Reason::Moved(named, cell_syntax::destination(&cell.source, name)),
                });
            }
            match (cell_syntax::definition(&cell.source, name), cell.end) {
                (Some(DefinedIn::Cell(_)), CellOutcome::Failure) => {
                    return Some(Reason::Failed(named));
                }
                (Some(DefinedIn::Cell(_)), CellOutcome::ProcessEnded) => {
                    return Some(Reason::Lost(named));
                }
                (Some(DefinedIn::Cell(_)), CellOutcome::NotRun) => return Some(Reason::NotRun),
                (Some(DefinedIn::Block(line)), CellOutcome::Success) if in_block.is_none() => {
                    in_block = Some(Reason::InBlock(named, line));
                }
                _ => {}
            }
        }
        in_block
    }

    /// The last cell that defined this name.
    pub fn definer(&self, name: &str) -> Option<String> {
        let mut cells = self.cells.iter().rev();
        let cell = cells.find(|cell| {
            if !cell.source.contains(name) {
                return false;
            }
            let place = cell_syntax::definition(&cell.source, name);
            cell.end == CellOutcome::Success && matches!(place, Some(DefinedIn::Cell(_)))
        });
        cell.map(EarlierCell::name)
    }

    /// The last cell that contains this code: its name, its text, and the code's place in it.
    pub fn containing(&self, code: &str) -> Option<(String, &str, usize)> {
        let mut cells = self.cells.iter().rev();
        cells.find_map(|cell| Some((cell.name(), cell.source.as_str(), cell.source.find(code)?)))
    }

    /// The path under which a cell imported this name.
    pub fn imported(&self, name: &str) -> Option<String> {
        let cells = self
            .cells
            .iter()
            .rev()
            .filter(|cell| cell.end == CellOutcome::Success);
        cells
            .map(|cell| cell_syntax::imported(&cell.source, name))
            .find_map(|path| path)
    }
}

impl EarlierCell {
    fn name(&self) -> String {
        match self.number {
            Some(number) => format!("cell [{number}]"),
            None => "an earlier cell".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(names: &[&str]) -> Vec<Variable> {
        let variable = |name: &&str| Variable {
            name: (*name).to_owned(),
            type_name: "f32".to_owned(),
        };
        names.iter().map(variable).collect()
    }

    #[test]
    fn a_moved_variable_is_found_with_its_cell() {
        let mut earlier = EarlierCells::default();
        earlier.number_next(7);
        earlier.note(
            "let a = x;",
            CellOutcome::Success,
            &variables(&["x"]),
            &variables(&["a"]),
        );
        let into = Some("into `a`".to_owned());
        let moved = Reason::Moved("cell [7]".to_owned(), into);
        assert_eq!(earlier.why_missing("x"), Some(moved));
        assert_eq!(earlier.why_missing("y"), None);
        assert_eq!(earlier.definer("a").as_deref(), Some("cell [7]"));
    }

    #[test]
    fn code_is_found_in_the_last_cell_that_has_it() {
        let mut earlier = EarlierCells::default();
        for (number, source) in [(2, "fn f() {}"), (5, "// changed\nfn f() {}"), (6, "f()")] {
            earlier.number_next(number);
            earlier.note(source, CellOutcome::Success, &[], &[]);
        }
        let found = earlier.containing("fn f() {}");
        let expected = ("cell [5]".to_owned(), "// changed\nfn f() {}", 11);
        assert_eq!(found, Some(expected));
        assert_eq!(earlier.containing("fn g"), None);
    }

    #[test]
    fn the_last_reason_counts() {
        let mut earlier = EarlierCells::default();
        earlier.note("let a = \"x\" * 2;", CellOutcome::Failure, &[], &[]);
        assert_eq!(
            earlier.why_missing("a"),
            Some(Reason::Failed("an earlier cell".to_owned()))
        );
        earlier.note("let a = 1;", CellOutcome::Success, &[], &variables(&["a"]));
        earlier.number_next(3);
        earlier.note(
            "loop {}",
            CellOutcome::ProcessEnded,
            &variables(&["a"]),
            &[],
        );
        assert_eq!(
            earlier.why_missing("a"),
            Some(Reason::Lost("cell [3]".to_owned()))
        );
        earlier.note("let b = 1;", CellOutcome::NotRun, &[], &[]);
        assert_eq!(earlier.why_missing("b"), Some(Reason::NotRun));
    }
}
