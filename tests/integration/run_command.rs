//! `run`: lessons and broken notebooks, executed without Jupyter.

use crate::common::{
    errata, finish, generated_by_set_up, lessons, load, program, project, python, read_json,
    two_at_a_time, write_json, write_notebook,
};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::tempdir;

/// Runs a notebook with these cells, and returns the exit code and what was printed.
fn run(cells: &[&str]) -> (i32, String) {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "tried.ipynb", cells);
    let (code, stdout, stderr) = finish(program().arg("run").arg(notebook));
    (code, stdout + &stderr)
}

#[track_caller]
fn assert_fails_at(cell: usize, cells: &[&str], message: &str) -> String {
    let (code, printed) = run(cells);
    assert_eq!(code, 1, "{printed}");
    assert!(
        printed.contains(&format!("tried ... FAILED at cell {cell}\n")),
        "{printed}"
    );
    assert!(
        printed.contains(message),
        "expected {message:?} in:\n{printed}"
    );
    for internal in ["backtrace", "run_cell", "cell_runtime", "__store"] {
        assert!(!printed.contains(internal), "{internal:?} in:\n{printed}");
    }
    printed
}

/// The lesson that trains a model, for 10,000 steps.
const TRAINS: &str = "05_language_model.ipynb";

#[test]
fn lessons_print_what_is_stored_in_them() {
    let mut lessons = lessons();
    lessons.retain(|lesson| !lesson.ends_with(TRAINS));
    two_at_a_time(&lessons, |lesson| prints_what_is_stored(lesson));
}

#[test]
#[ignore = "trains for minutes"]
fn the_lesson_that_trains_a_model_prints_what_is_stored_in_it() {
    prints_what_is_stored(&project().join("notebooks").join(TRAINS));
}

fn prints_what_is_stored(lesson: &Path) {
    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).arg(lesson));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let name = lesson.file_stem().expect("a name").to_string_lossy();
    let skipped = format!("{name} ... SKIPPED");
    if stdout.contains(&skipped) && std::env::var_os("ATTENTION_NOTEBOOKS_MODEL").is_none() {
        println!("NOT TESTED: {name}: its model could not be fetched");
        return;
    }
    let mut lines = stdout.lines();
    let line = lines.find(|line| line.starts_with(&format!("{name} ... ok, ")));
    let compared = match has_original(&name) {
        true => " printed values compared",
        false => " s",
    };
    assert!(
        line.is_some_and(|line| line.ends_with(compared)),
        "{name} in:\n{stdout}"
    );
}

/// Whether a lesson follows a Python lesson with stored values.
fn has_original(name: &str) -> bool {
    let folder = project().join("notebooks/originals");
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let mut texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.any(|text| text.contains(&format!("\"lesson\": \"{name}\"")))
}

#[test]
fn a_terminal_shows_at_which_cell_a_run_is() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "two.ipynb", &["1 + 1", "2 + 1"]);
    let path = env!("CARGO_BIN_EXE_attention-notebooks");
    let arguments = format!("[{path:?}, \"run\", {notebook:?}]");
    let code = format!("import pty, sys; sys.exit(pty.spawn({arguments}))");
    let (code, stdout, stderr) = finish(Command::new(python()).args(["-c", &code]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    for says in ["cell 1 of 2", "cell 2 of 2", "two ... ok, 2 cells"] {
        assert!(stdout.contains(says), "{says}: {stdout}");
    }
    // Output to a file or a pipe is one line, without the progress.
    let (_, stdout, _) = finish(program().arg("run").arg(&notebook));
    assert!(stdout.starts_with("two ... ok, 2 cells"), "{stdout}");
}

/// All of these notebooks are run by one command.
#[test]
fn the_notebooks_about_mistakes_print_what_is_stored_in_them() {
    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).args(errata()));
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(
        stdout.matches(" ... ok, ").count(),
        errata().len(),
        "{stdout}"
    );
}

