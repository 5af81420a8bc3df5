//! Types keep their identity: a value is never reinterpreted as another type, whatever is
//! redefined.

use crate::common::Notebook;

/// Runs the cells of a notebook and compares what each prints; `!` means that the cell does not
/// compile, and precedes the error code.
#[track_caller]
fn check(cells: &[(&str, &str)]) {
    let mut notebook = Notebook::new();
    for (cell, expected) in cells {
        match expected.strip_prefix('!') {
            Some(code) => assert_eq!(notebook.error(cell), code, "{cell}"),
            None => assert_eq!(notebook.run(cell), *expected, "{cell}"),
        }
    }
}

#[test]
fn fields_of_a_nested_struct_change_places() {
    check(&[
        (
            "struct Inner { a: i32, b: i32 }\nstruct Outer { inner: Inner }",
            "",
        ),
        ("let outer = Outer { inner: Inner { a: 1, b: 2 } };", ""),
        ("struct Inner { b: i32, a: i32 }", ""),
        ("(outer.inner.a, outer.inner.b)", "[(1, 2)]"),
        ("let inner: Inner = outer.inner;", "!E0308"),
        (
            "struct Outer { inner: Inner }\nOuter { inner: Inner { a: 3, b: 4 } }.inner.a",
            "[3]",
        ),
        ("outer.inner.b", "[2]"),
    ]);
}

#[test]
fn a_method_is_put_in_front_of_a_trait() {
    check(&[
        (
            "trait Area { fn area(&self) -> f32; }\nstruct Square(f32);\nimpl Area for Square { fn area(&self) -> f32 { self.0 * self.0 } }",
            "",
        ),
        ("fn area_of(shape: &dyn Area) -> f32 { shape.area() }", ""),
        ("let shape: Box<dyn Area> = Box::new(Square(3.0));", ""),
        (
            "trait Area { fn name(&self) -> String; fn area(&self) -> f32; }",
            "",
        ),
        ("area_of(&*shape)", "[9.0]"),
        ("shape.name()", "!E0599"),
        ("let other: Box<dyn Area> = shape;", "!E0308"),
        ("drop(shape); 1", "[1]"),
    ]);
}

#[test]
fn a_field_gets_another_type_of_the_same_size() {
    check(&[
        ("struct P { x: u32 }\nlet p = P { x: 1065353216 };", ""),
        ("struct P { x: f32 }", ""),
        ("p.x", "[1065353216]"),
        ("P { x: 1.0 }.x", "[1.0]"),
        ("fn x(p: &P) -> f32 { p.x }", ""),
        ("x(&p)", "!E0308"),
    ]);
}

#[test]
fn a_generic_type_and_a_constant_in_a_type_change() {
    check(&[
        (
            "struct Pair<T>(T);\nconst N: usize = 2;\nstruct Row([f32; N]);",
            "",
        ),
        (
            "let pair = Pair(7_u8); let row = Row([1.0, 2.0]); let rows = vec![Row([3.0, 4.0])];",
            "",
        ),
        ("struct Pair<T>(T, T);", ""),
        ("const N: usize = 3;", ""),
        ("(pair.0, row.0.len(), rows[0].0[1])", "[(7, 2, 4.0)]"),
        ("pair.1", "!E0609"),
        ("struct Row([f32; N]);", ""),
        ("(Row([0.0; 3]).0.len(), row.0.len())", "[(3, 2)]"),
    ]);
}

#[test]
fn values_in_collections_and_behind_pointers_stay_what_they_are() {
    check(&[
        ("use std::collections::HashMap; use std::rc::Rc;", ""),
        (
            "#[derive(PartialEq, Eq, Hash)] struct Key(u8);\nstruct Node { next: Option<Rc<Node>>, value: i64 }",
            "",
        ),
        ("let map = HashMap::from([(Key(1), \"one\")]);", ""),
        (
            "let first = Rc::new(Node { next: None, value: 5 }); let second = Node { next: Some(first.clone()), value: 6 };",
            "",
        ),
        (
            "#[derive(PartialEq, Eq, Hash)] struct Key(u64);\nstruct Node { value: i64, more: String }",
            "",
        ),
        (
            "(map.len(), map.keys().next().unwrap().0, second.next.as_ref().unwrap().value, first.value)",
            "[(1, 1, 5, 5)]",
        ),
        ("map.get(&Key(1))", "!E0308"),
        ("second.more", "!E0609"),
        ("Rc::strong_count(&first)", "[2]"),
    ]);
}

