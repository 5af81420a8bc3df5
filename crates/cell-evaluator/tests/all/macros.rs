//! Macro-generated items, and statics, over several cells.

use crate::common::Notebook;

#[test]
fn what_a_macro_makes_without_pub_is_there_for_later_cells() {
    let mut notebook = Notebook::new();
    notebook.run(
        "macro_rules! make {\n\
         ($v:vis $name:ident { $($fv:vis $f:ident: $t:ty),* }) => {\n\
           #[derive(Debug)] $v struct $name { $($fv $f: $t),* }\n\
           impl $name { fn sum(&self) -> i32 { 0 $(+ self.$f)* } } };\n\
         ($name:ident) => { struct $name(i32, Vec<i32>); const fn one() -> i32 { 1 } } }",
    );
    notebook.run("make!(P { x: i32, y: i32 });");
    notebook.run("make!(T);\nlet p = P { x: 1, y: 2 };");
    assert_eq!(
        notebook.run("(p.sum(), p.x, one(), T(4, vec![]).0)"),
        "[(3, 1, 1, 4)]"
    );
    // Generating the same name again makes another type.
    notebook.run("make!(P { z: i32 });");
    assert_eq!(notebook.run("(P { z: 3 }, p.y)"), "[(P { z: 3 }, 2)]");
}

#[test]
fn a_macro_that_says_something_else_is_used_where_a_cell_runs_again() {
    let mut notebook = Notebook::new();
    notebook.run("fn base() -> i32 { 10 }\nmacro_rules! more { ($x:expr) => { $x + base() } }");
    notebook.run("fn f() -> i32 { more!(1) }");
    notebook.run("macro_rules! more { ($x:expr) => { $x + 2 * base() } }");
    assert_eq!(notebook.run("(f(), more!(1))"), "[(11, 21)]");
    notebook.run("fn f() -> i32 { more!(1) }");
    assert_eq!(notebook.run("f()"), "[21]");
    notebook.run("fn base() -> i32 { 1 }");
    assert_eq!(notebook.run("f()"), "[21]");
    notebook.run("fn f() -> i32 { more!(1) }");
    assert_eq!(notebook.run("f()"), "[3]");
}

#[test]
fn thread_locals_keep_their_value_until_their_cell_runs_again() {
    let mut notebook = Notebook::new();
    let cell = "use std::cell::{Cell, RefCell};\nthread_local! {\n    /// Counts.\n    static N: Cell<i32> = const { Cell::new(1) };\n    static LOG: RefCell<Vec<i32>> = RefCell::new(vec![])\n}";
    notebook.run(cell);
    notebook.run("N.set(7); LOG.with_borrow_mut(|log| log.push(3));");
    notebook.run("fn n() -> i32 { thread_local!(static CALLS: Cell<i32> = Cell::new(10)); CALLS.set(CALLS.get() + 1); CALLS.get() + N.get() }");
    assert_eq!(notebook.run("n()"), "[18]");
    notebook.run("struct Other;");
    assert_eq!(
        notebook.run("(n(), N.get(), LOG.with_borrow(|log| log.len()))"),
        "[(19, 7, 1)]"
    );
    notebook.run(cell);
    assert_eq!(
        notebook.run("(N.get(), LOG.with_borrow(|log| log.len()), n())"),
        "[(1, 0, 20)]"
    );
}

#[test]
fn statics_of_every_place_keep_their_value() {
    let mut notebook = Notebook::new();
    notebook.run(
        "use std::sync::{LazyLock, Mutex};\n\
         static LAZY: LazyLock<Mutex<Vec<i32>>> = LazyLock::new(|| { println!(\"made\"); vec![1].into() });\n\
         mod m {\n\
           use std::sync::atomic::{AtomicI32, Ordering::SeqCst};\n\
           static N: AtomicI32 = AtomicI32::new(5);\n\
           pub fn next() -> i32 { N.fetch_add(1, SeqCst) }\n\
           pub struct W;\n\
           impl W { pub fn next(&self) -> i32 { static M: AtomicI32 = AtomicI32::new(50); M.fetch_add(1, SeqCst) } }\n\
         }",
    );
    assert_eq!(notebook.run("LAZY.lock().unwrap().push(5);"), "made");
    assert_eq!(notebook.run("(m::next(), m::W.next())"), "[(5, 50)]");
    notebook.run("fn other() {}");
    assert_eq!(
        notebook.run("(m::next(), m::W.next(), LAZY.lock().unwrap().len())"),
        "[(6, 51, 2)]"
    );
}
