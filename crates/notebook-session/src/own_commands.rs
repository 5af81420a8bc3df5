//! Custom commands of a program. A cell with one of them is replaced by the Rust code that the
//! command generates.

use crate::config::{Call, CellCommand};
use crate::first_lines::{self, is_one_command};
use crate::nesting;
use notebook::evaluator::Failure;
use std::path::Path;

/// Finds a custom command in a cell, with its arguments.
///
/// # Errors
///
/// If the cell contains anything else: the generated code replaces the whole cell.
pub fn called<'a, 'b>(
    cell: &'b str,
    own: &'a [CellCommand],
) -> Result<Option<(&'a CellCommand, &'b str)>, Failure> {
    let mut written = first_lines::commands(cell);
    let called = written.find_map(|(word, arguments)| {
        let name = word.strip_prefix(':')?;
        let command = own.iter().find(|command| command.name == name)?;
        Some((command, arguments.trim()))
    });
    match called {
        Some((command, _)) if !is_one_command(cell) => {
            let message = format!(
                "`:{}` must be in a cell of its own: put the rest of this cell into another one",
                command.name
            );
            Err(Failure::new("CompileError", message))
        }
        called => Ok(called),
    }
}

/// Generates the cell for a command.
///
/// # Errors
///
/// If the command rejects its arguments or the variables, or generates an invalid cell.
pub fn expand(
    (command, arguments): (&CellCommand, &str),
    variables: &[(String, String)],
    notebook: Option<&Path>,
) -> Result<String, Failure> {
    let call = Call {
        arguments,
        variables,
        notebook,
    };
    let code =
        (command.expand)(&call).map_err(|sentence| Failure::new("CompileError", sentence))?;
    nesting::check(&code)?;
    first_lines::check(&code)?;
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> [CellCommand; 1] {
        [CellCommand {
            name: "bars".to_owned(),
            help: "Show all bars".to_owned(),
            expand: |call| match call.arguments {
                "" => Err(format!("which of the {}?", call.variables.len())),
                "here" => Ok(format!("show({:?})", call.notebook.ok_or("where?")?)),
                arguments => Ok(format!("show({arguments})")),
            },
        }]
    }

    fn expanded(cell: &str) -> Result<Option<String>, Failure> {
        let own = own();
        let variables = [("a".to_owned(), "Bar".to_owned())];
        let called = called(cell, &own)?;
        let notebook = Some(Path::new("bars.ipynb"));
        called
            .map(|call| expand(call, &variables, notebook))
            .transpose()
    }

    #[test]
    fn a_command_makes_a_cell_of_what_follows_it() {
        let made = |code: &str| Ok(Some(code.to_owned()));
        assert_eq!(expanded("// all\n  :bars  8 \n"), made("show(8)"));
        assert_eq!(expanded(":bars here"), made("show(\"bars.ipynb\")"));
        for cell in ["1", ":barsx 8", ":vars", "// :bars", "let a = 1;\n:bars"] {
            assert_eq!(expanded(cell), Ok(None), "{cell:?}");
        }
        let failed = expanded(":bars").expect_err("no arguments");
        assert_eq!(failed.message, "which of the 1?");
        let nested = "(".repeat(10_000);
        assert!(expanded(&format!(":bars {nested}")).is_err());
        assert!(expanded(":bars 8\n1").is_err_and(|failure| failure.message.contains("its own")));
        assert!(expanded(":vars\n:bars 8").is_err());
    }
}
