//! A learner changes numbers, words, seeds and sizes: each lesson still runs to its end, or
//! fails with a message about the change. The changes are listed in `playing.toml`.

use crate::common::{finish, program, project, read_json, two_at_a_time, write_json};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// One run of a lesson.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    /// For each change: the cell, the old text and the new text.
    changes: Vec<(String, String, String)>,
    /// The cell that fails, and part of its message.
    fails: Option<(String, String)>,
}

#[test]
fn a_lesson_runs_with_whatever_a_learner_puts_in_or_says_what_is_wrong_with_it() {
    let text = include_str!("playing.toml");
    let lessons: BTreeMap<String, Vec<Run>> = toml::from_str(text).expect("a list of runs");
    let mut runs = Vec::new();
    for (lesson, of_lesson) in &lessons {
        runs.extend(of_lesson.iter().map(|run| (lesson, run)));
    }
    let wrong = Mutex::new(Vec::new());
    two_at_a_time(&runs, |(lesson, run)| {
        let stored = project().join("notebooks").join(format!("{lesson}.ipynb"));
        if let Err(message) = play(&stored, run) {
            let mut wrong = wrong.lock().expect("no panic");
            wrong.push(format!("{lesson}, {}: {message}", run.name));
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs a changed copy of a lesson.
fn play(stored: &Path, run: &Run) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut notebook = read_json(stored);
    for (id, old, new) in &run.changes {
        let source = source_of(&mut notebook, id)?;
        if source.matches(old).count() != 1 {
            return Err(format!("{id} does not have {old:?} once:\n{source}"));
        }
        let changed = source.replace(old, new);
        set_source(&mut notebook, id, changed);
    }
    // The paths to the crate and the text are relative to the lessons: makes them absolute.
    let root = format!("\"{}/", project().display());
    for cell in code_cells(&mut notebook) {
        let source = lines_of(cell).replace("\"../", &root);
        cell["source"] = source.into();
    }
    let copy = write_json(folder.path(), "played.ipynb", &notebook);
    let (code, stdout, stderr) = finish(program().arg("run").arg(&copy));
    match &run.fails {
        None if code == 0 => Ok(()),
        Some((id, message)) if code == 1 => {
            let number = code_cells(&mut notebook).position(|cell| cell["id"] == **id);
            let place = format!("FAILED at cell {}\n", number.map_or(0, |n| n + 1));
            let is_right = stdout.contains(&place) && stdout.contains(message);
            is_right.then_some(()).ok_or(stdout)
        }
        _ => Err(format!("{stdout}{stderr}")),
    }
}

fn code_cells(notebook: &mut Value) -> impl Iterator<Item = &mut Value> {
    let cells = notebook["cells"].as_array_mut().expect("cells");
    cells.iter_mut().filter(|cell| cell["cell_type"] == "code")
}

fn source_of(notebook: &mut Value, id: &str) -> Result<String, String> {
    let cell = code_cells(notebook).find(|cell| cell["id"] == id);
    let cell = cell.ok_or_else(|| format!("there is no cell {id}"))?;
    Ok(lines_of(cell))
}

fn lines_of(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

fn set_source(notebook: &mut Value, id: &str, source: String) {
    if let Some(cell) = code_cells(notebook).find(|cell| cell["id"] == id) {
        cell["source"] = source.into();
    }
}
