//! Formats a cell's Rust code with rustfmt.

use crate::failure;
use crate::first_lines::{first_line_of_rust, is_command};
use cell_evaluator::Compilers;
use notebook::evaluator::Failure;
use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, TextRange};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// The command that formats a cell.
pub const COMMAND: &str = ":rustfmt";
/// A cell is formatted as the body of a function, indented by this much.
const INDENT: &str = "    ";
const START: &str = "async fn cell() {\n";
/// Lines of at most 71 characters, 75 with [`INDENT`], fit beside a file browser without scrolling
/// sideways.
const SETTINGS: &str = "max_width=75,use_small_heuristics=Max";

/// The cell with its code formatted, and without the `:rustfmt` line.
///
/// # Errors
///
/// If rustfmt is missing, fails or is interrupted, or the code is not valid.
pub fn formatted(
    cell: &str,
    rustfmt: &Path,
    compilers: &Compilers,
    folder: &Path,
) -> Result<String, Failure> {
    let first = first_line_of_rust(cell).unwrap_or(usize::MAX);
    let is_kept = |line: &&str| !(is_command(line) && line.trim() == COMMAND);
    let mut text: String = cell
        .split_inclusive('\n')
        .take(first)
        .filter(is_kept)
        .collect();
    let code: String = cell.split_inclusive('\n').skip(first).collect();
    if !code.is_empty() {
        let file = folder.join("cell_to_format.rs");
        let mut command = Command::new(rustfmt);
        command
            .args(["--edition=2024", "--config", SETTINGS])
            .arg(&file);
        let output = fs::write(&file, format!("{START}{code}\n}}\n"))
            .and_then(|()| compilers.run(&mut command, &mut |_| ()));
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => failure::stopped(),
            io::ErrorKind::NotFound => Failure::new(
                "EvaluatorError",
                "rustfmt is not installed: run `rustup component add rustfmt`, or install your system's package `rustfmt`",
            ),
            _ => Failure::new("EvaluatorError", format!("rustfmt did not run: {error}")),
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let why = said.lines().find_map(|line| line.strip_prefix("error: "));
            let message = format!(
                "this cell cannot be formatted, because it is not valid Rust: {}",
                why.unwrap_or("rustfmt failed")
            );
            return Err(Failure::new("CompileError", message));
        }
        let unread = |error| Failure::new("EvaluatorError", format!("rustfmt: {error}"));
        text += &body(&fs::read_to_string(&file).map_err(unread)?);
    }
    Ok(text)
}

/// The body of the only function in this text, without its indentation. Lines that begin inside a
/// string are left as they are.
fn body(function: &str) -> String {
    let syntax = SourceFile::parse(function, Edition::Edition2024).syntax_node();
    let tokens = syntax
        .descendants_with_tokens()
        .filter_map(NodeOrToken::into_token);
    let strings: Vec<TextRange> = tokens
        .filter(|token| {
            let strings = [
                SyntaxKind::STRING,
                SyntaxKind::BYTE_STRING,
                SyntaxKind::C_STRING,
            ];
            strings.contains(&token.kind()) && token.text().contains('\n')
        })
        .map(|token| token.text_range())
        .collect();
    let end = function.trim_end().len() - 1;
    let (mut place, mut lines) = (START.len(), String::new());
    for line in function[START.len()..end].split_inclusive('\n') {
        let is_inside = |range: &TextRange| {
            usize::from(range.start()) < place && place < usize::from(range.end())
        };
        lines += match strings.iter().any(is_inside) {
            true => line,
            false => line.strip_prefix(INDENT).unwrap_or(line),
        };
        place += line.len();
    }
    lines.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn format(cell: &str, rustfmt: &str) -> Result<String, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        formatted(
            cell,
            &PathBuf::from(rustfmt),
            &Compilers::default(),
            folder.path(),
        )
    }

    #[test]
    fn a_cell_is_formatted_below_its_commands() {
        for (cell, expected) in [
            (":rustfmt\nlet  a=1 ;\na+ 1", "let a = 1;\na + 1"),
            (
                ":rustfmt\n:dep a = { path = \"a\" }\n// why\n\nuse b::B;\nfn f()->B{ B }\nf()?.await",
                ":dep a = { path = \"a\" }\n// why\n\nuse b::B;\nfn f() -> B {\n    B\n}\nf()?.await",
            ),
            // The contents of strings do not change.
            (
                "let a=\"1\n    2\n3\" ;\nprintln!(r#\"4\n        5\"#)",
                "let a = \"1\n    2\n3\";\nprintln!(\n    r#\"4\n        5\"#\n)",
            ),
            (":rustfmt\n:vars", ":vars"),
        ] {
            assert_eq!(format(cell, "rustfmt").as_deref(), Ok(expected), "{cell}");
        }
    }

    #[test]
    fn what_cannot_be_formatted_is_refused_with_the_reason() {
        let why = format(":rustfmt\nlet = 5;", "rustfmt").expect_err("invalid");
        assert!(
            why.message.contains("not valid Rust: expected pattern"),
            "{}",
            why.message
        );
        let why = format("1", "/nowhere/rustfmt").expect_err("missing");
        assert!(
            why.message.contains("rustup component add rustfmt"),
            "{}",
            why.message
        );
    }
}
