//! Functions, types, traits and statics over several cells.

use crate::common::Notebook;

#[test]
fn a_type_its_impls_and_its_values_come_together_from_different_cells() {
    let mut notebook = Notebook::new();
    notebook.run("struct Word { text: String }");
    notebook.run("let word = Word { text: \"it\".to_owned() };");
    notebook.run("struct Sentence { words: Vec<Word> }\nlet sentence = Sentence { words: vec![Word { text: \"a\".into() }] };");
    notebook.run("impl Word {\n  fn len(&self) -> usize { self.text.len() }\n  fn alone(self) -> Sentence { Sentence { words: vec![self] } }\n}");
    assert_eq!(notebook.run("word.len()"), "[2]");
    notebook.run("use std::fmt;\nimpl fmt::Display for Word {\n  fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, \"<{}>\", self.text) }\n}");
    notebook.run("fn shown(sentence: &Sentence) -> String { sentence.words.iter().map(|word| word.to_string()).collect() }");
    assert_eq!(
        notebook.run("println!(\"{word} {}\", shown(&sentence))"),
        "<it> <a>"
    );
    assert_eq!(
        notebook.run("let alone = word.alone(); shown(&alone)"),
        "[\"<it>\"]"
    );
    notebook.run("impl Sentence { fn count(&self) -> usize { self.words.len() } }");
    assert_eq!(notebook.run("sentence.count() + alone.count()"), "[2]");
}

#[test]
fn a_value_is_never_read_as_another_type() {
    let mut notebook = Notebook::new();
    notebook.run("struct Head { w: Vec<f32> }\nstruct Model { heads: Vec<Head> }\nlet model = Model { heads: vec![Head { w: vec![1.0] }, Head { w: vec![2.0] }] };");
    notebook.run("struct Head { w: Vec<f32>, bias: f32 }");
    assert_eq!(
        notebook.said("model.heads[1].bias"),
        "no field `bias` on type `Head of cell [1]`: unknown field"
    );
    assert_eq!(
        notebook.said("let head: Head = model.heads.into_iter().next().unwrap();"),
        "mismatched types: expected `Head`, found `Head of cell [1]`"
    );
    assert_eq!(notebook.error("fn twice() {} fn twice() {}"), "E0428");
    assert_eq!(notebook.run("model.heads[1].w[0]"), "[2.0]");
    assert_eq!(
        notebook.error("let head: Head = model.heads.into_iter().next().unwrap();"),
        "E0308"
    );
    assert_eq!(notebook.run("Head { w: vec![], bias: 0.5 }.bias"), "[0.5]");

    notebook.run("#[derive(Debug)] struct P { x: i32 }\nlet p = P { x: -1 };");
    assert_eq!(notebook.run("struct P { x: f64 }\np.x"), "[-1]");
    notebook.run("enum Kind { A, B }\nlet kind = Kind::A;");
    notebook.run("enum Kind { Z, A, B }");
    assert_eq!(notebook.error("matches!(kind, Kind::A)"), "E0308");
    notebook.run("type N = i32;\nlet numbers: Vec<N> = vec![1, 2];");
    notebook.run("type N = f32;");
    assert_eq!(notebook.run("numbers"), "[[1, 2]]");
    notebook.run("trait Area { fn area(&self) -> f32; }\nstruct Square(f32);\nimpl Area for Square { fn area(&self) -> f32 { self.0 * self.0 } }\nlet shape: Box<dyn Area> = Box::new(Square(2.0));");
    notebook.run("trait Area { fn name(&self) -> String; fn area(&self) -> f32; }");
    assert_eq!(notebook.run("1 + 1"), "[2]");
    assert_eq!(notebook.error("shape.name()"), "E0599");
}

#[test]
fn statics_keep_their_value_until_their_cell_runs_again() {
    let mut notebook = Notebook::new();
    let first = "use std::sync::{Mutex, OnceLock};\nuse std::sync::atomic::{AtomicU32, Ordering::SeqCst};\nstatic N: AtomicU32 = AtomicU32::new(0);\nstatic mut M: i32 = 0;\nstatic LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());\nfn next() -> u32 { static CALLS: AtomicU32 = AtomicU32::new(10); CALLS.fetch_add(1, SeqCst) }\nstatic ONCE: OnceLock<u32> = OnceLock::new();";
    notebook.run(first);
    assert_eq!(notebook.run("N.fetch_add(5, SeqCst); unsafe { M += 3 }; LOG.lock().unwrap().push(\"a\".into()); ONCE.get_or_init(|| 4); next()"), "[10]");
    notebook.run("fn other() -> u32 { N.load(SeqCst) + next() }");
    notebook.run("struct S; impl S { fn n(&self) -> u32 { N.load(SeqCst) } }");
    assert_eq!(notebook.run("(N.load(SeqCst), unsafe { M }, LOG.lock().unwrap().len(), next(), other(), S.n(), ONCE.get())"), "[(5, 3, 1, 11, 17, 5, Some(4))]");
    notebook.run(first);
    assert_eq!(
        notebook.run("(N.load(SeqCst), next(), LOG.lock().unwrap().len())"),
        "[(0, 10, 0)]"
    );
}