#[test]
fn a_lesson_whose_model_cannot_be_fetched_is_skipped() {
    let cache = tempdir().expect("a folder");
    let (code, stdout, stderr) = finish(
        program()
            .args(["run", "--check", "notebooks/07_trained_model.ipynb"])
            .current_dir(project())
            .env("XDG_CACHE_HOME", cache.path())
            .env("PIP_NO_INDEX", "1")
            .env_remove("PIP_FIND_LINKS"),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(
        stdout.contains("07_trained_model ... SKIPPED at cell 2"),
        "{stdout}"
    );
    let advice = "Run the cell again once you are online, or put model.safetensors";
    assert!(stdout.contains(advice), "{stdout}");
    let left = fs::read_dir(cache.path().join("attention-notebooks")).expect("a folder");
    let left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["cells"], "nothing half-fetched");
}

/// Runs `--check` on a notebook whose first cell defines `x`, where the original is said to have
/// printed `numbers` for it after the cell `after`.
fn check_against_original(after: &str, numbers: &str) -> (i32, String) {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(
        folder.path(),
        "01_tried.ipynb",
        &[&load(), "let x = array![0.5_f32, 1.25];"],
    );
    let values = json!([{
        "lesson": "01_tried", "after": after, "cell": "7", "value": "x",
        "shape": [2], "numbers": numbers, "within": 5.1e-5,
    }]);
    fs::create_dir(folder.path().join("originals")).expect("a folder");
    let original = json!({ "title": "A page", "address": "", "values": values });
    write_json(&folder.path().join("originals"), "a.json", &original);
    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).arg(notebook));
    (code, stdout + &stderr)
}

#[test]
fn values_are_compared_with_what_the_original_printed() {
    let (code, printed) = check_against_original("cell-1", "0.5000 1.25");
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains(" s, 2 printed values compared\n"),
        "{printed}"
    );
    let (code, printed) = check_against_original("cell-1", "0.5000 1.2502");
    assert_eq!(code, 1, "{printed}");
    let difference = "A page: cell 7, `x`: value 1 is 1.25, but 1.2502";
    assert!(printed.contains(difference), "{printed}");
    let (code, printed) = check_against_original("cell-9", "0.5000 1.25");
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("`x` (after cell-9)"), "{printed}");
}

#[test]
fn wrong_shapes_are_explained_without_a_backtrace() {
    let cells = [
        &load(),
        "let x = array![[1.0_f32, 2.0], [3.0, 4.0]];",
        "scores(&x, &array![[1.0, 2.0, 3.0]])",
        "println!(\"never reached\");",
    ];
    let message = "Panic: scores: q is (2, 2) but k is (1, 3): the last dimensions must agree";
    let printed = assert_fails_at(3, &cells, message);
    assert!(
        printed.contains("  | scores(&x, &array![[1.0, 2.0, 3.0]])"),
        "{printed}"
    );
}

#[test]
fn what_a_terminal_would_obey_is_shown() {
    let folder = tempdir().expect("a folder");
    let cell = r#"panic!("\u{1b}[2J\u{1b}]0;title\u{7}gone")"#;
    let notebook = write_notebook(folder.path(), "\u{1b}[31mred.ipynb", &[cell]);
    let (code, stdout, stderr) = finish(program().arg("run").arg(notebook));
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert!(
        stdout.starts_with("\\u001b[31mred ... FAILED at cell 1\n"),
        "{stdout}"
    );
    let message = "Panic: \\u001b[2J\\u001b]0;title\\u0007gone";
    assert!(stdout.contains(message), "{stdout}");
}

#[test]
fn a_failed_question_mark_is_a_failure() {
    assert_fails_at(
        1,
        &["let n: i32 = \"six\".parse()?;\nn"],
        "invalid digit found in string",
    );
}

#[test]
fn a_compile_error_is_shown_at_its_place() {
    let cells = ["let first = 1;", "let sum = first\n    + second;"];
    let printed = assert_fails_at(2, &cells, "error[E0425]: cannot find value `second`");
    assert!(
        printed.contains("   2 |     + second;\n             ^^^^^^"),
        "{printed}"
    );
}

