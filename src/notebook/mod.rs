//! Notebook files: their code cells, and their outputs (nbformat 4).

mod format;

use crate::replaced_file::ReplacedFile;
use ::notebook::evaluator::{Bundle, Output, Stream};
use anyhow::{Context, Result, anyhow, bail};
use exact_json::Json;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::str;

/// A notebook of Rust cells.
pub struct Notebook {
    file: ReplacedFile,
    json: Value,
}

/// The outputs of a cell: streams and results, as stored in the file.
pub type Outputs = Vec<Value>;

impl Notebook {
    /// Reads a notebook; fails if it is not one, or is not for Rust.
    pub fn read(path: &Path) -> Result<Notebook> {
        let file = ReplacedFile::read(path).with_context(|| {
            format!(
                "{} cannot be read; `ls` shows which files exist",
                path.display()
            )
        })?;
        let json = format::read(file.contents());
        let json = json.map_err(|what| anyhow!("{} {what}", path.display()))?;
        let kernel = &json["metadata"]["kernelspec"];
        let language = kernel["language"].as_str().unwrap_or("rust");
        if !language.eq_ignore_ascii_case("rust") {
            bail!(
                "{} is for the kernel {} (language {language}), but this command runs Rust; choose the \
                 kernel \"Rust (attention)\" in JupyterLab",
                path.display(),
                kernel["name"]
            );
        }
        Ok(Notebook { file, json })
    }

    /// The path as given on the command line.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file's name without folder and extension.
    pub fn name(&self) -> String {
        self.file
            .path()
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// The folder that relative paths in the notebook start from.
    pub fn folder(&self) -> Result<PathBuf> {
        let absolute = std::path::absolute(self.file.path())?;
        Ok(absolute.parent().unwrap_or(&absolute).to_owned())
    }

    /// The code cells, in order.
    pub fn code_cells(&self) -> impl Iterator<Item = StoredCell<'_>> {
        let cells = self.json["cells"].as_array().into_iter().flatten();
        cells.filter(|cell| is_code(cell)).map(StoredCell)
    }

    /// Fails if outputs cannot be saved in its file.
    pub fn check_saving(&self) -> Result<()> {
        self.file.check_replaceable()
    }

    /// Replaces the outputs of all code cells, numbers the cells, and writes the file, leaving
    /// everything else as it was written. The old file survives if that fails, or if another
    /// program has changed it.
    pub fn save(&self, outputs: Vec<Outputs>) -> Result<()> {
        let mut json = Json::read(str::from_utf8(self.file.contents())?)?;
        let Some(Json::List(written)) = json.get_mut("cells") else {
            bail!("{} has no list of `cells`", self.file.path().display());
        };
        let cells = self.json["cells"].as_array().into_iter().flatten();
        let code_cells = cells.zip(written).filter(|(cell, _)| is_code(cell));
        for (index, ((_, cell), outputs)) in code_cells.zip(outputs).enumerate() {
            cell.set("execution_count", Json::from(&json!(index + 1)));
            cell.set("outputs", Json::from(&numbered(outputs, index + 1)));
        }
        // nbformat's layout: one space of indentation, and a final newline.
        self.file.replace((json.pretty(" ") + "\n").as_bytes())
    }
}

/// A code cell as stored in a notebook file.
pub struct StoredCell<'a>(&'a Value);

impl StoredCell<'_> {
    /// Its id in the file; empty in formats older than 4.5.
    pub fn id(&self) -> String {
        joined(&self.0["id"])
    }

    pub fn source(&self) -> String {
        joined(&self.0["source"])
    }

    /// Whether its tags say that its output varies from run to run, or in the last digits between
    /// processors.
    pub fn varies(&self) -> bool {
        let tags = self.0["metadata"]["tags"].as_array().into_iter().flatten();
        tags.into_iter()
            .any(|tag| tag == "timing" || tag == "random" || tag == "rounding")
    }

    pub fn outputs(&self) -> Outputs {
        self.0["outputs"].as_array().cloned().unwrap_or_default()
    }
}

/// Adds an output to those of a cell, as Jupyter's front ends do: text continues the last output
/// of the same stream, and an updatable output replaces the one of the same name.
pub fn add_output(outputs: &mut Outputs, output: Output) {
    match output {
        Output::Text(stream, text) => add_text(outputs, stream, &text),
        Output::Result(bundle) => outputs.push(json!({
            "output_type": "execute_result", "execution_count": null, "metadata": {},
            "data": stored(&bundle),
        })),
        Output::Display(bundle) => outputs.push(json!({
            "output_type": "display_data", "metadata": {}, "data": stored(&bundle),
        })),
        Output::Clear => outputs.clear(),
        Output::Rewritten(_) => {} // the notebook keeps its text
        Output::Updatable(name, bundle) => {
            let output = json!({
                "output_type": "display_data", "metadata": { "name": name },
                "data": stored(&bundle),
            });
            let same = |old: &&mut Value| old["metadata"]["name"] == name;
            match outputs.iter_mut().find(same) {
                Some(old) => *old = output,
                None => outputs.push(output),
            }
        }
    }
}

fn add_text(outputs: &mut Outputs, stream: Stream, text: &str) {
    let name = match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    };
    match outputs.last_mut() {
        Some(last) if last["name"] == name => {
            last["text"] = lines(&(joined(&last["text"]) + text));
        }
        _ => outputs.push(json!({ "output_type": "stream", "name": name, "text": lines(text) })),
    }
}

