//! Notebook files: their code cells, and their outputs (nbformat 4).

use crate::replaced_file::ReplacedFile;
use anyhow::{Context, Result, anyhow, bail};
use notebook_kernel::{Bundle, Output, Stream};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A notebook of Rust cells.
pub struct Notebook {
    file: ReplacedFile,
    json: Value,
}

/// What a cell showed: streams and results, as the file stores them.
pub type Outputs = Vec<Value>;

impl Notebook {
    /// Reads a notebook; fails if it is none, or none for Rust.
    pub fn read(path: &Path) -> Result<Notebook> {
        let file = ReplacedFile::read(path).with_context(|| {
            format!(
                "{} cannot be read; `ls` shows what is there",
                path.display()
            )
        })?;
        if file.contents().trim_ascii().is_empty() {
            bail!(
                "{} is empty, and a notebook is not; get it anew with git, or make one in JupyterLab",
                path.display()
            );
        }
        let json: Value = serde_json::from_slice(file.contents()).with_context(|| {
            format!("{} is not a notebook: it is not JSON; open it in an editor, or get it anew with git", path.display())
        })?;
        check_format(&json).map_err(|what| anyhow!("{} {what}", path.display()))?;
        let kernel = &json["metadata"]["kernelspec"];
        let language = kernel["language"].as_str().unwrap_or("rust");
        if !language.eq_ignore_ascii_case("rust") {
            bail!(
                "{} is for the kernel {} (language {language}), and this command runs Rust; choose the \
                 kernel \"Rust (attention)\" in JupyterLab",
                path.display(),
                kernel["name"]
            );
        }
        Ok(Notebook { file, json })
    }

    /// The file's name without folder and ending.
    pub fn name(&self) -> String {
        self.file
            .path()
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// The folder that the notebook's relative paths start from.
    pub fn folder(&self) -> Result<PathBuf> {
        let absolute = std::path::absolute(self.file.path())?;
        Ok(absolute.parent().unwrap_or(&absolute).to_owned())
    }

    /// The code cells, in order.
    pub fn code_cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let cells = self.json["cells"].as_array().into_iter().flatten();
        cells.filter(|cell| is_code(cell)).map(Cell)
    }

    /// Fails if outputs cannot be saved in its file.
    pub fn check_saving(&self) -> Result<()> {
        self.file.check_replaceable()
    }

    /// Replaces the outputs of all code cells and numbers them, then writes the
    /// file; the old file stays if that fails, or if somebody else has changed it.
    pub fn save(&mut self, outputs: Vec<Outputs>) -> Result<()> {
        let cells = self.json["cells"].as_array_mut().into_iter().flatten();
        let code_cells = cells.filter(|cell| is_code(cell));
        for (index, (cell, outputs)) in code_cells.zip(outputs).enumerate() {
            cell["execution_count"] = json!(index + 1);
            cell["outputs"] = numbered(outputs, index + 1);
        }
        // As nbformat writes it: one space of indentation, a newline at the end.
        let mut text = Vec::new();
        let indented = serde_json::ser::PrettyFormatter::with_indent(b" ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, indented);
        serde::Serialize::serialize(&self.json, &mut serializer)?;
        text.push(b'\n');
        self.file.replace(&text)
    }
}

/// A code cell of a notebook.
pub struct Cell<'a>(&'a Value);

impl Cell<'_> {
    /// Its name in the file; empty in files older than format 4.5.
    pub fn id(&self) -> String {
        joined(&self.0["id"])
    }

    pub fn source(&self) -> String {
        joined(&self.0["source"])
    }

    /// Whether its output differs from run to run, or in the last digits from processor to
    /// processor, as its tags say.
    pub fn varies(&self) -> bool {
        let tags = self.0["metadata"]["tags"].as_array().into_iter().flatten();
        tags.into_iter()
            .any(|tag| tag == "timing" || tag == "random" || tag == "rounding")
    }

    pub fn outputs(&self) -> Outputs {
        self.0["outputs"].as_array().cloned().unwrap_or_default()
    }
}

/// Adds an output to those of a cell, as Jupyter's front ends do: text goes on
/// where the same stream was last, an updatable output replaces the one of its name.
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

