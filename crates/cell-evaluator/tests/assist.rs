//! Completion and documentation with the project's own helper crates, against what the kernel on
//! evcxr answered at the same places: `tests/assist/today.json` in the project's folder.

use cell_evaluator::assist::{Assistant, Completion, Library, Surroundings};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(project())
        .output()
        .expect(program);
    String::from_utf8(output.stdout).expect("a text")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn today() -> Value {
    let path = project().join("tests/assist/today.json");
    let today = std::fs::read_to_string(path).expect("what was recorded");
    serde_json::from_str(&today).expect("JSON")
}

fn library(today: &Value) -> Library {
    let metadata = output(
        "cargo",
        &["metadata", "--format-version=1", "--filter-platform", "x86_64-unknown-linux-gnu"],
    );
    let metadata = serde_json::from_str(&metadata).expect("metadata");
    let names: Vec<String> = today["crates"].as_array().expect("names").iter().map(text).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Library::new(&metadata, &names)
}

fn surroundings(today: &Value) -> Surroundings {
    let around = &today["around"];
    let variables = around["variables"].as_array().expect("variables").iter();
    Surroundings {
        imports: text(&around["imports"]),
        definitions: text(&around["definitions"]),
        variables: variables.map(|pair| (text(&pair[0]), text(&pair[1]))).collect(),
    }
}

/// The code of a place, and the byte of the cursor in it.
fn place(recorded: &Value) -> (String, usize) {
    let code = text(&recorded["code"]);
    let (before, after) = code.split_once('‸').expect("a cursor");
    (format!("{before}{after}"), before.len())
}

#[test]
fn rust_analyzer_answers_at_least_what_evcxr_did() {
    let today = today();
    let began = Instant::now();
    let library = library(&today);
    println!("library made in {:?}", began.elapsed());
    let around = surroundings(&today);
    let folder = tempfile::tempdir().expect("a folder");
    let sysroot = output("rustc", &["--print", "sysroot"]);
    let word = |text: &str| Completion { text: text.to_owned(), kind: "command" };
    let words = vec![word(":dep"), word(":doc"), word(":vars")];
    let mut assistant = Assistant::new(folder.path(), Path::new(sysroot.trim()), library, words);
    assistant.warm_up(&around);
    let began = Instant::now();
    while !assistant.is_ready() {
        assert!(began.elapsed() < Duration::from_secs(120), "not ready");
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("ready after {:?}", began.elapsed());
    println!("{}", output("ps", &["-C", "rust-analyzer", "-o", "rss,cputime,ni"]));
    let mut missing = Vec::new();
    for recorded in today["places"].as_array().expect("places") {
        let (code, cursor) = place(recorded);
        let about = text(&recorded["about"]);
        let began = Instant::now();
        if recorded["ask"] == "complete" {
            let found = assistant.complete(&around, &code, cursor);
            let took = began.elapsed();
            let names: BTreeSet<&str> = found.texts.iter().map(|one| name(&one.text)).collect();
            let wanted = recorded["texts"].as_array().expect("texts").iter().take(20);
            let absent: Vec<&str> = wanted
                .map(|one| name(one.as_str().expect("a text")))
                .filter(|one| !names.contains(one))
                .collect();
            let first: Vec<&str> = found.texts.iter().take(6).map(|one| one.text.as_str()).collect();
            println!("{about}: {took:?} {} of {} {first:?} {:?}; absent {absent:?}", found.texts.len(), recorded["count"], &code[found.start..found.end]);
            missing.extend(absent.into_iter().map(|one| (about.clone(), one.to_owned())));
        } else {
            let found = assistant.inspect(&around, &code, cursor);
            println!("{about}: {:?} {:.300?}\n   TODAY {:.300?}", began.elapsed(), found.map(|one| one.text), recorded.get("text"));
        }
    }
    println!("{}", output("ps", &["-C", "rust-analyzer", "-o", "rss,cputime,ni"]));
    assert_eq!(missing, []);
}

/// The name in a text, without what is written after it.
fn name(text: &str) -> &str {
    let end = text.find(|one: char| !one.is_alphanumeric() && !"_:".contains(one));
    &text[..end.unwrap_or(text.len())].trim_end_matches(':')
}
