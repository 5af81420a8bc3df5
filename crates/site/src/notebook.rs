//! The parts of a notebook file that a page shows.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A notebook's cells, its name, and its folder in `notebooks`: empty, or with a slash at its end.
pub struct Notebook {
    pub folder: &'static str,
    pub name: String,
    pub cells: Vec<Cell>,
}

/// A cell, with its id.
pub enum Cell {
    Text(String),
    Code {
        id: String,
        source: String,
        outputs: Vec<Output>,
    },
}

/// A stored output.
pub enum Output {
    /// Printed text, or a value without any other form.
    Plain(String),
    Html(String),
}

impl Notebook {
    /// The notebooks in a folder of the project's `notebooks`, in the order of their names.
    pub fn read_all(project: &Path, folder: &'static str) -> Result<Vec<Notebook>> {
        let path = project.join("notebooks").join(folder);
        let entries = fs::read_dir(&path).with_context(|| format!("{}", path.display()))?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
        paths.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ipynb")
        });
        paths.sort();
        let read = |path: &PathBuf| Notebook::read(folder, path);
        paths.iter().map(read).collect()
    }

    fn read(folder: &'static str, path: &Path) -> Result<Notebook> {
        let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
        let json: Value =
            serde_json::from_str(&text).with_context(|| format!("{}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Notebook {
            folder,
            name: name.into_owned(),
            cells: list(&json["cells"]).filter_map(cell).collect(),
        })
    }

    /// Its path in `notebooks`, without the extension.
    pub fn path(&self) -> String {
        format!("{}{}", self.folder, self.name)
    }
}

fn cell(cell: &Value) -> Option<Cell> {
    match cell["cell_type"].as_str()? {
        "markdown" => Some(Cell::Text(joined(&cell["source"]))),
        "code" => Some(Cell::Code {
            id: joined(&cell["id"]),
            source: joined(&cell["source"]),
            outputs: list(&cell["outputs"]).map(output).collect(),
        }),
        _ => None,
    }
}

fn output(output: &Value) -> Output {
    let html = joined(&output["data"]["text/html"]);
    if !html.is_empty() {
        return Output::Html(html);
    }
    let forms = [
        &output["text"],
        &output["data"]["text/plain"],
        &output["evalue"],
    ];
    let texts = forms.map(joined);
    Output::Plain(
        texts
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    )
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text of a field that may be stored as a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        lines => list(lines).filter_map(Value::as_str).collect(),
    }
}
