//! Commands available in every notebook, such as `:vars` and `:help`.

use crate::config::CellCommand;
use crate::variable::Variable;
use notebook::evaluator::Bundle;

/// Each command with its description.
const HELP: [(&str, &str); 14] = [
    (":clear", "Forget all variables, functions and types"),
    (":dep", "Load a crate, as in `:dep regex = \"1\"`"),
    (
        ":env",
        "Set an environment variable, as in `:env NAME=value`",
    ),
    (":explain", "Explain the last compiler error"),
    (
        ":fmt",
        "Set the format of values that have no rich display, as in `:fmt {:.3?}`",
    ),
    (":help", "Show this"),
    (
        ":offline",
        "Load crates without the network (1) or with it (0)",
    ),
    (":restart", "Forget all variables"),
    (
        ":rustfmt",
        "Format this cell with rustfmt instead of running it",
    ),
    (
        ":time",
        "Show how long this cell takes to compile and to run",
    ),
    (":timing", "Turn this on or off for all cells"),
    (":type", "Show the type of a variable, as in `:type q`"),
    (":vars", "Show all variables and their types"),
    (":version", "Show the compiler version"),
];

/// evcxr commands that have no effect here, each with the reason.
const NEEDLESS: [(&str, &str); 8] = [
    (
        ":build_env",
        "set the variables that crates need before you start Jupyter",
    ),
    (":clear_cache", "there is no cache to clear"),
    (":doc", "press Shift+Tab on a name to see its documentation"),
    (":efmt", "errors are shown in their own format"),
    (
        ":last_compile_dir",
        "compiled files are deleted with the kernel",
    ),
    (":last_error_json", "the cell's error message is complete"),
    (":load_config", "there are no configuration files"),
    (
        ":preserve_vars_on_panic",
        "variables are kept after a panic",
    ),
];

/// All commands with their descriptions.
pub fn all(own: &[CellCommand]) -> Vec<(String, String)> {
    let own = own
        .iter()
        .map(|one| (format!(":{}", one.name), one.help.clone()));
    let all = HELP.map(|(name, help)| (name.to_owned(), help.to_owned()));
    let mut rows: Vec<(String, String)> = all.into_iter().chain(own).collect();
    rows.sort();
    rows
}

/// The table shown by `:help`.
pub fn help(own: &[CellCommand]) -> Bundle {
    let rows = all(own);
    let text = rows
        .iter()
        .map(|(name, help)| format!("{name:<17} {help}\n"));
    let html = rows.iter().map(|(name, help)| row(name, help));
    bundle(text.collect(), table(&html.collect::<String>()))
}

/// The table shown by `:vars`.
pub fn variables(variables: &[Variable]) -> Bundle {
    if variables.is_empty() {
        return Bundle::from([(
            "text/plain".to_owned(),
            "There are no variables yet.".to_owned(),
        )]);
    }
    let lines = variables
        .iter()
        .map(|one| format!("{}: {}\n", one.name, one.type_name));
    let rows = variables.iter().map(|one| row(&one.name, &one.type_name));
    let head = "<tr><th>Variable</th><th>Type</th></tr>\n";
    bundle(
        lines.collect(),
        table(&(head.to_owned() + &rows.collect::<String>())),
    )
}

/// Why this evcxr command has no effect here.
pub fn needless(word: &str) -> Option<&'static str> {
    let found = NEEDLESS.iter().find(|(name, _)| *name == word);
    found.map(|(_, why)| *why)
}

fn bundle(text: String, html: String) -> Bundle {
    Bundle::from([
        ("text/plain".to_owned(), text),
        ("text/html".to_owned(), html),
    ])
}

fn table(rows: &str) -> String {
    format!("<table>\n{rows}</table>")
}

fn row(first: &str, second: &str) -> String {
    format!(
        "<tr><td>{}</td><td>{}</td></tr>\n",
        escaped(first),
        escaped(second)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