#[test]
fn a_type_is_asked_for_at_run_time() {
    check(&[
        ("use std::any::Any;\nstruct P(i32);\nstruct Same(i32);", ""),
        (
            "let all: Vec<Box<dyn Any>> = vec![Box::new(P(1)), Box::new(Same(2))];",
            "",
        ),
        ("struct P(i32);", ""),
        ("(all[0].is::<P>(), all[1].is::<Same>())", "[(true, true)]"),
        ("struct P(f32);", ""),
        (
            "(all[0].is::<P>(), all[1].downcast_ref::<Same>().unwrap().0)",
            "[(false, 2)]",
        ),
    ]);
}

#[test]
fn what_is_dropped_is_dropped_as_what_it_was() {
    check(&[
        (
            "struct Loud(i32);\nimpl Drop for Loud { fn drop(&mut self) { println!(\"old {}\", self.0); } }",
            "",
        ),
        ("let loud = Loud(1);", ""),
        (
            "struct Loud { words: Vec<String> }\nimpl Drop for Loud { fn drop(&mut self) { println!(\"new {}\", self.words.len()); } }",
            "",
        ),
        ("drop(loud);", "old 1"),
        ("drop(Loud { words: vec![] });", "new 0"),
    ]);
}

#[test]
fn functions_that_are_kept_take_the_types_of_their_time() {
    check(&[
        (
            "#[derive(Clone)] struct P { x: i32 }\nfn x(p: &P) -> i32 { p.x }",
            "",
        ),
        (
            "let get: fn(&P) -> i32 = x; let boxed: Box<dyn Fn(&P) -> i32> = Box::new(|p| p.x * 2); let p = P { x: 4 };",
            "",
        ),
        (
            "struct P { pad: [u64; 4], x: i32 }\nfn x(p: &P) -> i32 { p.x + 1 }",
            "",
        ),
        ("(get(&p), boxed(&p))", "[(4, 8)]"),
        ("x(&p)", "!E0308"),
        ("get(&P { pad: [0; 4], x: 1 })", "!E0308"),
        ("x(&P { pad: [0; 4], x: 1 })", "[2]"),
        ("p.clone().x", "[4]"),
    ]);
}

#[test]
fn an_enum_grows_and_its_old_values_are_matched_by_old_functions() {
    check(&[
        (
            "#[derive(Debug, Clone)] enum Kind { A, B(u8) }\nfn name(kind: &Kind) -> &'static str { match kind { Kind::A => \"a\", Kind::B(_) => \"b\" } }",
            "",
        ),
        ("let kinds = [Kind::A, Kind::B(3)];", ""),
        ("#[derive(Debug)] enum Kind { Z(String), A, B(u8) }", ""),
        (
            "kinds.iter().map(|kind| name(kind)).collect::<String>()",
            "[\"ab\"]",
        ),
        ("kinds", "[[A, B(3)]]"),
        ("matches!(kinds[0], Kind::A)", "!E0308"),
        ("name(&Kind::A)", "!E0308"),
    ]);
}

#[test]
fn names_change_what_they_stand_for() {
    check(&[
        (
            "type Number = i32;\nmod m { pub struct P { pub x: u8 } }\nuse m::P;",
            "",
        ),
        (
            "let numbers: Vec<Number> = vec![-1]; let p = P { x: 200 };",
            "",
        ),
        (
            "type Number = u32;\nmod m { pub struct P { pub x: i8 } }",
            "",
        ),
        ("(numbers[0], p.x)", "[(-1, 200)]"),
        ("use m::P;", ""),
        ("let other: P = p;", "!E0308"),
        ("(P { x: -1 }.x, p.x)", "[(-1, 200)]"),
    ]);
}

#[test]
fn a_variable_hides_another_of_another_type() {
    check(&[
        ("struct P(u64); let p = P(1); let q = &0_u8;", ""),
        ("struct P(u8, u8); let p = P(1, 2); let q = 1.5;", ""),
        ("(p.0, p.1, q)", "[(1, 2, 1.5)]"),
        ("let p = p.1; p", "[2]"),
        ("fn q() -> i32 { 5 }\nq()", "[5]"),
    ]);
}
