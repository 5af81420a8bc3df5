//! Turns a published lesson into a learner's copy to work in, and one to read.

use crate::notebook::joined;
use anyhow::{Context, Result};
use exact_json::Json;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, mem, str};

/// The id of the cell with the note at the top of a copy.
pub const NOTE: &str = "your-copy";

/// The beginning of the note if there is a newer version.
pub const NEWER: &str = "**There is [a newer version](";

/// A lesson to work in, without the outputs that learners predict. A note says that it is a copy
/// and where the published lesson is.
pub fn copied(lesson: &Path, published: &str) -> Result<String> {
    let mut notebook = read(lesson)?;
    let cells = cells(&mut notebook, lesson)?;
    hide_predicted(cells);
    begin_with(&note(published, None), cells);
    written(&notebook)
}

/// Deletes the first output after each prediction, so that learners predict before they see it.
/// Exercises in between keep theirs, which gives nothing away.
fn hide_predicted(cells: &mut [Value]) {
    let mut is_predicted = false;
    let code = cells.iter_mut().filter(|cell| cell["cell_type"] == "code");
    for cell in code {
        let source = joined(&cell["source"]);
        let has_output = cell["outputs"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        if source.contains("predict::") {
            is_predicted = true;
        } else if is_predicted && has_output && !source.contains("check::") {
            is_predicted = false;
            cell["outputs"] = json!([]);
            cell["execution_count"] = Value::Null;
        }
    }
}

/// The text of the note, with links to the published lesson and a newer version.
pub fn note(published: &str, newer: Option<&str>) -> String {
    let newer = newer.map_or_else(String::new, |newer| {
        format!("{NEWER}{newer}) of this lesson.** ")
    });
    format!(
        "{newer}*This copy is yours: what you write in it is never overwritten.* [The \
         original]({published}) is a click away, and `:fresh` in a cell puts a fresh copy next to this one."
    )
}

/// The same notebook with a different note and no other change; `None` if it is not a notebook.
pub fn with_note(notebook: &[u8], note: &str) -> Option<String> {
    let mut notebook = Json::read(str::from_utf8(notebook).ok()?).ok()?;
    let Some(Json::List(cells)) = notebook.get_mut("cells") else {
        return None;
    };
    let is_note = |cell: &mut Json| cell.get_mut("id") == Some(&mut Json::from(&NOTE.into()));
    match cells.iter_mut().position(is_note) {
        Some(at) => cells[at].set("source", Json::from(&json!([note]))),
        None => cells.insert(0, Json::from(&note_cell(note))),
    }
    Some(notebook.pretty(" ") + "\n")
}

/// A lesson to read, as published, with a note at the top, and with cells that cannot be changed.
pub fn published(lesson: &Path, copy: &str) -> Result<String> {
    let mut notebook = read(lesson)?;
    let cells = cells(&mut notebook, lesson)?;
    let note = format!(
        "*This is the original, to look at: its cells cannot be changed.* You work in \
         [your copy]({copy})."
    );
    begin_with(&note, cells);
    for cell in cells {
        cell["metadata"]["editable"] = false.into();
        cell["metadata"]["deletable"] = false.into();
    }
    written(&notebook)
}

/// The notebook `name` for another folder: its links to lessons lead to `lessons`, a folder beside
/// that one.
pub fn linked_to(lessons: &str, name: &Path, notebook: &str) -> Result<String> {
    let mut notebook: Value = serde_json::from_str(notebook)?;
    let cells = notebook["cells"].as_array_mut().into_iter().flatten();
    for cell in cells.filter(|cell| cell["cell_type"] == "markdown") {
        let lines = match &mut cell["source"] {
            Value::Array(lines) => lines.iter_mut().collect(),
            text => vec![text],
        };
        for line in lines {
            if let Value::String(text) = line {
                *text = with_links_to(lessons, name, &mem::take(text));
            }
        }
    }
    written(&notebook)
}

fn with_links_to(lessons: &str, name: &Path, markdown: &str) -> String {
    let up = "../".repeat(name.components().count());
    let mut parts = markdown.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += "](";
        let (target, rest) = part.split_at(part.find(')').unwrap_or(0));
        match linked_lesson(name, target) {
            Some(lesson) => text += &format!("{up}{lessons}/{lesson}{rest}"),
            None => text += part,
        }
    }
    text
}

