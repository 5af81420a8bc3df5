//! Shared by the tests of the program.

pub mod browser;
pub mod execution;

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// The program under test.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_attention-notebooks"))
}

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder that set-up fills.
pub fn generated_by_set_up() -> PathBuf {
    let chosen = std::env::var_os("ATTENTION_NOTEBOOKS_GENERATED");
    chosen.map_or_else(|| project().join(".jupyter"), PathBuf::from)
}

/// The files of all lessons.
pub fn lessons() -> Vec<PathBuf> {
    notebooks("notebooks")
}

/// The notebooks about the originals' mistakes.
pub fn errata() -> Vec<PathBuf> {
    notebooks("notebooks/errata")
}

fn notebooks(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(project().join(folder)).expect("a folder of notebooks");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let lessons: Vec<PathBuf> = paths
        .filter(|path| path.extension() == Some("ipynb".as_ref()))
        .collect();
    assert!(!lessons.is_empty(), "{folder} has a notebook");
    lessons
}

/// The code of every lesson's first cell, for a notebook in any folder.
pub fn load() -> String {
    let library = project().join("crates").join("attention");
    format!(":dep attention = {{ path = {library:?} }}\nuse attention::prelude::*;")
}

/// Writes a notebook with these code cells into `folder`.
pub fn write_notebook(folder: &Path, name: &str, cells: &[&str]) -> PathBuf {
    let cell = |(index, source): (usize, &&str)| {
        json!({
            "cell_type": "code", "id": format!("cell-{index}"), "metadata": {},
            "execution_count": null, "outputs": [], "source": source,
        })
    };
    let kernel =
        json!({ "name": "attention", "display_name": "Rust (attention)", "language": "rust" });
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": { "kernelspec": kernel },
        "cells": cells.iter().enumerate().map(cell).collect::<Value>(),
    });
    write_json(folder, name, &notebook)
}

pub fn write_json(folder: &Path, name: &str, notebook: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, notebook.to_string()).expect("the notebook is written");
    path
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// Makes cargo compile crates for cells without optimisation in a folder used as `CARGO_HOME`: the
/// tests check that an installation has its compiled crates, not that they are fast.
pub fn compile_quickly(cargo_home: &Path) {
    fs::create_dir_all(cargo_home).expect("a folder");
    let mut profile = "[profile.release]\nopt-level = 0\ncodegen-units = 16\n".to_owned();
    // These compute the checksums of the models, which are hundreds of megabytes.
    for package in ["block-buffer", "digest", "sha2"] {
        profile += &format!("package.{package}.opt-level = 3\n");
    }
    fs::write(cargo_home.join("config.toml"), profile).expect("written");
}

/// Runs a command to its end; returns its exit code, standard output and standard error.
pub fn finish(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Runs all of these tasks, two at a time: most of them keep one processor busy and sometimes wait.
pub fn two_at_a_time<T: Sync>(tasks: &[T], task: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(taken) = tasks.get(next.fetch_add(1, Relaxed)) {
                    task(taken);
                }
            });
        }
    });
}

/// Runs the tests in a folder of the project, which are written in Python.
#[track_caller]
pub fn run_python_tests(folder: &str) {
    let mut tests = Command::new(python());
    tests.args(["-B", "-m", "unittest", "discover", "--start-directory"]);
    let (code, stdout, stderr) = finish(tests.arg(project().join(folder)));
    assert_eq!(code, 0, "{stdout}{stderr}");
}

/// The Python that has JupyterLab; sets everything up first if necessary.
pub fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let (code, stdout, stderr) = finish(program().arg("setup"));
        assert_eq!(code, 0, "{stdout}{stderr}");
        let (_, python) = stdout
            .trim()
            .rsplit_once(": ")
            .expect("the path is printed");
        PathBuf::from(python)
    })
}
