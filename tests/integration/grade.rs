//! Judges notebooks that were handed in, and builds the course in docs/own-course.md from that
//! page.

use crate::common::{finish, program, project, python, read_json, write_notebook};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const LOAD: &str = ":dep attention = { path = \"../crates/attention\" }\n\
                    :dep exercises = { path = \"../crates/exercises\" }\n\
                    use exercises::prelude::*;";

/// The command `grade`, allowed to run as root in case the tests do.
fn grade() -> Command {
    python(); // so that everything is set up
    let mut command = program();
    command.args(["grade", "--allow-root"]);
    command
}

fn hand_in(folder: &Path, learner: &str, cells: &[&str]) {
    let folder = folder.join(learner);
    fs::create_dir_all(&folder).expect("a folder");
    write_notebook(&folder, "01.ipynb", cells);
    fs::write(folder.join("timestamp.txt"), "2026-12-01 10:00:00 UTC").expect("written");
}

/// The state of an exercise in a file that `grade` wrote.
fn state(graded: &Path, learner: &str, exercise: &str) -> Value {
    let text = fs::read_to_string(graded.join(format!("{learner}.json"))).expect("a file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file["entries"][exercise]["state"].clone()
}

#[test]
fn what_counts_is_computed_by_the_teacher() {
    let folder = tempfile::tempdir().expect("a folder");
    let (handed_in, graded) = (
        folder.path().join("handed in"),
        folder.path().join("graded"),
    );
    let right = "fn my_causal_mask(tokens: usize) -> Array2<bool> {\n    \
                 Array2::from_shape_fn((tokens, tokens), |(t, s)| s <= t)\n}\n\
                 check::causal_mask(my_causal_mask)";
    let cells = [
        LOAD,
        "this does not compile",
        right,
        "check::softmax(|scores| scores.clone())",
        "check::dot_product(|_, _| todo!())",
        "predict::attended_most(\"journey\")",
        "predict::kept_weight(\"?\")",
        // Twice the memory that is allowed.
        "let hoard = vec![1_u8; 4 << 30];\nhoard.len()",
    ];
    hand_in(&handed_in, "ann@example.org", &cells);
    // Claims that everything is right, wherever a verdict might be stored.
    let forging = r##"let variable = std::env::var("ATTENTION_NOTEBOOKS_ANSWERS").unwrap();
for name in ["softmax", "scores", "causal_mask"] {
    let path = std::path::Path::new(&variable).join(name);
    let _ = std::fs::write(path, "right");
}
let entry = r#"{ "state": "right", "attempts": 1, "hints": 0, "changed": 5 }"#;
let text = format!(r#"{{ "schema": 1, "entries": {{ "softmax": {entry} }} }}"#);
for folder in ["..", "../..", "progress", "GRADED"] {
    let _ = std::fs::write(format!("{folder}/eve.json"), &text);
}
std::fs::write("GRADED/ann@example.org.json", &text)?;
// Another way to write the name `eve`.
std::fs::write("GRADED/%65ve.json", &text)?;"##;
    let forging = forging.replace("GRADED", graded.to_str().expect("UTF-8"));
    hand_in(&handed_in, "eve", &[LOAD, &forging]);
    fs::create_dir_all(handed_in.join("ben")).expect("a folder");
    let mut command = grade();
    command.arg(&handed_in).arg("--into").arg(&graded);
    let (code, stdout, stderr) = finish(command.args(["--memory", "2000"]));
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stderr.contains("/%65ve.json; it was removed"), "{stderr}");
    assert!(stdout.contains("ben: no notebook"), "{stdout}");
    assert!(stdout.contains("2 of 8 cells failed"), "{stdout}");
    for (exercise, expected) in [
        ("causal_mask", "right".into()),
        ("softmax", "wrong".into()),
        ("dot_product", Value::Null),
        ("attended_most", "right".into()),
        ("kept_weight", Value::Null),
    ] {
        assert_eq!(
            state(&graded, "ann@example.org", exercise),
            expected,
            "{exercise}"
        );
    }
    for exercise in ["softmax", "scores", "causal_mask"] {
        assert_ne!(state(&graded, "eve", exercise), "right", "{exercise}");
    }
    // The same report as for progress files; notebooks handed in late earn no points.
    let course = read_json(&project().join("crates/exercises/course.json"));
    let of_lesson = |lesson: &Value| lesson["exercises"].as_array().map_or(0, Vec::len);
    let all: usize = course
        .as_array()
        .expect("lessons")
        .iter()
        .map(of_lesson)
        .sum();
    for (due, points) in [("2026-12-01T12:00:00Z", 1), ("2026-11-30", 0)] {
        let mut class = program();
        class
            .arg("class")
            .arg(&graded)
            .args(["--format", "csv", "--due", due]);
        let (code, stdout, stderr) = finish(&mut class);
        assert_eq!(code, 0, "{stderr}");
        let line = format!("\nann@example.org,,{points},{all},");
        assert!(stdout.contains(&line), "{line}: {stdout}");
        assert!(stdout.contains(&format!("\nben,,0,{all},")), "{stdout}");
    }
    // Results of another run are neither lost nor mixed with these.
    let (code, _, stderr) = finish(grade().arg(&handed_in).arg("--into").arg(&graded));
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("name another folder with --into"),
        "{stderr}"
    );
}