#[test]
fn what_a_cell_defines_again_replaces_it() {
    let mut notebook = Notebook::new();
    notebook.run("struct P { x: i32 }\nlet p = P { x: 3 };");
    notebook.run("impl P { fn a(&self) -> i32 { self.x } fn b(&self) -> i32 { 1 } }");
    assert_eq!(notebook.run("p.a() + p.b()"), "[4]");
    notebook.run("impl P { fn a(&self) -> i32 { 10 * self.x } }");
    assert_eq!(notebook.run("p.a() + p.b()"), "[31]");
    notebook.run("impl std::fmt::Debug for P { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { f.write_str(\"one\") } }");
    notebook.run("impl std::fmt::Debug for P { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { f.write_str(\"two\") } }");
    assert_eq!(notebook.run("p"), "[two]");
    notebook.run("fn f() -> i32 { 1 }\nfn g() -> i32 { f() }");
    notebook.run("fn f() -> i32 { 2 }");
    assert_eq!(notebook.run("(f(), g())"), "[(2, 1)]");
    notebook.run("fn g() -> i32 { f() }");
    assert_eq!(notebook.run("(f(), g())"), "[(2, 2)]");
    notebook.run("const C: usize = 2; mod m { pub fn f() -> i32 { 5 } }");
    notebook.run("const C: usize = 3; mod m { pub fn f() -> i32 { 6 } }");
    assert_eq!(notebook.run("([0; C].len(), m::f())"), "[(3, 6)]");
    notebook.run("macro_rules! twice { ($x:expr) => { $x + $x } }");
    assert_eq!(notebook.run("twice!(4)"), "[8]");
    notebook.run("macro_rules! twice { ($x:expr) => { 3 * $x } }");
    assert_eq!(notebook.run("twice!(4)"), "[12]");
}

#[test]
fn a_cell_that_runs_again_changes_no_type() {
    let mut notebook = Notebook::new();
    let cell = "#[derive(Clone, Debug)]\nstruct P { x: Q }\n#[derive(Clone, Debug)]\nstruct Q;\nimpl P { fn q(&self) -> Q { self.x.clone() } }";
    notebook.run(cell);
    notebook.run("let p = P { x: Q }; let q = p.q();");
    notebook.run(cell);
    assert_eq!(
        notebook
            .run("let all: Vec<Q> = vec![p.q(), q.clone()]; let again: P = p.clone(); all.len()"),
        "[2]"
    );
}

#[test]
fn traits_generics_and_imports_reach_later_cells() {
    let mut notebook = Notebook::new();
    notebook.run("trait Describe { fn describe(&self) -> String; fn twice(&self) -> String { self.describe() + &self.describe() } }");
    notebook
        .run("impl Describe for i32 { fn describe(&self) -> String { format!(\"<{self}>\") } }");
    notebook.run("impl<T: Describe> Describe for Vec<T> { fn describe(&self) -> String { self.iter().map(|one| one.describe()).collect() } }");
    assert_eq!(notebook.run("vec![1, 2].twice()"), "[\"<1><2><1><2>\"]");
    notebook.run("struct Pair<A, B>(A, B);\nimpl<A: Copy, B: Copy> Pair<A, B> { fn swap(&self) -> Pair<B, A> { Pair(self.1, self.0) } }");
    notebook.run("let pair = Pair(1, 'x');");
    assert_eq!(notebook.run("pair.swap().0"), "['x']");
    notebook.run("enum Color { Red, Green }\nuse Color::*;");
    notebook.run("use std::collections::BTreeMap as Map; use std::fmt::Write as _;");
    assert_eq!(notebook.run("let mut text = String::new(); write!(text, \"{}\", matches!(Red, Color::Red)).unwrap(); let map: Map<u8, u8> = Map::new(); text"), "[\"true\"]");
    notebook.run("mod shapes { pub struct Square { pub side: i32 } impl Square { pub fn area(&self) -> i32 { self.side * self.side } } }\nuse shapes::Square;");
    assert_eq!(
        notebook.run("let square = Square { side: 3 }; square.area()"),
        "[9]"
    );
    assert_eq!(
        notebook.run("square.area() + shapes::Square { side: 1 }.area()"),
        "[10]"
    );
}

#[test]
fn macros_that_define_something_are_used_in_later_cells() {
    let mut notebook = Notebook::new();
    notebook.run("macro_rules! point { ($name:ident) => { #[derive(Debug)] pub struct $name { pub x: i32 } impl $name { pub fn new() -> $name { $name { x: 1 } } } } }");
    notebook.run("point!(P);\nlet p = P::new();");
    assert_eq!(
        notebook.run("(p, P { x: 2 })"),
        "[(P { x: 1 }, P { x: 2 })]"
    );
    notebook.run(
        "thread_local! { pub static T: std::cell::Cell<i32> = const { std::cell::Cell::new(1) } }",
    );
    assert_eq!(notebook.run("T.set(5); T.get()"), "[5]");
    assert_eq!(notebook.run("T.get()"), "[5]");
}
