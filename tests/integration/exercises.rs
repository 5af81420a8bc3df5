//! Exercises in a notebook.

use crate::common::{finish, generated_by_set_up, program, project, read_json, write_notebook};
use std::fs;

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