#[test]
fn the_end_of_the_evaluation_process_is_a_failure() {
    assert_fails_at(1, &["std::process::exit(3);"], "exit status: 3");
}

#[test]
fn what_was_compiled_is_used_again_and_only_its_owner_can_read_it() {
    let folder = tempdir().expect("a folder");
    let cells = ["let words = vec![\"a\"];", "println!(\"{words:?}\");"];
    let path = write_notebook(folder.path(), "again.ipynb", &cells);
    let cache = folder.path().join("attention-notebooks/cells");
    let run = || {
        let mut command = program();
        command.env("XDG_CACHE_HOME", folder.path());
        let (code, stdout, stderr) = finish(command.arg("run").arg(&path));
        assert_eq!(code, 0, "{stdout}{stderr}");
        let kept = fs::read_dir(&cache).expect("a cache");
        let kept = kept.map(|entry| entry.expect("an entry").file_name());
        kept.collect::<BTreeSet<_>>()
    };
    let first = run();
    assert_eq!(first.len(), cells.len());
    assert_eq!(run(), first);
    let mode = fs::metadata(&cache).expect("a cache").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn outputs_are_saved_and_then_compared() {
    let folder = tempdir().expect("a folder");
    let cells = ["println!(\"one\");\nprintln!(\"two\");", "1 + 1"];
    let path = write_notebook(folder.path(), "tried.ipynb", &cells);

    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).arg(&path));
    assert_eq!(code, 1, "nothing is stored yet: {stdout}{stderr}");

    let (code, stdout, stderr) = finish(program().args(["run", "--save"]).arg(&path));
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("tried ... ok, 2 cells, "), "{stdout}");
    let saved = read_json(&path);
    assert_eq!(
        saved["cells"][0]["outputs"][0]["text"],
        json!(["one\n", "two\n"])
    );
    assert_eq!(saved["cells"][1]["execution_count"], 2);
    assert_eq!(
        saved["cells"][1]["outputs"][0]["data"]["text/plain"],
        json!(["2"])
    );

    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).arg(&path));
    assert_eq!(code, 0, "{stdout}{stderr}");

    let mut changed = saved.clone();
    changed["cells"][1]["outputs"][0]["data"]["text/plain"] = json!(["3"]);
    write_json(folder.path(), "tried.ipynb", &changed);
    let (code, stdout, _) = finish(program().args(["run", "--check"]).arg(&path));
    assert_eq!(code, 1, "{stdout}");
    assert!(
        stdout.contains("stored:\n  | 3\n") && stdout.contains("fresh:\n  | 2\n"),
        "{stdout}"
    );

    changed["cells"][1]["metadata"]["tags"] = json!(["timing"]);
    write_json(folder.path(), "tried.ipynb", &changed);
    let (code, stdout, stderr) = finish(program().args(["run", "--check"]).arg(&path));
    assert_eq!(code, 0, "a timing is not compared: {stdout}{stderr}");
}

