//! The forms that a cell can take.

use crate::common::Notebook;

/// Runs the cells of a notebook and compares what each prints.
#[track_caller]
fn check(cells: &[(&str, &str)]) {
    let mut notebook = Notebook::new();
    for (cell, expected) in cells {
        assert_eq!(notebook.run(cell), *expected, "{cell}");
    }
}

#[test]
fn every_pattern_declares_its_variables() {
    check(&[
        ("let r#type = 1; let größe = 2;", ""),
        ("r#type + größe", "[3]"),
        ("let X = 5; let (Q, K) = (1, 2);", ""),
        ("X + Q + K", "[8]"),
        (
            "let _ = 3; let (a, _) = (1, 2); let ref b = 5; let c = *b;",
            "",
        ),
        ("a + b + c", "[11]"),
        (
            "struct P { x: i32, y: i32 }\nlet P { x: px, y } = P { x: 1, y: 2 };",
            "",
        ),
        ("let P { x, .. } = P { x: 10, y }; (px, x)", "[(1, 10)]"),
        (
            "let [first, .., last] = [1, 2, 3]; let d @ 1..=9 = 4 else { panic!() };",
            "",
        ),
        ("(first, last, d)", "[(1, 3, 4)]"),
        (
            "let Some(z) = Some(4) else { panic!() }; let None = None::<i32> else { panic!() };",
            "",
        ),
        (
            "let (mut m, (n, [o, ..])) = (1, (2, [3, 4])); m += 1; m + n + o",
            "[7]",
        ),
        ("m += 1; (m, z)", "[(3, 4)]"),
        ("struct Unit;\nlet Unit = Unit;\nconst LIMIT: i32 = 3;", ""),
        (
            "match 3 { LIMIT => \"limit\", _ => \"other\" }",
            "[\"limit\"]",
        ),
        (
            "#[allow(unused)] let s = 1; let t = 'b: { break 'b s + 5; };",
            "",
        ),
        (
            "'a: { if t == 6 { break 'a; } println!(\"not here\"); }",
            "",
        ),
    ]);
}

#[test]
fn a_name_means_what_was_defined_last() {
    check(&[
        ("let count = 1;\nfn count() -> i32 { 2 }", ""),
        ("count", "[1]"),
        ("fn count() -> i32 { 3 }", ""),
        ("count()", "[3]"),
        ("let count = count() + 1;", ""),
        ("count", "[4]"),
        ("fn count() -> i32 { 3 }", ""),
        ("count()", "[3]"),
        ("use std::mem::size_of as size;", ""),
        ("let size = 3; size", "[3]"),
        ("size", "[3]"),
    ]);
}

#[test]
fn every_kind_of_item_is_there_for_later_cells() {
    check(&[
        (
            "async fn a() -> i32 { 1 }\nunsafe fn u() -> i32 { 2 }\nextern \"C\" fn e() -> i32 { 3 }",
            "",
        ),
        ("unsafe { u() + e() }", "[5]"),
        ("extern crate std as standard;", ""),
        ("standard::mem::size_of::<u16>()", "[2]"),
        (
            "unsafe extern \"C\" { fn abs(x: i32) -> i32; safe fn labs(x: i64) -> i64; safe static optind: i32; }",
            "",
        ),
        ("let n = unsafe { abs(-3) }; n as i64 + labs(-4)", "[7]"),
        ("optind", "[1]"),
        ("unsafe extern \"C\" { fn abs(x: i32) -> i32; }", ""),
        ("let n = unsafe { abs(-5) }; n as i64 + labs(-4)", "[9]"),
        (
            "#[cfg(windows)]\nfn os() -> i32 { 1 }\n#[cfg(not(windows))]\nfn os() -> i32 { 2 }\n#[cfg(test)]\nfn tested() {}",
            "",
        ),
        ("os()", "[2]"),
        ("#[macro_export]\nmacro_rules! four { () => { 4 } }", ""),
        ("four!()", "[4]"),
        (
            "impl Twice for Vec<i32> { fn twice(&self) -> i32 { 2 * self[0] } }\ntrait Twice { fn twice(&self) -> i32; }",
            "",
        ),
        ("vec![4].twice()", "[8]"),
        (
            "const _: () = assert!(1 < 2);\nunion Bits { f: f32, u: u32 }",
            "",
        ),
        ("unsafe { Bits { f: 1.0 }.u }", "[1065353216]"),
    ]);
    let mut notebook = Notebook::new();
    assert_eq!(notebook.error("const _: () = assert!(2 < 1);"), "E0080");
    assert_eq!(
        notebook.error("struct S; impl S { fn a() {} } impl S { fn a() {} }"),
        "E0592"
    );
}

