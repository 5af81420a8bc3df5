//! A new lesson with two exercises, made in a copy of the project, as CONTRIBUTING.md and crates/exercises
//! describe.

use crate::common::{finish, program, project, python, read_json, write_json, write_notebook};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LESSON: &str = "attention_in_class";
const NOTEBOOK: &str = "11_attention_in_class";
const TITLE: &str = "Attention in class";
const EXERCISES: [&str; 2] = ["first_product", "second_product"];
/// The exercise of another lesson that new exercises are copied from.
const SIMILAR: [&str; 2] = ["coding_attention", "dot_product"];

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy_all(&from, &to),
            false => drop(fs::copy(from, to).expect("copied")),
        }
    }
}

/// Copies the program, and the parts of the project that a new lesson changes. Other crates stay where they are.
fn copy_of_the_project(copy: &Path) {
    for folder in ["notebooks", "assets", "crates/exercises"] {
        copy_all(&project().join(folder), &copy.join(folder));
    }
    let manifest = fs::read_to_string(project().join("Cargo.toml")).expect("a manifest");
    let shared = manifest
        .split_once("[workspace.package]")
        .expect("settings")
        .1;
    let shared = shared.split_once("\n[package]").expect("a package").0;
    let workspace =
        format!("[workspace]\nmembers = [\"crates/exercises\"]\n[workspace.package]{shared}");
    fs::write(copy.join("Cargo.toml"), workspace).expect("written");
    change(
        &copy.join("crates/exercises/Cargo.toml"),
        "path = \"..",
        |_| format!("path = \"{}/crates", project().display()),
    );
    for part in [
        "Cargo.lock",
        "requirements.txt",
        "crates/attention/Cargo.toml",
    ] {
        fs::create_dir_all(copy.join(part).with_file_name("")).expect("a folder");
        fs::copy(project().join(part), copy.join(part)).expect("copied");
    }
    fs::create_dir_all(copy.join("target/release")).expect("a folder");
    fs::copy(program().get_program(), program_of(copy)).expect("copied");
}

fn program_of(copy: &Path) -> PathBuf {
    copy.join("target/release/attention-notebooks")
}

/// Replaces every occurrence of a text in a file.
fn change(file: &Path, text: &str, by: impl Fn(&str) -> String) {
    let before = fs::read_to_string(file).expect("a file");
    assert!(before.contains(text), "{}: {text}", file.display());
    fs::write(file, before.replace(text, &by(text))).expect("written");
}

/// Follows the steps in crates/exercises/README.md, except the one for `course.json`.
fn add_exercises(source: &Path) {
    let [other_lesson, other_exercise] = SIMILAR;
    let folder = source.join(LESSON);
    fs::create_dir(&folder).expect("a folder");
    let similar = fs::read_to_string(
        source
            .join(other_lesson)
            .join(format!("{other_exercise}.rs")),
    );
    let similar = similar.expect("an exercise").replace(other_lesson, LESSON);
    let mut modules = "//! Exercises of a new lesson.\n\n".to_owned();
    for exercise in EXERCISES {
        let text = similar.replace(other_exercise, exercise);
        fs::write(folder.join(format!("{exercise}.rs")), text).expect("written");
        modules += &format!("pub(crate) mod {exercise};\n");
    }
    modules += &format!(
        "\nuse crate::lesson::Lesson;\n\n\
         pub(crate) const LESSON: Lesson = Lesson {{\n    name: \"{LESSON}\",\n    title: \"{TITLE}\",\n}};\n"
    );
    fs::write(folder.join("mod.rs"), modules).expect("written");
    let last = "mod who_attends_to_whom;\n";
    change(&source.join("lib.rs"), last, |last| {
        format!("{last}mod {LESSON};\n")
    });
    let list = source.join("course.rs");
    let last = "use crate::who_attends_to_whom;\n";
    change(&list, last, |last| format!("{last}use crate::{LESSON};\n"));
    let lines = EXERCISES.map(|name| {
        format!(
            "        {name}: fn(&Array1<f32>, &Array1<f32>) -> f32 = {LESSON}::{name}::EXERCISE;\n"
        )
    });
    change(&list, "    }\n    predictions {\n", |end| {
        lines.concat() + end
    });
}