/// Each cell waits until both runs have read the notebook, and prints something different.
#[test]
fn of_two_runs_that_save_at_once_one_is_refused() {
    let folder = tempdir().expect("a folder");
    let wait = r#"
        let id = std::process::id();
        std::fs::write(format!("reads-{id}"), "")?;
        fn readers() -> usize {
            let names = std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().file_name());
            names.filter(|name| name.to_str().unwrap().starts_with("reads-")).count()
        }
        while readers() < 2 { std::thread::sleep(std::time::Duration::from_millis(20)); }
        println!("{id}");
    "#;
    let notebook = write_notebook(folder.path(), "tried.ipynb", &[wait]);
    let runs = [(); 2].map(|()| {
        let mut run = program();
        run.args(["run", "--save"]).arg(&notebook);
        thread::spawn(move || finish(&mut run))
    });
    let mut ends = runs.map(|run| run.join().expect("it ends"));
    ends.sort();
    let [(0, ..), (code, stdout, stderr)] = &ends else {
        panic!("{ends:?}");
    };
    assert_ne!(*code, 0);
    let printed = format!("{stdout}{stderr}");
    assert!(
        printed.contains("has been changed by another program, so nothing was stored"),
        "{printed}"
    );
    let stored = read_json(&notebook)["cells"][0]["outputs"].to_string();
    let names = fs::read_dir(folder.path()).expect("a folder").flatten();
    let names: BTreeSet<String> = names
        .map(|entry| entry.file_name().display().to_string())
        .collect();
    let ids = names.iter().filter_map(|name| name.strip_prefix("reads-"));
    assert_eq!(ids.filter(|id| stored.contains(id)).count(), 1, "{stored}");
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn paths_in_cells_begin_at_the_folder_of_the_notebook() {
    let folder = tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    fs::write(inner.join("beside.txt"), "read").expect("written");
    let read = "println!(\"{}\", std::fs::read_to_string(\"beside.txt\")?);";
    let path = write_notebook(&inner, "tried.ipynb", &[read]);
    let (code, stdout, stderr) = finish(
        program()
            .args(["run", "--save", "inner/tried.ipynb"])
            .current_dir(folder.path()),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    let printed = &read_json(&path)["cells"][0]["outputs"][0]["text"];
    assert_eq!(*printed, json!(["read\n"]));
}

#[test]
fn a_failing_run_saves_nothing() {
    let folder = tempdir().expect("a folder");
    let path = write_notebook(folder.path(), "tried.ipynb", &["1 + 1", "panic!(\"no\")"]);
    let before = fs::read(&path).expect("the notebook");
    let (code, stdout, stderr) = finish(program().args(["run", "--save"]).arg(&path));
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert_eq!(fs::read(&path).expect("the notebook"), before);
    assert_eq!(
        fs::read_dir(folder.path()).expect("the folder").count(),
        1,
        "nothing half-written"
    );
}

#[test]
fn what_is_no_rust_notebook_cannot_be_run() {
    let folder = tempdir().expect("a folder");
    let refused = |path: &Path, reason: &str| {
        let (code, stdout, stderr) = finish(program().arg("run").arg(path));
        assert_eq!(code, 2, "{stdout}{stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(reason),
            "{stderr}"
        );
        assert_eq!(stderr.trim().lines().count(), 1, "one line: {stderr}");
    };
    refused(
        &folder.path().join("missing.ipynb"),
        "missing.ipynb cannot be read",
    );

    let torn = folder.path().join("torn.ipynb");
    fs::write(&torn, "{\"cells\": [").expect("written");
    refused(&torn, "torn.ipynb is not a notebook: it is not JSON");

    let empty = folder.path().join("empty.ipynb");
    fs::write(&empty, "\n").expect("written");
    refused(&empty, "empty.ipynb is empty, but a notebook is not");

    let latin = folder.path().join("latin.ipynb");
    fs::write(&latin, b"{\"cells\": \"\xe4\"}").expect("written");
    refused(&latin, "latin.ipynb is not a notebook: it is not JSON");

    refused(
        folder.path(),
        "cannot be read; `ls` shows which files exist: it is a folder",
    );
    refused(
        Path::new("/dev/zero"),
        "/dev/zero cannot be read; `ls` shows which files exist: it is not a regular file",
    );
    let pipe = folder.path().join("pipe.ipynb");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    refused(&pipe, "it is not a regular file");

    let half = folder.path().join("half.ipynb");
    fs::write(
        &half,
        r#"{"nbformat": 4, "cells": [], "metadata": "\ud800"}"#,
    )
    .expect("written");
    refused(
        &half,
        "half.ipynb is JSON, but cannot be read: one of its strings has half a character",
    );

    refused(
        &folder.path().join("\u{1b}[31mred.ipynb"),
        "\\u001b[31mred.ipynb cannot be read",
    );

    let no_list = json!({ "nbformat": 4, "cells": {} });
    refused(
        &write_json(folder.path(), "no_list.ipynb", &no_list),
        "no_list.ipynb is not a notebook: it has no list of `cells`",
    );

    let torn_cell = json!({ "nbformat": 4, "cells": [{ "cell_type": "code" }] });
    refused(
        &write_json(folder.path(), "torn_cell.ipynb", &torn_cell),
        "torn_cell.ipynb is not a notebook: cell 1 has no `source`",
    );

    let old = json!({ "nbformat": 3, "worksheets": [] });
    refused(
        &write_json(folder.path(), "old.ipynb", &old),
        "`nbformat` is 3",
    );

    let python = json!({
        "nbformat": 4, "cells": [],
        "metadata": { "kernelspec": { "name": "python3", "language": "python" } },
    });
    refused(
        &write_json(folder.path(), "python.ipynb", &python),
        "for the kernel \"python3\"",
    );
}

/// The reader of the output leaves early, as in `run ... | head -1`.
#[test]
fn a_run_ends_quietly_when_its_output_is_closed() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "tried.ipynb", &[]);
    let without_reader = || std::io::pipe().expect("a pipe").1;
    let mut run = program();
    run.arg("run").arg(&notebook).stdout(without_reader());
    let run = run.stderr(Stdio::piped()).spawn().expect("it starts");
    let Output { status, stderr, .. } = run.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!(status.code(), Some(141), "{stderr}");
    assert!(
        !stderr.contains("error") && !stderr.contains("panic"),
        "{stderr}"
    );

    let mut run = program();
    let run = run.args(["run", "nowhere.ipynb"]).stderr(without_reader());
    assert_eq!(run.status().expect("it starts").code(), Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_behind_standard_output_is_named() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "tried.ipynb", &[]);
    let full = File::options().write(true).open("/dev/full");
    let mut run = program();
    run.arg("run").arg(&notebook).stdout(full.expect("Linux"));
    let run = run.stderr(Stdio::piped()).spawn().expect("it starts");
    let Output { status, stderr, .. } = run.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(2), "{stderr}");
    let expected = "error: standard output cannot be written: ";
    assert!(stderr.starts_with(expected), "{stderr}");
}

