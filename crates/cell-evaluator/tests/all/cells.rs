//! Variables, values and failures over several cells.

use crate::common::Notebook;
use cell_evaluator::CellError;

#[test]
fn variables_go_from_cell_to_cell() {
    let mut notebook = Notebook::new();
    assert_eq!(
        notebook.run("let mut words = vec![\"a\", \"b\"];\nlet n = 2_usize;"),
        ""
    );
    assert_eq!(notebook.run("words.push(\"c\"); words.len() + n"), "[5]");
    assert_eq!(notebook.run("let n = n * 10; println!(\"{n}\")"), "20");
    assert_eq!(notebook.run("n"), "[20]");
    assert_eq!(
        notebook.type_of("words"),
        Some("std::vec::Vec<&'static str>")
    );
}

#[test]
fn a_moved_variable_is_gone_and_others_are_not() {
    let mut notebook = Notebook::new();
    notebook.run("let a = vec![1]; let b = String::from(\"b\");");
    assert_eq!(notebook.run("let c = a; c.len()"), "[1]");
    assert_eq!(notebook.error("a.len()"), "E0425");
    assert_eq!(notebook.run("(b, c)"), "[(\"b\", [1])]");
    // Moved in the same cell that declared it.
    notebook.run("let d = vec![1]; let e = d;");
    assert_eq!(notebook.error("d"), "E0425");
    assert_eq!(notebook.run("e"), "[[1]]");
}

#[test]
fn a_failure_leaves_variables_as_they_were() {
    let mut notebook = Notebook::new();
    notebook.run("let mut kept = vec![1]; let n = 1;");
    match notebook.try_run("kept.push(2);\nlet n = 5;\n[1, 2][n]; let z = vec![0]; z[9]") {
        Err(CellError::Compile(_)) => {}
        other => panic!("{other:?}"),
    }
    match notebook.try_run("kept.push(2);\nlet n = kept.len();\nlet z = vec![0];\nz[n]") {
        Err(CellError::Panic(message, Some(place))) => {
            assert!(
                message.contains("the len is 1 but the index is 2"),
                "{message}"
            );
            assert_eq!(place.range.start, 52);
        }
        other => panic!("{other:?}"),
    }
    match notebook.try_run("let n = 7; let x: i32 = \"x\".parse()?;") {
        Err(CellError::Err(message)) => assert_eq!(message, "invalid digit found in string"),
        other => panic!("{other:?}"),
    }
    assert_eq!(notebook.run("(kept, n)"), "[([1, 2], 1)]");
}

