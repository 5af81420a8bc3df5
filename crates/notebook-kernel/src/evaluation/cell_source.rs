//! The source of a cell, as evcxr gets it.

use crate::evaluation::first_lines::first_line_of_rust;
use crate::evaluation::prelude::CELL_LINE;
use crate::evaluation::stream::Activity;

/// A cell and the line that was added to it.
pub struct CellSource<'a> {
    cell: &'a str,
    /// The index of the line that was added.
    added: Option<usize>,
}

impl CellSource<'_> {
    pub fn new(cell: &str) -> CellSource<'_> {
        CellSource {
            cell,
            added: first_line_of_rust(cell),
        }
    }

    /// The number of the line that was added, from 1.
    pub fn added_line(&self) -> Option<usize> {
        self.added.map(|index| index + 1)
    }

    /// What evcxr does while it runs this cell.
    pub fn activity(&self) -> Activity {
        match self.added {
            Some(_) => Activity::Cell,
            None => Activity::Unmarked,
        }
    }

    /// The cell with that line.
    pub fn text(&self) -> String {
        let mut lines: Vec<&str> = self.cell.lines().collect();
        match self.added {
            Some(index) => {
                lines.insert(index, CELL_LINE);
                lines.join("\n")
            }
            None => self.cell.to_owned(),
        }
    }

    /// Whether what the cell shows last can be its value.
    pub fn ends_in_value(&self) -> bool {
        !self.cell.trim_end().ends_with([';', '}'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_added_line_stands_after_commands_and_comments() {
        let cell = ":dep toy = { path = \"x\" }\n// comment\n\nuse toy::half;\nhalf(&x)";
        let source = CellSource::new(cell);
        let expected = format!(
            ":dep toy = {{ path = \"x\" }}\n// comment\n\n{CELL_LINE}\nuse toy::half;\nhalf(&x)"
        );
        assert_eq!(source.text(), expected);
        assert_eq!(source.added_line(), Some(4));
    }

    #[test]
    fn a_cell_without_rust_gets_no_line() {
        assert_eq!(
            CellSource::new(":help\n// nothing\n").text(),
            ":help\n// nothing\n"
        );
        assert_eq!(CellSource::new("").added_line(), None);
    }
}
