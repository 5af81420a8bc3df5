//! The commands of the program's own, besides evcxr's: a cell with one of them is replaced by the
//! Rust that the command makes.

use crate::config::{Call, CellCommand};
use crate::evaluation::failure::Failure;
use crate::evaluation::first_lines::{self, is_one_command};
use crate::evaluation::nesting;
use std::collections::HashMap;
use std::path::Path;

/// The command of evcxr's that lists all commands.
const HELP: &str = ":help";

/// The command in a cell that is one of these, and what follows it.
///
/// # Errors
///
/// If there is something else in the cell: what the command makes is a whole cell.
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
                "`:{}` stands in a cell of its own: put the rest of this cell into another one",
                command.name
            );
            Err(Failure::new("CompileError", message))
        }
        called => Ok(called),
    }
}

/// The cell that a command makes.
///
/// # Errors
///
/// What the command says about its arguments and the variables, or about the cell that it has made.
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

/// The commands that begin with what is typed.
pub fn completions(typed: &str, own: &[CellCommand]) -> Vec<String> {
    let commands = own.iter().map(|command| format!(":{}", command.name));
    let is_command = typed.starts_with(':');
    commands
        .filter(|command| is_command && command.starts_with(typed))
        .collect()
}

/// Adds the commands to what `:help` shows, by its types, if that was in the cell: before the line
/// of `:help` itself.
pub fn add_help(cell: &str, values: &mut HashMap<String, String>, own: &[CellCommand]) {
    if !first_lines::commands(cell).any(|(word, _)| word == HELP) {
        return;
    }
    let (mut text, mut html) = (String::new(), String::new());
    for CellCommand { name, help, .. } in own {
        text += &format!("{:<17} {help}\n", format!(":{name}"));
        html += &format!("<tr><td>:{name}</td><td>{help}</td></tr>\n");
    }
    let forms = [
        ("text/plain", text, HELP),
        ("text/html", html, "<tr><td>:help<"),
    ];
    for (form, rows, next) in forms {
        if let Some(shown) = values.get_mut(form) {
            *shown = shown.replacen(next, &(rows + next), 1);
        }
    }
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

    #[test]
    fn the_commands_are_completed_and_helped_with() {
        assert_eq!(completions(":b", &own()), [":bars"]);
        for typed in ["", "b", ":bars 8", ":c"] {
            assert!(completions(typed, &own()).is_empty(), "{typed:?}");
        }
        let table = |rows: &str| format!("<table>\n{rows}</table>");
        let html = "<tr><td>:help</td><td>Print</td></tr>\n";
        let shown = [
            ("text/plain", ":help             Print\n".to_owned()),
            ("text/html", table(html)),
        ];
        let shown = shown.map(|(form, text)| (form.to_owned(), text));
        let mut values = HashMap::from(shown.clone());
        add_help(":vars", &mut values, &own());
        assert_eq!(values, HashMap::from(shown));
        add_help(":help", &mut values, &own());
        let text = ":bars             Show all bars\n:help             Print\n";
        assert_eq!(values["text/plain"], text);
        let own = "<tr><td>:bars</td><td>Show all bars</td></tr>\n";
        assert_eq!(values["text/html"], table(&(own.to_owned() + html)));
    }
}