#[test]
fn the_place_of_a_panic_is_counted_in_characters_by_the_compiler() {
    let mut notebook = Notebook::new();
    let cell = "let größe = \"äöü\"; let ü = vec![größe]; ü[3]";
    match notebook.try_run(cell) {
        Err(CellError::Panic(_, Some(place))) => assert_eq!(&cell[place.range.start..], "[3]"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_panic_in_a_definition_is_found_in_the_cell_that_defines_it() {
    let mut notebook = Notebook::new();
    let cell = "fn one() -> usize { 1 }\nfn back(n: usize) -> usize { n - 40 }";
    notebook.run(cell);
    for calling in ["back(10)", "fn two() -> usize { 2 }\nback(two())"] {
        match notebook.try_run(calling) {
            Err(CellError::Panic(_, Some(place))) => {
                let (text, at) = notebook.definition_at(&place).expect("a definition");
                assert_eq!(text, "fn back(n: usize) -> usize { n - 40 }");
                assert_eq!(&text[at..], "n - 40 }");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_value_of_a_cell_is_marked_without_the_brackets_put_around_it() {
    let mut notebook = Notebook::new();
    let cell = "let a: usize = 3; let b = 5; a - b";
    match notebook.try_run(cell) {
        Err(CellError::Compile(errors)) => {
            let place = errors[0].places[0].place.clone();
            assert_eq!(&cell[place.range], "a - b");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_shown_as_a_format_says() {
    let mut notebook = Notebook::new();
    notebook.run("let x = 1.0_f64 / 3.0; struct Own; impl Own { fn evcxr_display(&self) { println!(\"own\") } }");
    for (format, shown) in [
        ("{:.3?}", "[0.333]"),
        ("{}", "[0.3333333333333333]"),
        ("= {:>8.2e}", "[=  3.33e-1]"),
        ("{{{:?}}}", "[{0.3333333333333333}]"),
    ] {
        notebook.set_format(format);
        assert_eq!(notebook.run("x"), shown, "{format}");
        assert_eq!(notebook.run("Own"), "own", "{format}");
    }
    notebook.set_format("{:x}");
    assert_eq!(notebook.run("255"), "[ff]");
}

#[test]
fn a_process_that_ends_is_replaced_and_definitions_are_kept() {
    let mut notebook = Notebook::new();
    notebook.run("fn double(x: i32) -> i32 { 2 * x }\nlet lost = 1;");
    match notebook.try_run("println!(\"last\"); std::process::exit(3)") {
        Err(CellError::ProcessEnded) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(notebook.error("lost"), "E0425");
    assert_eq!(notebook.run("double(4)"), "[8]");
}

#[test]
fn many_types_can_be_kept() {
    let mut notebook = Notebook::new();
    notebook.run(
        "use std::collections::{BTreeMap, HashMap};\n\
         let a: HashMap<&str, Vec<Option<char>>> = HashMap::new();\n\
         let b: Box<dyn Fn(&str) -> usize + Send> = Box::new(|text| text.len());\n\
         let c = std::sync::Arc::new(std::sync::Mutex::new(BTreeMap::from([(1, 'x')])));\n\
         let d = (1..4).rev();\n\
         fn numbers() -> impl Iterator<Item = i32> { [1, 2].into_iter() }\n\
         let e = numbers();\n\
         let f = i32::pow;\n\
         let g: fn(&str) -> &str = |text| &text[1..];\n\
         let h: std::borrow::Cow<str> = \"cow\".into();\n\
         let i = [[0.5_f32; 2]; 3]; let j = (); let k: Result<(), std::num::ParseIntError> = Ok(());\n\
         let l: &'static [u8] = b\"abc\"; let m = std::iter::repeat(7).take(2);",
    );
    let shown = notebook.run(
        "println!(\"{a:?} {} {c:?}\", b(\"four\"));\n\
         println!(\"{:?} {:?} {} {} {h}\", d.collect::<Vec<_>>(), e.sum::<i32>(), f(2, 3), g(\"xyz\"));\n\
         println!(\"{i:?} {j:?} {k:?} {l:?} {:?}\", m.collect::<Vec<_>>());",
    );
    let expected = "{} 4 Mutex { data: {1: 'x'}, poisoned: false, .. }\n\
        [3, 2, 1] 3 8 yz cow\n\
        [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]] () Ok(()) [97, 98, 99] [7, 7]";
    assert_eq!(shown, expected);
}

#[test]
fn what_has_no_name_cannot_be_kept() {
    let mut notebook = Notebook::new();
    assert_eq!(
        notebook.error("let off = 1; let f = |x: i32| x + off;"),
        "E0373"
    );
    assert_eq!(
        notebook.error("let v = vec![1]; let first = &v[0];"),
        "E0515"
    );
    match notebook.try_run("let off = 1; let f = move |x: i32| x + off;") {
        Err(CellError::Unnameable(name)) => assert_eq!(name, "f"),
        other => panic!("{other:?}"),
    }
    assert_eq!(notebook.run("1 + 1"), "[2]");
}

#[test]
fn text_that_is_no_rust_is_a_compile_error_at_its_place() {
    let mut notebook = Notebook::new();
    match notebook.try_run("let x = 1\nlet y = 2;") {
        Err(CellError::Compile(errors)) => {
            let place = &errors[0].places[0].place;
            assert_eq!((place.number, place.range.start), (1, 9), "{errors:#?}");
        }
        other => panic!("{other:?}"),
    }
    for cell in [
        "}", "{", "((", "let", "fn", "\"", "'", "r#\"", "/*", "#!", "\0", "é", "//", "",
    ] {
        let _ = notebook.try_run(cell); // whatever the result, the next cell runs
        assert_eq!(notebook.run("1"), "[1]", "{cell}");
    }
}