fn stored(bundle: &Bundle) -> Map<String, Value> {
    let form = |(mime, content): (&String, &String)| (mime.clone(), lines(content));
    bundle.iter().map(form).collect()
}

/// The outputs as a reader without pictures sees them: streams and results as text, and the MIME
/// types of a result's other forms.
pub fn text_of(outputs: &Outputs) -> String {
    let mut text = String::new();
    for output in outputs {
        text += &joined(&output["text"]);
        let Some(data) = output["data"].as_object() else {
            continue;
        };
        text += &joined(&data.get("text/plain").cloned().unwrap_or_default());
        let mut others: Vec<&str> = data.keys().map(String::as_str).collect();
        others.retain(|mime| *mime != "text/plain");
        others.sort_unstable();
        text += &format!("\n{}\n", others.join(" "));
    }
    text
}

fn is_code(cell: &Value) -> bool {
    cell["cell_type"] == "code"
}

fn numbered(mut outputs: Outputs, number: usize) -> Value {
    for output in &mut outputs {
        if output["output_type"] == "execute_result" {
            output["execution_count"] = json!(number);
        }
    }
    Value::Array(outputs)
}

/// Text in the form that notebook files use: a list of lines, each with its line break.
fn lines(text: &str) -> Value {
    text.split_inclusive('\n').collect()
}

/// The text of a list of lines, or of a plain string.
pub fn joined(lines: &Value) -> String {
    match lines {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn bundle(text: &str) -> Bundle {
        [("text/plain".to_owned(), text.to_owned())].into()
    }

    #[test]
    fn text_goes_on_where_the_same_stream_was_last() {
        let mut outputs = Outputs::new();
        for (stream, text) in [
            (Stream::Stdout, "a"),
            (Stream::Stdout, "b\n"),
            (Stream::Stderr, "c"),
            (Stream::Stdout, "d"),
        ] {
            add_output(&mut outputs, Output::Text(stream, text.to_owned()));
        }
        let texts: Vec<_> = outputs
            .iter()
            .map(|output| (output["name"].as_str(), joined(&output["text"])))
            .collect();
        let stream = |name, text: &str| (Some(name), text.to_owned());
        let expected = [
            stream("stdout", "ab\n"),
            stream("stderr", "c"),
            stream("stdout", "d"),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_bar_replaces_the_one_of_its_name_and_what_is_cleared_is_gone() {
        let mut outputs = Outputs::new();
        add_output(&mut outputs, Output::Display(bundle("cleared")));
        add_output(&mut outputs, Output::Clear);
        for (name, text) in [("one", "1 of 2"), ("two", "1 of 9"), ("one", "2 of 2")] {
            add_output(
                &mut outputs,
                Output::Updatable(name.to_owned(), bundle(text)),
            );
        }
        add_output(&mut outputs, Output::Result(bundle("5")));
        assert_eq!(text_of(&outputs), "2 of 2\n\n1 of 9\n\n5\n\n");
        assert_eq!(outputs[2]["output_type"], "execute_result");
    }

    #[test]
    fn cells_that_are_drawn_at_random_or_take_time_vary() {
        let varies = |tags: Value| {
            let cell = json!({ "metadata": { "tags": tags } });
            StoredCell(&cell).varies()
        };
        assert!(varies(json!(["timing"])) && varies(json!(["slow", "random"])));
        assert!(!varies(json!(["slow"])) && !varies(Value::Null));
    }

    #[test]
    fn a_notebook_is_saved_with_cells_numbered_from_one() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.ipynb");
        let cell = json!({ "cell_type": "code", "source": "1", "outputs": [] });
        let text = json!({ "nbformat": 4, "metadata": {}, "cells": [cell, cell] }).to_string();
        fs::write(&path, &text)?;
        let mut outputs = Outputs::new();
        add_output(&mut outputs, Output::Result(bundle("1")));
        Notebook::read(&path)?.save(vec![Outputs::new(), outputs])?;
        let saved: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        assert_eq!(saved["cells"][0]["execution_count"], 1);
        assert_eq!(saved["cells"][1]["outputs"][0]["execution_count"], 2);
        Ok(())
    }

    #[test]
    fn what_is_not_ours_stays_as_it_was_written() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.ipynb");
        let text = |outputs: &str| {
            format!(
                r#"{{
 "nbformat": 4,
 "metadata": {{
  "exact": 0.1000000000000000055,
  "long": 123456789012345678901234567890,
  "twice": 1,
  "twice": 2
 }},
 "cells": [
  {{
   "cell_type": "markdown",
   "source": "\u00e4",
   "outputs": 1.0
  }},
  {{
   "source": "1",
   "cell_type": "code",
   {outputs}
   "metadata": {{
    "note": 1.50e-7
   }}
  }}
 ],
 "nbformat_minor": 5
}}
"#
            )
        };
        let old = "\"outputs\": [7],\n   \"execution_count\": null,";
        fs::write(&path, text(old))?;
        Notebook::read(&path)?.save(vec![Outputs::new()])?;
        let new = "\"outputs\": [],\n   \"execution_count\": 1,";
        assert_eq!(fs::read_to_string(&path)?, text(new));
        Ok(())
    }

    #[test]
    fn the_lessons_are_written_as_they_are_stored() -> Result<()> {
        let lessons = crate::project::lessons()?;
        assert!(!lessons.is_empty());
        for lesson in lessons {
            let text = fs::read_to_string(&lesson)?;
            let written = Json::read(&text)?.pretty(" ") + "\n";
            assert!(written == text, "{}", lesson.display());
        }
        Ok(())
    }
}
