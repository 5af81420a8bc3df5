//! Random notebooks print, cell by cell, what the same statements print in a single program
//! compiled by plain rustc.
//!
//! In that program each cell is a block nested in the previous cell's block, so that, as in a
//! notebook, a name refers to its latest definition above the code.

use crate::common::generated::Maker;
use crate::common::{Notebook, rustc};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// Default number of notebooks; the environment variable below overrides it, as in CI.
const NOTEBOOKS: usize = 40;
const MORE: &str = "CELL_EVALUATOR_NOTEBOOKS";
/// Number of notebooks per program. Each becomes a function.
const OF_A_PROGRAM: usize = 20;
/// Number of threads: more than there are processors, because a thread often waits for a process.
const AT_ONCE: usize = 4;
/// Separates the output of cells in a program.
const END: &str = "\u{1e}";

#[test]
fn notebooks_print_what_one_program_prints() {
    let count = std::env::var(MORE)
        .ok()
        .and_then(|count| count.parse().ok());
    let notebooks = notebooks(count.unwrap_or(NOTEBOOKS));
    let next = Mutex::new(notebooks.chunks(OF_A_PROGRAM));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let taken = next.lock().expect("no test has failed").next();
                    let Some(notebooks) = taken else {
                        break;
                    };
                    let expected = printed_by_programs(notebooks);
                    for (cells, expected) in notebooks.iter().zip(&expected) {
                        compare(cells, expected);
                    }
                }
            });
        }
    });
}

fn notebooks(count: usize) -> Vec<Vec<String>> {
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    let choices = vec(any::<u8>(), 30..160);
    let mut made = Vec::new();
    for _ in 0..count {
        let choices = choices.new_tree(&mut runner).expect("choices").current();
        made.push(Maker::new(&choices).cells());
    }
    made
}

fn compare(cells: &[String], expected: &[String]) {
    let mut notebook = Notebook::new();
    for (cell, expected) in cells.iter().zip(expected) {
        match notebook.try_run(cell) {
            Ok(text) => assert_eq!(text, *expected, "{}", cells.join("\n---\n")),
            Err(failure) => panic!("{}\n=== in\n{cell}\n{failure:#?}", cells.join("\n---\n")),
        }
    }
}

/// The output of each cell when the notebooks are run as programs.
fn printed_by_programs(notebooks: &[Vec<String>]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = "#![allow(warnings, non_local_definitions)]\n".to_owned();
    for (number, cells) in notebooks.iter().enumerate() {
        program +=
            &format!("fn notebook_{number}() -> Result<(), Box<dyn std::error::Error>> {{\n");
        for cell in cells {
            let (statements, value) = match cell.rsplit_once('\n') {
                Some((before, last)) if is_value(last) => (before, last),
                None if is_value(cell) => ("", cell.as_str()),
                _ => (cell.as_str(), ""),
            };
            program += &format!("{{\n{statements}\n");
            if !value.is_empty() {
                program += &format!("println!(\"[{{:?}}]\", {value});\n");
            }
            program += &format!("println!(\"{END}\");\n");
        }
        program += &"}".repeat(cells.len());
        program += &format!("\nprintln!(\"{END}{END}\");\nOk(())\n}}\n");
    }
    program += "fn main() {\n";
    for number in 0..notebooks.len() {
        program += &format!("notebook_{number}().unwrap();\n");
    }
    program += "}\n";
    let (source, compiled) = (folder.path().join("all.rs"), folder.path().join("all"));
    fs::write(&source, &program).expect("the source");
    let output = Command::new(rustc())
        .args(["--edition=2024", "-Cdebuginfo=0", "-o"])
        .args([&compiled, &source])
        .output()
        .expect("rustc");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = Command::new(&compiled).output().expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout).expect("text");
    let (of_cell, of_notebook) = (format!("{END}\n"), format!("{END}{END}\n"));
    let of_notebooks = printed.split(&of_notebook);
    let of_cells = of_notebooks.take(notebooks.len()).map(|text| {
        let cells = text.split(&of_cell);
        cells.map(|text| text.trim_end().to_owned()).collect()
    });
    of_cells.collect()
}

/// Whether a generated line is an expression without a semicolon.
fn is_value(line: &str) -> bool {
    !line.is_empty() && !line.ends_with([';', '}']) && !line.starts_with('#')
}
