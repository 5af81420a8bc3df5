//! The source of a cell, as evcxr gets it.

use crate::evaluation::cell_syntax;
use crate::evaluation::dep_paths::OnlyCrates;
use crate::evaluation::first_lines::first_line_of_rust;
use crate::evaluation::prelude::CELL_LINE;
use crate::evaluation::shell_line::with_variables_of_user;
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

    /// The cell with that line, with the crates of an installation, and with the user's variables
    /// for the shell.
    pub fn text(&self, crates: &OnlyCrates) -> String {
        let commands = self.added.unwrap_or(usize::MAX);
        let lines = self.cell.lines().enumerate();
        let mut lines: Vec<_> = lines
            .map(|(index, line)| match index < commands {
                true => match with_variables_of_user(line) {
                    Some(line) => line.into(),
                    None => crates.with_path(line),
                },
                false => line.into(),
            })
            .collect();
        if let Some(index) = self.added {
            lines.insert(index, CELL_LINE.into());
        }
        lines.join("\n")
    }

    /// Whether what the cell shows last can be its value.
    pub fn ends_in_value(&self) -> bool {
        cell_syntax::ends_in_expression(self.cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &CellSource) -> String {
        source.text(&OnlyCrates::default())
    }

    #[test]
    fn the_added_line_stands_after_commands_and_comments() {
        let cell = ":dep toy = { path = \"x\" }\n// comment\n\nuse toy::half;\nhalf(&x)";
        let source = CellSource::new(cell);
        let expected = format!(
            ":dep toy = {{ path = \"x\" }}\n// comment\n\n{CELL_LINE}\nuse toy::half;\nhalf(&x)"
        );
        assert_eq!(text(&source), expected);
        assert_eq!(source.added_line(), Some(4));
    }

    #[test]
    fn the_added_line_stands_after_attributes_of_the_cell() {
        let source = CellSource::new("#![allow(unused)]\nlet a = 1;");
        let expected = format!("#![allow(unused)]\n{CELL_LINE}\nlet a = 1;");
        assert_eq!(text(&source), expected);
    }

    #[test]
    fn a_cell_without_rust_gets_no_line() {
        assert_eq!(
            text(&CellSource::new(":help\n// nothing\n")),
            ":help\n// nothing"
        );
        assert_eq!(CellSource::new("").added_line(), None);
    }
}