#[test]
fn a_folder_for_temporary_files_that_does_not_do_is_named_or_not_used() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "tried.ipynb", &["1 + 1"]);
    let run_in = |temporary: &Path| {
        let mut run = program();
        finish(run.arg("run").arg(&notebook).env("TMPDIR", temporary))
    };
    let missing = folder.path().join("missing");
    for place in [missing.as_path(), Path::new("/dev/null")] {
        let (code, stdout, stderr) = run_in(place);
        assert_eq!(code, 2, "{stdout}{stderr}");
        let expected = format!(
            "error: the folder for temporary files, {}, cannot be written; set TMPDIR to another \
             folder",
            place.display()
        );
        assert!(stderr.starts_with(&expected), "{stderr}");
    }
    // The loader's search path is separated by colons, so it cannot contain this folder.
    let odd = folder.path().join("with:colon");
    fs::create_dir(&odd).expect("a folder");
    let (code, stdout, stderr) = run_in(&odd);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn a_notebook_that_cannot_be_stored_is_refused_before_its_cells_run() {
    let folder = tempdir().expect("a folder");
    let path = write_notebook(folder.path(), "mine.ipynb", &["panic!(\"it ran\")"]);
    let before = fs::read(&path).expect("the notebook");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("read-only");
    let (code, stdout, stderr) = finish(program().args(["run", "--save"]).arg(&path));
    assert_eq!(code, 2, "{stdout}{stderr}");
    let expected = format!(
        "error: {} is read-only, so nothing can be stored",
        path.display()
    );
    assert!(
        stdout.is_empty() && stderr.starts_with(&expected),
        "{stdout}{stderr}"
    );
    assert_eq!(fs::read(&path).expect("the notebook"), before);
}