#[test]
fn a_new_lesson_with_two_exercises_appears_everywhere() {
    python(); // so that everything is set up
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("project");
    copy_of_the_project(&copy);
    let exercises = copy.join("crates/exercises");
    add_exercises(&exercises.join("src"));

    // The exercises are compiled as in a notebook, which takes less time than with cargo's optimisations.
    let load = format!(":dep exercises = {{ path = {exercises:?} }}\nuse exercises::prelude::*;");
    let answer = format!(
        "println!(\"{{}}\", check::{}(|a, b| a.dot(b)));",
        EXERCISES[1]
    );
    let cells = [&load, "print!(\"{}\", exercises::COURSE.json());", &answer];
    let notebook = write_notebook(folder.path(), "course.ipynb", &cells);
    let (code, stdout, stderr) = finish(program().args(["run", "--save"]).arg(&notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let printed = |cell: usize| {
        let text = &read_json(&notebook)["cells"][cell]["outputs"][0]["text"];
        let lines = text
            .as_array()
            .expect("lines")
            .iter()
            .filter_map(Value::as_str);
        lines.collect::<String>()
    };
    fs::write(exercises.join("course.json"), printed(1)).expect("written");
    assert!(
        printed(2).starts_with("RIGHT: ") && printed(2).contains("(1 of 2 done in this lesson)"),
        "{}",
        printed(2)
    );

    // Makes the new lesson's notebook from the cells in `course.json`.
    let course = read_json(&exercises.join("course.json"));
    let lesson = course
        .as_array()
        .and_then(|lessons| lessons.last())
        .expect("a lesson");
    let of_exercise = |exercise: &Value| {
        let cell = |kind: &str, text: &Value| json!({ "cell_type": kind, "metadata": {}, "source": [text] });
        [
            cell("markdown", &exercise["markdown"]),
            cell("code", &exercise["code"]),
        ]
    };
    let questions = lesson["exercises"].as_array().expect("exercises").iter();
    let mut notebook = read_json(&copy.join("notebooks/01_coding_attention.ipynb"));
    notebook["cells"] = questions.flat_map(of_exercise).collect();
    write_json(
        &copy.join("notebooks"),
        &format!("{NOTEBOOK}.ipynb"),
        &notebook,
    );

    let desk = folder.path().join("desk");
    let in_copy = |arguments: &[&str]| {
        let mut command = Command::new(program_of(&copy));
        let generated = folder.path().join("generated");
        command
            .args(arguments)
            .env("ATTENTION_NOTEBOOKS_GENERATED", generated);
        let (code, stdout, stderr) = finish(command.env("JUPYTERHUB_USER", "ann"));
        assert_eq!(code, 0, "{arguments:?}: {stdout}{stderr}");
        stdout
    };
    in_copy(&["lessons", desk.to_str().expect("UTF-8")]);
    for notebook in [
        format!("my-lessons/{NOTEBOOK}.ipynb"),
        format!("my-lessons-originals/{NOTEBOOK}_original.ipynb"),
    ] {
        assert!(desk.join(&notebook).is_file(), "{notebook}");
    }
    let [first, second] = EXERCISES;
    let shown = in_copy(&["progress"]);
    let bar = shown.lines().find(|line| line.starts_with(TITLE));
    assert!(bar.is_some_and(|bar| bar.contains("  0 of  2 ")), "{shown}");
    for called in ["11", LESSON, NOTEBOOK] {
        let listed = in_copy(&["progress", "--lesson", called]);
        assert!(
            EXERCISES.iter().all(|name| listed.contains(name)),
            "{listed}"
        );
    }
    let entry = r#"{ "state": "right", "attempts": 1, "hints": 0, "changed": 5 }"#;
    let file = folder.path().join("ann.json");
    let text = format!(r#"{{ "schema": 1, "entries": {{ "{second}": {entry} }} }}"#);
    fs::write(&file, text).expect("written");
    let report = in_copy(&["class", file.to_str().expect("UTF-8")]);
    let table = format!("{TITLE}: 1 {first}, 2 {second}\n  ann       · ✓  1 of 2\n");
    assert!(report.contains(&table), "{report}");
}
