//! Completion and documentation with the project's own prebuilt crates, compared with the answers of
//! the evcxr kernel at the same places: `tests/kernel/places.json` in the project's folder.
//!
//! A completion passes if all names among the first twenty recorded texts are found; a description,
//! if the first words of its first three paragraphs are. Exceptions are listed in the file, each
//! with its reason.

use cell_evaluator::assist::{Assistant, Library, NotebookCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a query may take while other programs are running. On an idle machine it takes
/// milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// The recording, and an assistant for the same notebook.
struct Notebook {
    today: Value,
    around: NotebookCode,
    library: Arc<Library>,
    assistant: Assistant,
    _folder: TempDir,
}

impl Notebook {
    fn new() -> Notebook {
        let path = project().join("tests/kernel/places.json");
        let today = std::fs::read_to_string(path).expect("what was recorded");
        let today: Value = serde_json::from_str(&today).expect("JSON");
        let around = &today["around"];
        let variables = list(&around["variables"]).iter();
        let around = NotebookCode {
            imports: text(&around["imports"]).to_owned(),
            definitions: text(&around["definitions"]).to_owned(),
            variables: variables
                .map(|pair| (text(&pair[0]).to_owned(), text(&pair[1]).to_owned()))
                .collect(),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let library = Arc::new(library(&today));
        let sysroot = output("rustc", &["--print", "sysroot"]);
        let sysroot = Path::new(sysroot.trim());
        Notebook {
            today,
            around,
            assistant: Assistant::new(folder.path(), sysroot, Arc::clone(&library))
                .waiting_for(PATIENCE),
            library,
            _folder: folder,
        }
    }

    /// The expected texts that are missing at a place.
    fn missing(&mut self, recorded: &Value) -> BTreeSet<String> {
        let code = text(&recorded["code"]);
        let (before, after) = code.split_once('‸').expect("a cursor");
        let (cell, place) = (format!("{before}{after}"), before.len());
        let mut missing: BTreeSet<String> = match text(&recorded["ask"]) {
            "complete" => {
                let found = self.assistant.complete(&self.around, &cell, place);
                let names: BTreeSet<&str> = found.texts.iter().map(|one| name(&one.text)).collect();
                let recorded = list(&recorded["texts"]).iter().take(20);
                recorded
                    .map(|one| name(text(one)))
                    .filter(|one| !names.contains(one))
                    .map(str::to_owned)
                    .collect()
            }
            _ => {
                let found = self.assistant.inspect(&self.around, &cell, place);
                let found = found.map(|one| words(&one.text)).unwrap_or_default();
                let recorded = recorded["text"].as_str().unwrap_or_default();
                let paragraphs = recorded.split("\n\n").filter(|one| !one.trim().is_empty());
                let paragraphs = paragraphs.filter(|one| !one.starts_with("ctx")).take(3);
                paragraphs
                    .map(|one| words(one).chars().take(40).collect::<String>())
                    .map(|one| one.trim_end_matches("{ /* … */ }").to_owned())
                    .filter(|one| !found.contains(one.as_str()))
                    .collect()
            }
        };
        for exception in list(&self.today["exceptions"]) {
            if exception["about"] == recorded["about"] {
                let texts = list(&exception["texts"]);
                missing.retain(|one| !texts.is_empty() && !texts.iter().any(|text| text == one));
            }
        }
        missing
    }
}

#[test]
fn rust_analyzer_answers_at_least_what_evcxr_did() {
    let mut notebook = Notebook::new();
    let has_program = Command::new("rust-analyzer").arg("--version").output();
    if !has_program.is_ok_and(|output| output.status.success()) {
        let mut variables = std::env::vars();
        let is_required =
            variables.any(|(name, value)| name.ends_with("_RUST_ANALYZER") && value == "required");
        assert!(!is_required, "rust-analyzer is not installed");
        eprintln!("rust-analyzer is not installed: only the index was tried");
        return;
    }
    notebook.assistant.warm_up(&notebook.around);
    let began = Instant::now();
    while !notebook.assistant.is_ready() {
        assert!(began.elapsed() < Duration::from_secs(300), "not ready");
        sleep(Duration::from_millis(10));
    }
    println!("ready after {:?}, resident {}", began.elapsed(), resident());
    let places = list(&notebook.today["places"]).clone();
    assert!(places.len() > 60);
    let mut failed = Vec::new();
    for recorded in &places {
        let began = Instant::now();
        let missing = notebook.missing(recorded);
        println!("{:?} {}", began.elapsed(), recorded["about"]);
        if !missing.is_empty() {
            failed.push((text(&recorded["about"]), missing));
        }
    }
    println!("at the end, resident {}", resident());
    assert_eq!(failed, []);
}

/// Without rust-analyzer: the completions that a learner needs most.
#[test]
fn the_index_knows_the_prebuilt_crates_and_the_notebook() {
    let notebook = Notebook::new();
    let library = &notebook.library;
    let around = &notebook.around;
    let expected = &notebook.today["index"];
    for pair in list(&expected["complete"]) {
        let cell = text(&pair[0]);
        let found = library.complete(around, cell, cell.len());
        let first = found.texts.first().map(|one| one.text.as_str());
        assert_eq!(first, pair[1].as_str(), "{cell}");
    }
    for pair in list(&expected["inspect"]) {
        let cell = text(&pair[0]);
        let found = library.inspect(around, cell, cell.len());
        let found = found.map(|one| one.text).unwrap_or_default();
        assert!(found.contains(text(&pair[1])), "{cell}: {found}");
    }
    assert_eq!(library.inspect(around, "unknown", 3), None);
}

fn library(today: &Value) -> Library {
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let arguments = ["metadata", "--format-version=1", "--filter-platform"];
    let arguments = [&arguments[..], &[host.expect("a host")]].concat();
    let metadata = output("cargo", &arguments);
    let metadata: Value = serde_json::from_str(&metadata).expect("metadata");
    let packages = list(&metadata["packages"]);
    let named = list(&today["crates"]).iter().map(|name| {
        let package = packages.iter().find(|one| one["name"] == *name);
        let version = text(&package.expect("a package")["version"]).to_owned();
        (text(name), (text(name), version))
    });
    let named: BTreeMap<&str, (&str, String)> = named.collect();
    let began = Instant::now();
    let library = Library::new(&metadata, &named);
    println!("library made in {:?}", began.elapsed());
    library
}

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

/// The memory (in KiB) and the CPU time of each running rust-analyzer.
fn resident() -> String {
    output("ps", &["-C", "rust-analyzer", "-o", "rss=,cputime="])
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The name at the start of `text`.
fn name(text: &str) -> &str {
    let end = text.find(|one: char| !one.is_alphanumeric() && one != '_');
    &text[..end.unwrap_or(text.len())]
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