/// What a reader without pictures sees: the streams and the results as text,
/// and which other forms a result has.
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

/// Says what is wrong with the JSON of a notebook.
fn check_format(json: &Value) -> Result<(), String> {
    if !json.is_object() {
        let kind = kind(json);
        return Err(format!(
            "is not a notebook: its JSON is {kind} in place of an object"
        ));
    }
    match &json["nbformat"] {
        format if format.as_f64() == Some(4.0) => {}
        format if format.as_f64() > Some(4.0) => {
            return Err(format!(
                "is a notebook of a newer format: `nbformat` is {format}, and this command knows 4"
            ));
        }
        Value::Null => {
            return Err("is not a notebook: it does not say its format, `nbformat`".to_owned());
        }
        format => {
            return Err(format!(
                "is not a notebook of format 4: `nbformat` is {format}; open and save it in \
                 JupyterLab"
            ));
        }
    }
    let Some(cells) = json["cells"].as_array() else {
        return Err("is not a notebook: it has no list of `cells`".to_owned());
    };
    for (index, cell) in cells.iter().enumerate() {
        let missing = match cell {
            cell if !cell["cell_type"].is_string() => "`cell_type`",
            cell if !is_text(&cell["source"]) => "`source`",
            _ => continue,
        };
        let number = index + 1;
        return Err(format!("is not a notebook: cell {number} has no {missing}"));
    }
    Ok(())
}

/// Whether a value is a text as notebook files hold it.
fn is_text(value: &Value) -> bool {
    match value {
        Value::Array(lines) => lines.iter().all(Value::is_string),
        value => value.is_string(),
    }
}

/// What a value is called.
fn kind(json: &Value) -> &'static str {
    match json {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
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

/// A text as notebook files hold it: a list of lines, each with its end.
fn lines(text: &str) -> Value {
    text.split_inclusive('\n').collect()
}

/// The text of a list of lines, or of a plain string.
fn joined(lines: &Value) -> String {
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
            Cell(&cell).varies()
        };
        assert!(varies(json!(["timing"])) && varies(json!(["slow", "random"])));
        assert!(!varies(json!(["slow"])) && !varies(Value::Null));
    }

    #[test]
    fn what_is_wrong_with_a_notebook_is_said() {
        let wrong = |json: Value| check_format(&json).expect_err("no notebook");
        let no_list = "is not a notebook: it has no list of `cells`";
        assert_eq!(wrong(json!({ "nbformat": 4, "cells": {} })), no_list);
        assert_eq!(wrong(json!({ "nbformat": 4 })), no_list);
        let no_format = "is not a notebook: it does not say its format, `nbformat`";
        assert_eq!(wrong(json!({ "cells": {} })), no_format);
        let list = "is not a notebook: its JSON is a list in place of an object";
        assert_eq!(wrong(json!([])), list);
        let text =
            "is not a notebook of format 4: `nbformat` is \"4\"; open and save it in JupyterLab";
        assert_eq!(wrong(json!({ "nbformat": "4", "cells": [] })), text);
        let newer = "is a notebook of a newer format: `nbformat` is 5, and this command knows 4";
        assert_eq!(wrong(json!({ "nbformat": 5, "cells": [] })), newer);
        let of_cell = |cell: Value| wrong(json!({ "nbformat": 4, "cells": [cell] }));
        for no_cell in [json!(1), json!({}), json!({ "cell_type": 3, "source": "" })] {
            assert_eq!(
                of_cell(no_cell),
                "is not a notebook: cell 1 has no `cell_type`"
            );
        }
        let no_source = "is not a notebook: cell 1 has no `source`";
        assert_eq!(of_cell(json!({ "cell_type": "code" })), no_source);
        let number = json!({ "cell_type": "code", "source": ["1", 2] });
        assert_eq!(of_cell(number), no_source);
        for format in [json!(4), json!(4.0)] {
            let lines = json!({ "cell_type": "code", "source": ["1\n", "2"] });
            let notebook = json!({ "nbformat": format, "cells": [lines] });
            assert_eq!(check_format(&notebook), Ok(()));
        }
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
}
