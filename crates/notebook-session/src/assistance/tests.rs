//! Tests without rust-analyzer: a silent program stands in for it.

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use std::time::Instant;
use tempfile::TempDir;

/// Assistance for a notebook with one function and one variable.
fn assistance() -> (Assistance, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("bin/rust-analyzer");
    fs::create_dir(folder.path().join("bin")).expect("a folder");
    fs::write(&program, "#!/bin/sh\nexec sleep 60\n").expect("a file");
    fs::set_permissions(&program, Permissions::from_mode(0o700)).expect("a program");
    let own = CellCommand {
        name: "bars".to_owned(),
        help: "Show all bars".to_owned(),
        expand: |_| Err(String::new()),
    };
    let assistance = Assistance::new(&folder.path().join("assist"), folder.path(), &[own]);
    assistance.use_notebook(NotebookCode {
        definitions: "/// Twice as much.\nfn double(x: f32) -> f32 { x * 2.0 }".to_owned(),
        variables: vec![("doubled".to_owned(), "f32".to_owned())],
        ..NotebookCode::default()
    });
    (assistance, folder)
}

/// The completions at `‸`.
fn completed(assistance: &Assistance, code: &str) -> Vec<String> {
    let (before, after) = code.split_once('‸').expect("a place");
    let found = assistance.complete(&format!("{before}{after}"), before.len());
    let texts = found.unwrap_or_default().texts.into_iter();
    texts.map(|(text, _)| text).collect()
}

#[test]
fn commands_are_completed_in_the_first_lines_and_rust_after_them() {
    let (assistance, _folder) = assistance();
    let completed = |code: &str| completed(&assistance, code);
    assert_eq!(completed(":ba‸"), [":bars"]);
    assert_eq!(completed("// all\n  :d‸x\n1"), [":dep"]);
    assert!(completed("‸:vars").len() > 10);
    for nothing in [":dep dou‸", "!dou‸", "1;\n:va‸", "1;\n  :ba‸"] {
        assert_eq!(completed(nothing), [""; 0], "{nothing}");
    }
    let both = ["double(x)", "doubled"];
    assert_eq!(completed("dou‸"), both);
    assert_eq!(completed(":dep größe = \"1\"\nlet a = dou‸;"), both);
    let found = assistance.complete("1 + doubl * 2", 7).expect("an answer");
    assert_eq!((found.start, found.end), (4, 9));
}

#[test]
fn texts_and_comments_are_not_completed() {
    let (assistance, _folder) = assistance();
    for code in [
        "\"dou‸\"",
        "let a = \"dou‸",
        "r#\"dou‸\"#",
        "'d‸'",
        "// dou‸",
        "/* dou‸",
        "1; /* dou‸ */",
    ] {
        assert_eq!(completed(&assistance, code), [""; 0], "{code}");
    }
    for code in ["\"a\"; dou‸", "// a\ndou‸", "/* a */ dou‸", "[1.0, dou‸]"] {
        assert_eq!(completed(&assistance, code).len(), 2, "{code}");
    }
}

#[test]
fn commands_definitions_and_variables_are_described() {
    let (assistance, _folder) = assistance();
    let described = |code: &str, place: usize| {
        let found = assistance.describe(code, place);
        found.map(|found| found.text).unwrap_or_default()
    };
    assert_eq!(described(":bars 8", 3), ":bars: Show all bars");
    assert!(described(":vars", 5).starts_with(":vars: Show all variables"));
    assert!(described("double(1.0)", 6).contains("Twice as much."));
    assert_eq!(described("doubled", 7), "let doubled: f32");
    for (code, place) in [("\"double\"", 4), (":nothing", 3), ("unknown", 3)] {
        assert_eq!(described(code, place), "", "{code}");
    }
}

#[test]
fn any_code_is_answered_in_seconds() {
    let (assistance, folder) = assistance();
    let program = Assistant::new(folder.path(), folder.path(), Arc::default());
    *locked(&assistance.backend.assistant) = Some(program);
    for code in [
        "(".repeat(100_000),
        "!".repeat(100_000),
        "let a = 1;\n".repeat(500_000),
        "\0\u{feff}😀".to_owned(),
        String::new(),
    ] {
        for place in [0, 1, 2, 3, code.len(), usize::MAX] {
            let began = Instant::now();
            assistance.complete(&code, place);
            assistance.describe(&code, place);
            assert!(began.elapsed() < Duration::from_secs(10));
        }
    }
}

#[test]
fn a_question_does_not_wait_for_another_one() {
    let (assistance, _folder) = assistance();
    let _held = locked(&assistance.backend.assistant);
    let began = Instant::now();
    assert_eq!(completed(&assistance, "dou‸").len(), 2);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn between_brackets_the_function_is_meant() {
    for (cell, name) in [
        ("scores(&", Some(0)),
        ("let w = softmax(&scores(&q, ", Some(17)),
        ("softmax(&scores(&q, &k), ", Some(0)),
        ("query.dot(&vec![1.0, ", Some(6)),
        ("f(x) + ", None),
        ("(1 + ", None),
    ] {
        assert_eq!(called_around(cell, cell.len()), name, "{cell}");
    }
}