#[test]
fn a_run_looks_for_rust_and_its_crates_where_set_up_did() {
    python(); // set-up has recorded where it is
    let folder = tempdir().expect("a folder");
    let softmax = "softmax(&array![0.0, 0.0])";
    let notebook = write_notebook(folder.path(), "elsewhere.ipynb", &[&load(), softmax]);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    for (name, value) in [
        ("CARGO_HOME", empty.to_str().expect("UTF-8")),
        ("RUSTUP_HOME", empty.to_str().expect("UTF-8")),
        ("PATH", "/usr/bin:/bin"),
    ] {
        let mut run = program();
        run.arg("run").arg(&notebook).env(name, value);
        run.env("CARGO_NET_OFFLINE", "true");
        let (code, stdout, stderr) = finish(&mut run);
        assert_eq!(code, 0, "{name}: {stdout}{stderr}");
        assert_eq!(stderr, "", "{name}: nothing is recompiled");
        assert!(fs::read_dir(&empty).expect("a folder").next().is_none());
    }
}

#[test]
fn cells_are_compiled_with_the_versions_of_the_lock_file() {
    python(); // set-up compiles them
    let lock = |file: &Path| locked(&fs::read_to_string(file).expect("a lock file"));
    let of_cells = lock(&generated_by_set_up().join("for-cells/project/Cargo.lock"));
    let of_project = lock(&project().join("Cargo.lock"));
    let others: Vec<&String> = of_cells.difference(&of_project).collect();
    assert_eq!(others, ["notebook-crates 0.0.0"]);
    assert!(
        of_cells
            .iter()
            .any(|package| package.starts_with("ndarray ")),
        "{of_cells:?}"
    );
}

/// Looks at the kernel's folder from a cell. Files that the cell itself writes have the same
/// permissions as anywhere else.
#[test]
fn no_other_user_can_read_what_a_kernel_writes_and_no_secret_is_in_it() {
    let look = r#"
        fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
            let mut found = vec![folder.to_owned()];
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => found.extend(walk(&entry.path())),
                    false => found.push(entry.path()),
                }
            }
            found
        }
        {
            use std::os::unix::fs::PermissionsExt;
            let flag = std::env::var("NOTEBOOK_INTERRUPT_FILE").unwrap();
            let kernel = std::path::Path::new(&flag).ancestors().nth(2).unwrap();
            let secret = std::env::var("SECRET_OF_THE_USER").unwrap().into_bytes();
            let mode = |path: &std::path::Path| {
                std::fs::metadata(path).unwrap().permissions().mode() & 0o777
            };
            println!("kernel: {:o}", mode(kernel));
            let all = walk(kernel);
            println!("has cells: {}", all.iter().any(|path| path.ends_with("cell_2-2.rs")));
            let tells = all.iter().filter(|path| {
                let text = std::fs::read(path).unwrap_or_default();
                text.windows(secret.len()).any(|part| part == secret)
            });
            println!("tells: {:?}", tells.collect::<Vec<_>>());
            std::fs::write("mine.txt", "").unwrap();
            println!("mine: {:o}", mode("mine.txt".as_ref()));
            let compilers = std::path::Path::new(option_env!("TMPDIR").unwrap());
            println!("compilers: {}", compilers.starts_with(kernel));
            println!("cells: {}", std::env::temp_dir().display());
        }
    "#;
    let (folder, temporary) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let path = write_notebook(folder.path(), "look.ipynb", &["1 + 1", "2 + 2", look]);
    let mut run = program();
    // Assembled here, so that the search does not find the text of the cell itself.
    let secret = ["hidden", "1234"].join("-");
    run.args(["run", "--save"])
        .arg(&path)
        .env("TMPDIR", temporary.path())
        .env("SECRET_OF_THE_USER", secret);
    let running = thread::spawn(move || finish(&mut run));
    let mut beside = BTreeSet::new();
    while !running.is_finished() {
        let names = fs::read_dir(temporary.path()).expect("a folder").flatten();
        beside.extend(names.map(|entry| entry.file_name().to_string_lossy().into_owned()));
        thread::sleep(Duration::from_millis(1));
    }
    let (code, stdout, stderr) = running.join().expect("no panic");
    assert_eq!(code, 0, "{stdout}{stderr}");
    let are_ours = |name: &String| name.starts_with("attention-notebooks-");
    assert!(
        beside.iter().all(are_ours),
        "folders of ours alone: {beside:?}"
    );
    let printed = &read_json(&path)["cells"][2]["outputs"][0]["text"];
    fs::write(folder.path().join("by-this-process"), "").expect("written");
    let usual = fs::metadata(folder.path().join("by-this-process")).expect("a file");
    let usual = format!("mine: {:o}\n", usual.permissions().mode() & 0o777);
    let expected = json!([
        "kernel: 700\n",
        "has cells: true\n",
        "tells: []\n",
        usual,
        "compilers: true\n",
        format!("cells: {}\n", temporary.path().display())
    ]);
    assert_eq!(*printed, expected);
}

