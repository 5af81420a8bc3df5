//! A learner's progress and the report on a class: no notebook runs.

use crate::common::{finish, program, project, read_json};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

fn entry(state: &str) -> String {
    format!(r#"{{ "state": "{state}", "attempts": 2, "hints": 1, "changed": 5 }}"#)
}

/// The text of a progress file with the exercise `softmax` in this state.
fn with_softmax(state: &str) -> String {
    let entry = entry(state);
    format!(r#"{{ "schema": 1, "entries": {{ "softmax": {entry} }} }}"#)
}

/// How many exercises the first lesson has.
fn exercises() -> usize {
    let course = read_json(&project().join("crates/exercises/course.json"));
    course[0]["exercises"].as_array().expect("exercises").len()
}

/// Where an exercise of the first lesson is in its list.
fn place(exercise: &str) -> usize {
    let course = read_json(&project().join("crates/exercises/course.json"));
    let exercises = course[0]["exercises"].as_array().expect("exercises");
    let place = exercises.iter().position(|one| one["name"] == exercise);
    place.expect("an exercise")
}

/// The command `progress`, with this folder in place of `.jupyter`.
fn progress(generated: &Path) -> Command {
    let mut command = program();
    command.arg("progress").env(GENERATED, generated);
    command.env("JUPYTERHUB_USER", "ann@example.org");
    command
}

#[test]
fn progress_is_shown_written_for_programs_and_reset() {
    let generated = tempfile::tempdir().expect("a folder");
    let progress = || progress(generated.path());
    let folder = generated.path().join("progress");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("ann@example.org.json"), with_softmax("right")).expect("written");

    let (code, stdout, _) = finish(&mut progress());
    assert_eq!(code, 0);
    let all = exercises();
    let bar = format!("░   1 of {all:>2}");
    let lesson = stdout
        .lines()
        .find(|line| line.starts_with("Coding attention "));
    assert!(
        lesson.is_some_and(|line| line.contains('█') && line.contains(&bar)),
        "{stdout}"
    );
    for says in [
        "Next: A dot product, by hand (dot_product, in 01_coding_attention, about 3 minutes)",
        "`cargo run --release -- progress --lesson 01`",
    ] {
        assert!(stdout.contains(says), "{says}: {stdout}");
    }
    let (code, stdout, _) = finish(progress().args(["--lesson", "01"]));
    assert_eq!(code, 0);
    let line = "  done           softmax      A softmax that does not overflow\n";
    assert!(stdout.contains(line), "{stdout}");

    let (_, stdout, _) = finish(progress().arg("--json"));
    let written: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(written["schema"], 1);
    let softmax = &written["lessons"][0]["exercises"][place("softmax")];
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
    let says = "there is no exercise, prediction or lesson sofmax (did you mean softmax?)";
    assert!(stderr.contains(says), "{stderr}");
    let (code, stdout, _) = finish(progress().args(["--reset", "softmax"]));
    assert_eq!(
        (code, stdout.as_str()),
        (0, "softmax is reset, as if it had never been attempted.\n")
    );
}

#[test]
fn a_whole_lesson_is_reset_by_any_of_its_names() {
    let generated = tempfile::tempdir().expect("a folder");
    let folder = generated.path().join("progress");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("ann@example.org.json");
    let (right, wrong) = (entry("right"), entry("wrong"));
    let entries =
        format!(r#""softmax": {right}, "attended_most": {wrong}, "causal_mask": {right}"#);
    fs::write(
        &file,
        format!(r#"{{ "schema": 1, "entries": {{ {entries} }} }}"#),
    )
    .expect("written");
    let mut reset = progress(generated.path());
    let (code, stdout, _) = finish(reset.args(["--reset", "01_coding_attention.ipynb"]));
    assert_eq!(code, 0, "{stdout}");
    assert!(
        stdout.contains("2 exercises and predictions are forgotten"),
        "{stdout}"
    );
    let left = fs::read_to_string(&file).expect("a file");
    assert!(
        left.contains("causal_mask") && !left.contains("softmax"),
        "{left}"
    );
}

#[test]
fn a_misspelt_command_is_answered_with_the_one_that_was_meant() {
    for (wrong, meant) in [
        ("progres", "progress"),
        ("lesons", "lessons"),
        ("grad", "grade"),
    ] {
        let (code, _, stderr) = finish(program().arg(wrong));
        assert_eq!(code, 2);
        assert!(stderr.contains(&format!("'{meant}'")), "{stderr}");
    }
}

#[test]
fn a_port_that_cannot_be_used_is_refused_before_anything_is_installed() {
    let folder = tempfile::tempdir().expect("a folder");
    let generated = folder.path().join("generated");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let mut lab = program();
    lab.args(["lab", "--no-browser", "--port", &port]);
    let (code, stdout, stderr) = finish(lab.env(GENERATED, &generated));
    assert_eq!((code, stdout.as_str()), (2, ""));
    let says = format!("port {port} on 127.0.0.1 cannot be used");
    assert!(stderr.contains(&says), "{stderr}");
    assert!(!generated.exists(), "something was installed");
}

#[test]
fn a_class_is_collected_from_private_homes_in_one_report() {
    let homes = tempfile::tempdir().expect("a folder");
    let file = |home: &str, name: &str, text: &str| {
        let folder = homes.path().join(home);
        let folder = folder.join(".local/share/attention-notebooks/progress");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), text).expect("written");
    };
    file("ann", "ann@example.org.json", &with_softmax("right"));
    file("smith", "Ann%20Smith.json", &with_softmax("wrong"));
    file("a", "a%2Fb.json", &with_softmax("right"));
    let roster = homes.path().join("roster.csv");
    fs::write(
        &roster,
        "id,first_name,last_name,email\nAnn Smith,Ann,Smith,\nben,Ben,,\n",
    )
    .expect("written");
    let mut class = program();
    class
        .args(["class", "--lesson", "01", "--homes"])
        .arg(homes.path());
    class.arg("--roster").arg(&roster);
    let (code, stdout, stderr) = finish(&mut class);
    assert_eq!(code, 0, "{stderr}");
    let all = exercises();
    let signs = |sign| {
        let of = |at| if at == place("softmax") { sign } else { " ·" };
        (0..all).map(of).collect::<String>()
    };
    for says in [
        &*format!("  Ann Smith       {}  0 of {all}\n", signs(" …")),
        &format!("  ann@example.org {}  1 of {all}\n", signs(" ✓")),
        "  a/b ",
        "Nothing done so far: ben\n",
        "Not on the roster: a/b, ann@example.org\n",
    ] {
        assert!(stdout.contains(says), "{says}: {stdout}");
    }
    let (_, stdout, _) = finish(class.args(["--format", "csv"]));
    let line = format!("\nann@example.org,no,1,{all},0,");
    assert!(stdout.contains(&line), "{stdout}");
}

#[test]
fn a_teacher_collects_the_progress_of_named_files() {
    let class = tempfile::tempdir().expect("a folder");
    for (learner, state) in [("ada", "right"), ("ben", "wrong")] {
        let file = class.path().join(format!("{learner}.json"));
        fs::write(file, with_softmax(state)).expect("written");
    }
    fs::write(class.path().join("ada.lock"), "").expect("written");
    let mut command = program();
    let command = command
        .args(["class", "--format", "json"])
        .arg(class.path());
    let (code, stdout, stderr) = finish(command);
    assert_eq!(code, 0, "{stderr}");
    let written: Value = serde_json::from_str(&stdout).expect("JSON");
    let learners = written["learners"].as_array().expect("learners");
    let of = |learner: &Value| {
        let softmax = &learner["lessons"][0]["exercises"][place("softmax")];
        (learner["learner"].clone(), softmax["state"].clone())
    };
    let states: Vec<(Value, Value)> = learners.iter().map(of).collect();
    assert_eq!(
        states,
        [("ada".into(), "done".into()), ("ben".into(), "open".into())]
    );
    assert_eq!(learners[0]["points"], 1);
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
    let made = Command::new("mkfifo").arg(pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let not = [
        ("ben.json", "EOF while parsing"),
        ("carl\\u001b[2J.json", "its schema is 9, not 1"),
        ("dora.json", "it is not a regular file"),
        ("emil.json", "it is not a regular file"),
    ];

    let (code, stdout, stderr) = finish(program().arg("class").arg(class.path()));
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stdout.contains("\n  ada ") && stdout.contains("\n  zoe "),
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
        assert!(
            !line.contains("move it out of the way"),
            "it is a learner's: {line}"
        );
    }
}

#[test]
fn a_class_of_which_nothing_can_be_shown_is_an_error() {
    let class = tempfile::tempdir().expect("a folder");
    let (code, _, stderr) = finish(program().arg("class").arg(class.path()));
    assert_eq!(code, 2);
    assert!(
        stderr.contains(" has no progress files (NAME.json)"),
        "{stderr}"
    );
    let missing = class.path().join("carl.json");
    let (code, _, stderr) = finish(program().arg("class").arg(&missing));
    assert_eq!(code, 2);
    assert!(stderr.contains(&missing.display().to_string()), "{stderr}");
    let (code, _, stderr) = finish(program().arg("class").arg("--homes").arg(class.path()));
    assert_eq!(code, 2);
    assert!(stderr.contains("no learner has any progress"), "{stderr}");
}

/// Runs the commands of docs/commands.md, without `sudo`.
#[test]
fn notebooks_are_collected_from_homes_and_keep_their_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let homes = folder.path().join("homes");
    let time = UNIX_EPOCH + Duration::from_secs(1_796_119_200);
    let wanted = ["my-lessons/05_a.ipynb", "my-lessons-2/05_a.ipynb"];
    let others = [
        "my-lessons/04_b.ipynb",
        "my-lessons-originals/05_a_original.ipynb",
    ];
    let lessons = homes.join("ann/attention-lessons");
    for name in wanted.iter().chain(&others) {
        let file = lessons.join(name);
        fs::create_dir_all(file.with_file_name("")).expect("a folder");
        let written = fs::File::create(file).expect("a file");
        written.set_modified(time).expect("a time");
    }
    symlink(
        lessons.join(wanted[0]),
        lessons.join("my-lessons/05_link.ipynb"),
    )
    .expect("a link");
    let page = fs::read_to_string(project().join("docs/commands.md")).expect("the page");
    let mut blocks = page.split("```sh\n");
    let block = blocks.find(|block| block.contains("find /home"));
    let (script, _) = block
        .and_then(|block| block.split_once("attention-notebooks grade"))
        .expect("commands");
    let script = script
        .replace("sudo ", "")
        .replace("/home", &homes.display().to_string());
    let mut shell = Command::new("sh");
    shell.args(["-ec", &format!("USER=$(id -un)\n{script}")]);
    let (code, _, stderr) = finish(shell.current_dir(folder.path()));
    assert_eq!(code, 0, "{stderr}");
    let collected = folder
        .path()
        .join("handed-in")
        .join(lessons.strip_prefix("/").expect("absolute"));
    for name in wanted {
        let file = collected.join(name).metadata().expect("a notebook");
        assert_eq!(file.modified().expect("a time"), time, "{name}");
    }
    for name in others.iter().chain(&["my-lessons/05_link.ipynb"]) {
        assert!(!collected.join(name).exists(), "{name}");
    }
}