#[test]
fn first_lines_are_the_crates_and_comments_are_nothing() {
    check(&[
        ("#![allow(unused)]\n#![deny(warnings)]\nlet q = 1; q", "[1]"),
        ("#![recursion_limit = \"256\"]", ""),
        (
            "macro_rules! deep { () => { 0 }; ($a:tt $($b:tt)*) => { 1 + deep!($($b)*) } }",
            "",
        ),
        (&format!("deep!({})", "x ".repeat(200)), "[200]"),
        ("// nothing", ""),
        ("", ""),
        ("/* nothing */ // nothing", ""),
        ("include_str!(\"/dev/null\").len()", "[0]"),
    ]);
    let mut notebook = Notebook::new();
    assert_eq!(notebook.error("#![feature(never_type)]\n1"), "E0554");
    assert_eq!(notebook.run("1"), "[1]");
    assert_eq!(notebook.error("let u = 1;\n/// nothing"), "E0585");
}

#[test]
fn a_cell_has_nothing_to_return_from() {
    let mut notebook = Notebook::new();
    let expected = "a cell is not a function: there is nothing to return from: not in a function";
    for cell in [
        "return;",
        "if true { return Ok(()); }",
        "let Some(x) = None::<i32> else { return };",
    ] {
        assert_eq!(notebook.said(cell), expected, "{cell}");
    }
    assert_eq!(
        notebook.run("fn g() -> i32 { return 1 } let n = (|x: i32| { return x + 1; })(g());\nn"),
        "[2]"
    );
}

#[test]
fn a_cell_can_wait_for_a_future() {
    check(&[
        (
            "async fn half(x: f32) -> Result<f32, String> { if x < 0.0 { Err(\"below 0\".into()) } else { Ok(x / 2.0) } }",
            "",
        ),
        (
            "let x = half(5.0).await?; let word = String::from(\"a\");",
            "",
        ),
        ("x + 1.0", "[3.5]"),
        ("println!(\"{} {word}\", half(x).await.unwrap())", "1.25 a"),
        (
            "struct Later(bool);\nimpl Future for Later {\n  type Output = i32;\n  fn poll(mut self: std::pin::Pin<&mut Self>, c: &mut std::task::Context) -> std::task::Poll<i32> {\n    if self.0 { return std::task::Poll::Ready(7) }\n    self.0 = true;\n    let waker = c.waker().clone();\n    std::thread::spawn(move || waker.wake());\n    std::task::Poll::Pending\n  }\n}",
            "",
        ),
        ("let moved = word; Later(false).await", "[7]"),
        ("moved.len()", "[1]"),
        (
            "let later = async { half(4.0).await }; drop(later); 1",
            "[1]",
        ),
    ]);
    let mut notebook = Notebook::new();
    notebook.run("async fn fails() -> Result<i32, String> { Err(\"no\".into()) }\nlet kept = 3;");
    assert!(matches!(
        notebook.try_run("let n = fails().await?;"),
        Err(cell_evaluator::CellError::Err(message)) if message == "no"
    ));
    assert_eq!(notebook.run("kept"), "[3]");
}
