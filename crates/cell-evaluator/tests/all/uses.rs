//! Which names a cell reads and writes, according to rustc.

use crate::common::Notebook;
use cell_evaluator::CellError;

/// The names that a cell reads, writes and changes.
#[track_caller]
fn uses(notebook: &mut Notebook, cell: &str) -> [String; 3] {
    notebook.run(cell);
    let uses = &notebook.uses;
    [&uses.reads, &uses.writes, &uses.changes].map(|names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.join(" ")
    })
}

#[test]
fn variables_are_read_and_written_in_many_ways() {
    let mut notebook = Notebook::new();
    for (cell, reads, writes) in [
        (
            "let n = 2; let mut v = vec![1]; let mut pair = (1, 2);",
            "",
            "n pair v",
        ),
        ("/* v */ println!(\"{n} of v\");", "n", ""),
        ("{ let add = |v: i32| v + n; add(1) }", "n", ""),
        ("let n = n + 1;", "n", "n"),
        ("let n = 5; n", "", "n"),
        ("for one in &mut v { *one += n; }", "n v", "v"),
        ("pair.0 += pair.1;", "pair", "pair"),
        ("async { v.push(1) }.await", "v", "v"),
        ("let all = v;", "v", "all"),
    ] {
        let writes = writes.to_owned();
        let expected = [reads.to_owned(), writes.clone(), writes];
        assert_eq!(uses(&mut notebook, cell), expected, "{cell}");
    }
}

#[test]
fn a_cell_that_fails_has_written_only_what_it_changed_in_place() {
    let mut notebook = Notebook::new();
    notebook.run("let mut v = vec![1]; let w = 1;");
    let failed = notebook.try_run("v.push(w); let w = 2; panic!(\"{w}\");");
    assert!(matches!(failed, Err(CellError::Panic(..))), "{failed:?}");
    assert!(notebook.uses.reads.contains("w"));
    assert_eq!(Vec::from_iter(&notebook.uses.changes), ["v"]);
}

#[test]
fn definitions_are_changed_only_if_they_differ() {
    let mut notebook = Notebook::new();
    let point = "struct P { x: i32 }\nimpl P { fn get(&self) -> i32 { self.x } }";
    for (cell, reads, writes, changes) in [
        (point, "", "P", "P"),
        (point, "", "P", ""),
        (
            "/// Like P.\nfn double(n: i32) -> i32 { 2 * n }",
            "",
            "double",
            "double",
        ),
        ("let p = P { x: double(1) };", "P double", "p", "p"),
        ("p.get()", "P p", "", ""),
        (
            "impl P { fn twice(&self) -> i32 { double(self.x) } }",
            "P double",
            "P",
            "P",
        ),
        (
            "macro_rules! add { ($a:expr) => { $a + double(1) } }",
            "double",
            "add",
            "add",
        ),
        (
            "macro_rules! add { ($a:expr) => { $a + double(1) } }",
            "double",
            "add",
            "",
        ),
        ("add!(p.x)", "P add p", "", ""),
        ("use std::cmp::max as most;", "", "most", "most"),
        ("use std::cmp::max as most;", "", "most", ""),
        ("use std::cmp::min as most; most(1, 2)", "", "most", "most"),
        ("most(1, 2)", "most", "", ""),
        ("fn double(n: i32) -> i32 { n + n }", "", "double", "double"),
    ] {
        let expected = [reads, writes, changes].map(str::to_owned);
        assert_eq!(uses(&mut notebook, cell), expected, "{cell}");
    }
}