#[test]
fn a_notebook_that_never_ends_is_stopped_and_the_class_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let graded = folder.path().join("graded");
    let handed_in = folder.path().join("handed in");
    hand_in(&handed_in, "max", &["loop {}"]);
    fs::write(handed_in.join("zoe.ipynb"), "no notebook").expect("written");
    let mut command = grade();
    command.arg(&handed_in).arg("--into").arg(&graded);
    let (code, stdout, stderr) = finish(command.args(["--seconds", "4"]));
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("max: 01 ... 0 right, 0 wrong"), "{stdout}");
    assert!(stdout.contains("stopped after 4 s"), "{stdout}");
    let of_zoe = stdout.lines().find(|line| line.starts_with("zoe: "));
    assert!(
        of_zoe.is_some_and(|line| line.contains("error: ")),
        "{stdout}"
    );
    assert!(graded.join("zoe.json").exists(), "{stdout}");
}

#[test]
fn a_run_records_progress_if_it_is_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    python();
    let load = LOAD.replace("..", &project().display().to_string());
    let answer = "check::causal_mask(|tokens| Array2::from_elem((tokens, tokens), true))";
    let notebook = write_notebook(folder.path(), "answers.ipynb", &[&load, answer]);
    let data = folder.path().join("data");
    let learner = |command: &mut Command| {
        let name = format!("learner {}", std::process::id());
        finish(
            command
                .env("XDG_DATA_HOME", &data)
                .env("JUPYTERHUB_USER", name),
        )
    };
    let (code, stdout, stderr) = learner(program().arg("run").arg("--record").arg(&notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let (_, stdout, _) = learner(program().args(["progress", "--lesson", "01b"]));
    assert!(stdout.contains("  open           causal_mask "), "{stdout}");
    let (code, _, _) = learner(program().args(["progress", "--reset", "causal_mask"]));
    assert_eq!(code, 0);
}

/// The files that the page shows, by name, with this project's folder in place of PROJECT.
fn files_of_the_page() -> Vec<(String, String)> {
    let page = fs::read_to_string(project().join("docs/own-course.md")).expect("the page");
    let page = page.replace("PROJECT", &project().display().to_string());
    let mut files = Vec::new();
    for (before, block) in page
        .split("\n```")
        .collect::<Vec<_>>()
        .chunks(2)
        .filter_map(|pair| {
            let [before, block] = pair else { return None };
            Some((before, block))
        })
    {
        let paragraph = before.rsplit("\n\n").find(|text| !text.is_empty());
        let paragraph = paragraph.unwrap_or_default();
        let name = paragraph
            .strip_prefix("`my-course/")
            .and_then(|rest| rest.split('`').next());
        let (_, text) = block.split_once('\n').expect("lines");
        files.push((name.unwrap_or_default().to_owned(), format!("{text}\n")));
    }
    files
}

/// Adds a second exercise: a file and two lines, as the page says.
fn add_a_second_exercise(source: &Path) {
    let read = |name: &str| fs::read_to_string(source.join(name)).expect("a file of the page");
    let write = |name: &str, text: &str| fs::write(source.join(name), text).expect("written");
    let rename = |text: &str| text.replace("largest_weight", "greatest_weight");
    write("greatest_weight.rs", &rename(&read("largest_weight.rs")));
    let with_both = |line: &str| match line.contains("largest_weight") {
        true => format!("{line}\n{}\n", rename(line)),
        false => format!("{line}\n"),
    };
    let list: String = read("lib.rs").lines().map(with_both).collect();
    write("lib.rs", &list);
}

#[test]
fn a_course_in_a_folder_of_its_own_is_made_from_its_page() {
    python();
    let folder = tempfile::tempdir().expect("a folder");
    let course = folder.path().join("my-course");
    let blocks = files_of_the_page();
    let named = blocks.iter().filter(|(name, _)| !name.is_empty());
    for (name, text) in named.clone() {
        let file = course.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("written");
    }
    assert_eq!(named.count(), 4);
    add_a_second_exercise(&course.join("src"));
    let mut check = program();
    let check = check
        .current_dir(folder.path())
        .args(["exercises", "--check"]);
    let (code, stdout, stderr) = finish(check.args(["--course", "my-course"]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let text = fs::read_to_string(course.join("course.json")).expect("the course");
    let written: Value = serde_json::from_str(&text).expect("JSON");
    let exercise = &written[0]["exercises"][0];
    assert_eq!(exercise["name"], "largest_weight");
    let task = exercise["code"].as_str().expect("code");
    let answer = task.replace("todo!()", "softmax(scores).fold(0.0, |a, &b| a.max(b))");
    let first = blocks.iter().find(|(_, text)| text.starts_with(":dep"));
    let first = &first.expect("the first cell").1;
    let first = first.replace(
        "\"my-course\"",
        &format!("{:?}", course.display().to_string()),
    );
    let guess = "predict::weight_of_one_score(\"0.5\")";
    let handed_in = folder.path().join("handed in");
    hand_in(
        &handed_in,
        "ann",
        &[
            &first,
            &answer,
            guess,
            "progress()",
            "check::softmax(softmax)",
        ],
    );
    let graded = folder.path().join("graded");
    let mut command = grade();
    command
        .arg(&handed_in)
        .arg("--into")
        .arg(&graded)
        .arg("--course")
        .arg(&course);
    let (code, stdout, stderr) = finish(&mut command);
    assert_eq!(code, 0, "{stdout}{stderr}");
    // The cell that checks a lesson's exercise fails: this course does not have it.
    assert!(
        stdout.contains("1 right, 1 wrong") && stdout.contains("1 of 5 cells"),
        "{stdout}"
    );
    let mut class = program();
    class.arg("class").arg(&graded).arg("--course").arg(&course);
    let (_, stdout, _) = finish(&mut class);
    assert!(
        stdout
            .contains("My lesson: 1 largest_weight, 2 greatest_weight\n  ann       ✓ ·  1 of 2\n"),
        "{stdout}"
    );
    let mut progress = program();
    let (_, stdout, _) = finish(progress.arg("progress").arg("--course").arg(&course));
    let advice = stdout.rsplit('`').nth(1).expect("a command in backquotes");
    let (_, own) = advice
        .split_once("-- ")
        .expect("cargo's own arguments before");
    let (code, stdout, stderr) = finish(program().args(own.split(' ')));
    assert_eq!(code, 0, "{advice}: {stderr}");
    assert!(stdout.contains("greatest_weight"), "{advice}: {stdout}");
}
