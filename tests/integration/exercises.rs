//! Exercises in a notebook, and the commands for them.

use crate::common::{finish, generated_by_set_up, program, project, read_json, write_notebook};
use serde_json::Value;
use std::fs;

const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

#[test]
fn endless_and_forging_answers_keep_the_variables_and_unfinished_ones_fail_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let crates = ["attention", "exercises"].map(|name| project().join("crates").join(name));
    let [attention, exercises] = crates;
    let load = format!(
        ":dep attention = {{ path = {attention:?} }}\n:dep exercises = {{ path = {exercises:?} }}\n\
         use exercises::prelude::*;"
    );
    let unfinished = "fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {\n    todo!()\n}\n\
                      check::softmax(my_softmax)";
    let endless = "check::softmax(|scores| loop { if scores.is_empty() { break scores.clone() } })";
    let panicking = "check::softmax(|_| panic!(\"by mistake\"))";
    // Writes to the socket on which its judge waits for the result.
    let forging = r#"fn forge(scores: &Array1<f32>) -> Array1<f32> {
    use std::{fs, io::Write, os::fd::FromRawFd};
    let link = |number: &i32| fs::read_link(format!("/proc/self/fd/{number}"));
    let is_socket = |number: &i32| {
        link(number).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
    };
    let newest = (0..256).filter(is_socket).max().unwrap();
    let forged = [&[1][..], &(1_u64 << 62).to_le_bytes()].concat();
    unsafe { fs::File::from_raw_fd(newest) }.write_all(&forged).unwrap();
    scores.clone()
}
check::softmax(forge)"#;
    let cells = [
        &load,
        "let kept = array![1.0_f32, 2.0];",
        unfinished,
        endless,
        panicking,
        forging,
        "kept",
    ];
    let notebook = write_notebook(folder.path(), "exercises.ipynb", &cells);
    let (code, stdout, stderr) = finish(program().args(["run", "--save"]).arg(&notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let cells = &read_json(&notebook)["cells"];
    for (cell, says) in [
        (2, "NOT ATTEMPTED"),
        (3, "too slow"),
        (4, "it panicked: by mistake"),
        (5, "garbled"),
        (6, "[1., 2.]"),
    ] {
        let outputs = &cells[cell]["outputs"];
        assert_eq!(outputs.as_array().map(Vec::len), Some(1), "{outputs}");
        let text = outputs[0]["data"]["text/plain"].to_string();
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[test]
fn set_up_has_compiled_the_crate_of_the_exercises() {
    let folder = tempfile::tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "empty.ipynb", &["1 + 1"]);
    let (code, stdout, stderr) = finish(program().arg("run").arg(&notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let generated = generated_by_set_up();
    let folders = fs::read_dir(generated.join("for-cells")).expect("what set-up has compiled");
    let mut libraries = folders
        .filter_map(|folder| fs::read_dir(folder.ok()?.path()).ok())
        .flatten()
        .filter_map(|file| file.ok()?.file_name().into_string().ok());
    assert!(
        libraries.any(|file| file.starts_with("libexercises-")),
        "the first cell of a lesson would compile it, in {}",
        generated.display()
    );
}

#[test]
fn an_answer_of_another_type_is_told_which_one_is_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let crates = ["attention", "exercises"].map(|name| project().join("crates").join(name));
    let [attention, exercises] = crates;
    let load = format!(
        ":dep attention = {{ path = {attention:?} }}\n:dep exercises = {{ path = {exercises:?} }}\n\
         use exercises::prelude::*;"
    );
    let answer = "fn my_weights(inputs: Array2<f32>) -> Array2<f32> {\n    inputs\n}\n\
                  check::weights(my_weights)";
    let notebook = write_notebook(folder.path(), "exercises.ipynb", &[&load, answer]);
    let (code, stdout, _) = finish(program().arg("run").arg(&notebook));
    assert_eq!(code, 1, "{stdout}");
    for says in [
        "its argument is `Array2<f32>`, but should be `&Array2<f32>`",
        "    fn(&Array2<f32>) -> Array2<f32>",
    ] {
        assert!(stdout.contains(says), "{says}: {stdout}");
    }
}

#[test]
fn progress_is_shown_written_for_teachers_and_reset() {
    let generated = tempfile::tempdir().expect("a folder");
    let progress = || {
        let mut command = program();
        command
            .arg("progress")
            .env(GENERATED, generated.path())
            .env("USER", "learner");
        command
    };
    let folder = generated.path().join("progress");
    fs::create_dir(&folder).expect("a folder");
    let entry = r#"{ "state": "right", "attempts": 2, "hints": 1, "changed": 5 }"#;
    let file = format!(r#"{{ "schema": 1, "entries": {{ "softmax": {entry} }} }}"#);
    fs::write(folder.join("learner.json"), file).expect("written");

    let (code, stdout, _) = finish(&mut progress());
    assert_eq!(code, 0);
    assert!(
        stdout.contains("Coding attention: 1 of 6 exercises done"),
        "{stdout}"
    );
    assert!(
        stdout.contains("done           A softmax that does not overflow"),
        "{stdout}"
    );

    let (_, stdout, _) = finish(progress().arg("--json"));
    let written: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(written["schema"], 1);
    let softmax = &written["lessons"][0]["exercises"][3];
    assert_eq!(
        (&softmax["name"], &softmax["state"]),
        (&"softmax".into(), &"done".into())
    );
    assert_eq!(
        (&softmax["attempts"], &softmax["changed"]),
        (&2.into(), &5.into())
    );

    let (code, _, stderr) = finish(progress().args(["--reset", "sofmax"]));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("there is no exercise and no prediction sofmax"),
        "{stderr}"
    );
    let (code, stdout, _) = finish(progress().args(["--reset", "softmax"]));
    assert_eq!(
        (code, stdout.as_str()),
        (0, "softmax is reset, as if it had never been attempted.\n")
    );
    let (_, stdout, _) = finish(&mut progress());
    assert!(
        stdout.contains("Coding attention: 0 of 6 exercises done"),
        "{stdout}"
    );
}

#[test]
fn a_teacher_collects_the_progress_of_all() {
    let class = tempfile::tempdir().expect("a folder");
    for (learner, state) in [("ada", "right"), ("ben", "wrong")] {
        let entry = format!(r#"{{ "state": "{state}", "attempts": 1, "hints": 0, "changed": 5 }}"#);
        let file = format!(r#"{{ "schema": 1, "entries": {{ "softmax": {entry} }} }}"#);
        fs::write(class.path().join(format!("{learner}.json")), file).expect("written");
    }
    fs::write(class.path().join("ada.lock"), "").expect("written");
    let (code, stdout, stderr) = finish(program().args(["progress", "--json"]).arg(class.path()));
    assert_eq!(code, 0, "{stderr}");
    let written: Value = serde_json::from_str(&stdout).expect("JSON");
    let learners = written["learners"].as_array().expect("learners");
    let of = |learner: &Value| {
        let softmax = &learner["lessons"][0]["exercises"][3];
        (learner["learner"].clone(), softmax["state"].clone())
    };
    let states: Vec<(Value, Value)> = learners.iter().map(of).collect();
    assert_eq!(
        states,
        [("ada".into(), "done".into()), ("ben".into(), "open".into())]
    );
    let ben = class.path().join("ben.json");
    let (_, stdout, _) = finish(program().arg("progress").arg(&ben));
    assert!(
        stdout.starts_with(&format!("ben ({})\n", ben.display())),
        "{stdout}"
    );
    assert!(
        stdout.contains("Coding attention: 0 of 6 exercises done"),
        "{stdout}"
    );
}

#[test]
fn what_is_not_a_progress_file_is_named_and_the_others_are_shown() {
    let class = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(class.path().join(name), text).expect(name);
    write("ada.json", r#"{ "schema": 1, "entries": {} }"#);
    write("ben.json", "[");
    write("carl\u{1b}[2J.json", r#"{ "schema": 9, "entries": {} }"#);
    write("zoe.json", r#"{ "schema": 1, "entries": {} }"#);
    fs::create_dir(class.path().join("dora.json")).expect("a folder");
    let pipe = class.path().join("emil.json");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let not = [
        ("ben.json", "EOF while parsing"),
        ("carl\\u001b[2J.json", "its schema is 9, not 1"),
        ("dora.json", "it is not a regular file"),
        ("emil.json", "it is not a regular file"),
    ];

    let (code, stdout, stderr) = finish(program().arg("progress").arg(class.path()));
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stdout.starts_with("ada (") && stdout.contains("\nzoe ("),
        "{stdout}"
    );
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), not.len(), "{stderr}");
    for ((file, reason), line) in not.iter().zip(&lines) {
        let sentence = format!("{file} is not a progress file: {reason}");
        assert!(
            line.starts_with("error: ") && line.contains(&sentence),
            "{line}"
        );
        assert!(!line.contains("move it away"), "it is a learner's: {line}");
    }

    let (code, stdout, _) = finish(program().args(["progress", "--json"]).arg(class.path()));
    assert_eq!(code, 1);
    let written: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(written["learners"].as_array().map(Vec::len), Some(2));
    let left_out = written["left_out"].as_array().expect("a list");
    assert_eq!(left_out.len(), not.len(), "{left_out:?}");
}

#[test]
fn a_class_of_whom_nothing_can_be_shown_is_an_error() {
    let class = tempfile::tempdir().expect("a folder");
    let empty = tempfile::tempdir().expect("a folder");
    let (code, _, stderr) = finish(program().arg("progress").arg(empty.path()));
    assert_eq!(code, 2);
    assert!(
        stderr.contains(" has no files of progress (NAME.json)"),
        "{stderr}"
    );
    let missing = class.path().join("carl.json");
    let (code, _, stderr) = finish(program().arg("progress").arg(&missing));
    assert_eq!(code, 2);
    assert!(stderr.contains(&missing.display().to_string()), "{stderr}");
}