/// Sends a signal to a run whose cell does not end by itself, using `send`, which gets the process.
/// Returns the exit code, the files left in the temporary folder, and whether the cells' process
/// is still running.
fn end_by(send: impl Fn(&Child)) -> (Option<i32>, Vec<PathBuf>, bool) {
    let (folder, temporary) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let wait = r#"
        let sleeping = std::process::Command::new("sleep").arg("1000").spawn().unwrap().id();
        std::fs::write("ids", format!("{} {sleeping}", std::process::id())).unwrap();
        loop { std::thread::sleep(std::time::Duration::from_secs(1)); }
    "#;
    let notebook = write_notebook(folder.path(), "tried.ipynb", &[wait]);
    let mut run = program();
    run.arg("run").arg(notebook).env("TMPDIR", temporary.path());
    let mut run = run.process_group(0).spawn().expect("it starts");
    let file = folder.path().join("ids");
    let began = Instant::now();
    let ids = loop {
        match fs::read_to_string(&file) {
            Ok(ids) if ids.contains(' ') => break ids,
            _ => assert!(began.elapsed() < Duration::from_secs(300), "the cell runs"),
        }
        assert!(run.try_wait().expect("a process").is_none(), "it runs");
        thread::sleep(Duration::from_millis(50));
    };
    send(&run);
    let code = run.wait().expect("it ends").code();
    let left = fs::read_dir(temporary.path()).expect("a folder");
    let left = left.map(|entry| entry.expect("an entry").path()).collect();
    // A process that has ended but has not been waited for has no arguments.
    let runs = |id: &str| {
        let arguments = fs::read(Path::new("/proc").join(id).join("cmdline"));
        arguments.is_ok_and(|arguments| !arguments.is_empty())
    };
    // The supervisor ends the cell's processes as soon as it learns that the run has ended; on a
    // busy machine, that takes a moment.
    let began = Instant::now();
    while ids.split(' ').any(runs) && began.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
    }
    (code, left, ids.split(' ').any(runs))
}

#[test]
fn nothing_is_left_of_a_run_that_a_signal_ends() {
    let nothing: Vec<PathBuf> = Vec::new();
    let terminated = end_by(|run| {
        kill_process(Pid::from_child(run), Signal::TERM).expect("sent");
    });
    assert_eq!(terminated, (Some(128 + 15), nothing.clone(), false));
    // In a terminal, Ctrl-C goes to the whole process group.
    let interrupted = end_by(|run| {
        kill_process_group(Pid::from_child(run), Signal::INT).expect("sent");
    });
    assert_eq!(interrupted, (Some(128 + 2), nothing, false));
}

/// The packages of a lock file, as "name version".
fn locked(lock: &str) -> BTreeSet<String> {
    let value = |line: &str, key: &str| {
        line.strip_prefix(key)
            .map(|rest| rest.trim_matches('"').to_owned())
    };
    let names = lock.lines().filter_map(|line| value(line, "name = "));
    // The quotation mark excludes the version of the file format, which comes first.
    let versions = lock.lines().filter_map(|line| value(line, "version = \""));
    names
        .zip(versions)
        .map(|(name, version)| format!("{name} {version}"))
        .collect()
}