/// The notebook in the folder of the lessons to which a link in the notebook `name` leads.
fn linked_lesson(name: &Path, target: &str) -> Option<String> {
    if !target.ends_with(".ipynb") || target.starts_with('/') || target.contains(':') {
        return None;
    }
    let mut folders: Vec<&str> = name.parent()?.iter().filter_map(OsStr::to_str).collect();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()?),
            part => folders.push(part),
        }
    }
    Some(folders.join("/"))
}

/// The file name of the published lesson. It differs from the copy's, because a JupyterLab tab shows
/// only the file name.
pub fn name_of_published(name: &Path) -> PathBuf {
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    name.with_file_name(format!("{stem}_original.ipynb"))
}

fn read(lesson: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(lesson).with_context(|| format!("cannot read {}", lesson.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a notebook", lesson.display()))
}

fn cells<'a>(notebook: &'a mut Value, lesson: &Path) -> Result<&'a mut Vec<Value>> {
    let cells = notebook["cells"].as_array_mut();
    cells.with_context(|| format!("{} has no cells", lesson.display()))
}

fn begin_with(note: &str, cells: &mut Vec<Value>) {
    cells.insert(0, note_cell(note));
}

fn note_cell(note: &str) -> Value {
    json!({"cell_type": "markdown", "id": NOTE, "metadata": {}, "source": [note]})
}

/// The text of a notebook file, in nbformat's layout.
fn written(notebook: &Value) -> Result<String> {
    let mut text = Vec::new();
    let indented = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, indented);
    serde::Serialize::serialize(notebook, &mut serializer)?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prediction_is_about_is_not_shown_before_it() {
        let cell = |source: &str, output: &[&str]| json!({"cell_type": "code", "source": [source], "outputs": output});
        let mut cells = [
            cell("1", &["shown"]),
            cell("predict::loss(\"?\")", &["asked"]),
            cell("fn mine() {}\ncheck::mine(mine)", &["not attempted"]),
            json!({"cell_type": "markdown", "source": "Now try:"}),
            cell("fn loss() {}", &[]),
            cell("loss()", &["0.5"]),
            cell("loss() + 1", &["1.5"]),
        ];
        hide_predicted(&mut cells);
        let shown = cells.map(|cell| cell["outputs"][0].as_str().unwrap_or_default().to_owned());
        assert_eq!(
            shown,
            ["shown", "asked", "not attempted", "", "", "", "1.5"]
        );
    }

    #[test]
    fn links_to_lessons_beside_lead_to_another_folder() {
        let text = "[next](02.ipynb), [errata](errata/01.ipynb) ![a](../assets/a.svg)\n\
                    [b](https://b.org/c.ipynb) [d](../01.ipynb) [e](#part)";
        let expected = "[next](../mine/02.ipynb), [errata](../mine/errata/01.ipynb) \
                        ![a](../assets/a.svg)\n[b](https://b.org/c.ipynb) [d](../01.ipynb) [e](#part)";
        let linked = |name: &str, text| with_links_to("mine", Path::new(name), text);
        assert_eq!(linked("01.ipynb", text), expected);
        // A page of errata is one folder deeper.
        let text = "[lesson](../01.ipynb), [beside](02.ipynb) [copy](../../mine/errata/01.ipynb)";
        let expected = "[lesson](../../mine/01.ipynb), [beside](../../mine/errata/02.ipynb) \
                        [copy](../../mine/errata/01.ipynb)";
        assert_eq!(linked("errata/01.ipynb", text), expected);
    }
}
