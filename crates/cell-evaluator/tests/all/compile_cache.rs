//! rustc's result for a cell is reused in another session, but only if rustc would produce the same
//! one.

use crate::common::{Notebook, made, rustc};
use cell_evaluator::{CellError, CompileCache, Compiler};
use std::fs;
use std::io::Result;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A cache, and a compiler that notes each of its runs.
struct Cached {
    folder: TempDir,
    compiler: Compiler,
}

impl Cached {
    fn new() -> Result<Cached> {
        let folder = tempfile::tempdir()?;
        let mut compiler = made().0.clone();
        let script = folder.path().join("rustc");
        let (runs, rustc) = (runs(folder.path()), rustc());
        fs::write(
            &script,
            format!(
                "#!/bin/sh\necho >> {}\nexec {} \"$@\"\n",
                runs.display(),
                rustc.display()
            ),
        )?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        compiler.rustc = script;
        compiler.cache = Some(CompileCache::open(&folder.path().join("cache"))?);
        Ok(Cached { folder, compiler })
    }

    fn notebook(&self) -> Notebook {
        Notebook::with(&self.compiler)
    }

    /// How often the compiler was run since the last call.
    fn runs(&self) -> usize {
        let noted = fs::read(runs(self.folder.path())).unwrap_or_default();
        let _ = fs::remove_file(runs(self.folder.path()));
        noted.len()
    }
}

fn runs(folder: &Path) -> PathBuf {
    folder.join("runs")
}

#[test]
fn a_notebook_that_is_run_again_compiles_nothing() -> Result<()> {
    let cached = Cached::new()?;
    let cells = [
        "struct Pair(u8, u8); static mut COUNT: u8 = 0; impl Pair { fn sum(&self) -> u8 { self.0 + self.1 } }",
        "fn next() -> u8 { unsafe { COUNT += 1; COUNT } }",
        "let pair = Pair(next(), next()); let words = vec![\"a\".to_owned()];",
        "let moved = words; (pair.sum(), &moved, next())",
        "pair.sum() + 1",
    ];
    let mut outputs = Vec::new();
    let mut counts = Vec::new();
    for _ in 0..2 {
        let mut notebook = cached.notebook();
        outputs.push(cells.map(|cell| notebook.run(cell)));
        counts.push(cached.runs());
    }
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0][3..], ["[(3, [\"a\"], 3)]", "[4]"]);
    assert!(counts[0] >= cells.len() && counts[1] == 0, "{counts:?}");
    Ok(())
}

#[test]
fn hidden_code_changes_no_cell_after_it() -> Result<()> {
    let cached = Cached::new()?;
    let run = |hidden: &[&str]| {
        let mut notebook = cached.notebook();
        notebook.run("let a = vec![1, 2];");
        cached.runs();
        for code in hidden {
            assert_eq!(notebook.run_hidden(code).ok().as_deref(), Some("2"));
        }
        let hidden = cached.runs();
        assert_eq!(notebook.run("a.len() + 1"), "[3]");
        (hidden, cached.runs())
    };
    let prints = "print!(\"{}\", a.len());";
    assert_eq!(run(&[]), (0, 1));
    assert_eq!(run(&[prints, prints]), (2, 0));
    assert_eq!(run(&[prints]), (0, 0));
    Ok(())
}

#[test]
fn only_what_a_change_affects_is_compiled() -> Result<()> {
    let cached = Cached::new()?;
    let run = |cells: [&str; 4]| {
        let mut notebook = cached.notebook();
        let shown = cells.map(|cell| notebook.run(cell));
        (shown.last().cloned().unwrap_or_default(), cached.runs())
    };
    let first = "fn double(x: i32) -> i32 { 2 * x }";
    let (value, _) = run([first, "let a = 20;", "let b = 1;", "double(a) + b"]);
    assert_eq!(value, "[41]");
    let (value, runs) = run([first, "let a = 20;", "let b = 2;", "double(a) + b"]);
    assert_eq!((value.as_str(), runs), ("[42]", 1), "one number is another");
    let (value, _) = run([first, "let a = 20.5;", "let b = 2;", "double(a as i32) + b"]);
    assert_eq!(value, "[42]");
    let triple = "fn double(x: i32) -> i32 { 3 * x }";
    let (value, runs) = run([triple, "let a = 20;", "let b = 2;", "double(a) + b"]);
    assert_eq!(
        (value.as_str(), runs),
        ("[62]", 2),
        "the function and its caller"
    );
    let (value, runs) = run([
        first,
        "let a = 20_u8;",
        "let b = 2;",
        "double(a.into()) + b",
    ]);
    assert_eq!((value.as_str(), runs > 0), ("[42]", true));
    Ok(())
}

#[test]
fn an_error_has_its_place_in_the_cell_whether_or_not_it_was_compiled() -> Result<()> {
    let cached = Cached::new()?;
    let fails = || match cached.notebook().try_run("let list = vec![1];\nlist[1]") {
        Err(CellError::Panic(message, place)) => (message, place.map(|place| place.range)),
        other => panic!("{other:?}"),
    };
    let (compiled, kept) = (fails(), fails());
    assert_eq!(compiled, kept);
    assert_eq!(kept.1, Some(24..24), "{}", kept.0);
    Ok(())
}

#[test]
fn a_cell_that_reads_a_file_or_a_variable_is_compiled_each_time() -> Result<()> {
    let cached = Cached::new()?;
    let file = cached.folder.path().join("text");
    let reads = format!("include_str!({file:?})");
    for text in ["one", "two"] {
        fs::write(&file, text)?;
        let mut notebook = cached.notebook();
        assert_eq!(notebook.run(&reads), format!("[{text:?}]"));
        assert_eq!(notebook.run("option_env!(\"PATH\").is_some()"), "[true]");
        assert!(cached.runs() >= 2);
    }
    Ok(())
}

#[test]
fn another_compiler_compiles_again() -> Result<()> {
    let cached = Cached::new()?;
    assert_eq!(cached.notebook().run("6 * 7"), "[42]");
    assert!(cached.runs() > 0);
    let script = &cached.compiler.rustc;
    let same = fs::read(script)?;
    fs::write(script, [&same[..], b"# newer\n"].concat())?;
    assert_eq!(cached.notebook().run("6 * 7"), "[42]");
    assert!(cached.runs() > 0);
    Ok(())
}
