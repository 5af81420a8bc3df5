//! A notebook that Jupyter executes.

use super::{project, python, read_json};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::{TempDir, tempdir};

/// A running Jupyter execution of a notebook. All files, including Jupyter's own, are in `folder`.
pub struct Execution {
    pub folder: TempDir,
    pub python: Child,
}

impl Execution {
    /// Starts executing a notebook, in its own folder and with this project's kernel.
    pub fn start(notebook: &Path) -> Execution {
        Execution::start_by(Command::new(python()), "attention", notebook)
    }

    /// Like [`Execution::start`], but with another Python command and any kernel that it can find.
    pub fn start_by(mut command: Command, kernel: &str, notebook: &Path) -> Execution {
        let folder = tempdir().expect("a folder");
        command
            .arg(project().join("tests/integration/execute.py"))
            .arg(notebook)
            .arg(folder.path().join("executed"))
            .arg(kernel);
        for own in [
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
        ] {
            command.env(own, folder.path().join(own));
        }
        let python = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Execution {
            folder,
            python: python.expect("Python starts"),
        }
    }

    /// Waits for the execution, and returns the outputs of each code cell.
    #[track_caller]
    pub fn outputs(self) -> Vec<Vec<Value>> {
        let output = self.python.wait_with_output().expect("Python ends");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let executed = read_json(&self.folder.path().join("executed"));
        let outputs = |cell: Value| cell["outputs"].as_array().expect("outputs").clone();
        code_cells(&executed).into_iter().map(outputs).collect()
    }
}

pub fn code_cells(notebook: &Value) -> Vec<Value> {
    let cells = notebook["cells"].as_array().expect("cells");
    cells
        .iter()
        .filter(|cell| cell["cell_type"] == "code")
        .cloned()
        .collect()
}

/// The text of outputs, without progress, which is on standard error.
fn said(outputs: &[Value]) -> String {
    let of_output = |output: &Value| match output["name"].as_str() {
        Some("stderr") => String::new(),
        Some(_) => text(&output["text"]),
        None => text(&output["data"]["text/plain"]) + "\n",
    };
    outputs.iter().map(of_output).collect()
}

/// Text from a notebook file, stored as one string or as lines.
pub fn text(stored: &Value) -> String {
    match stored {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

/// Runs a lesson, and checks that it prints what is stored in it and that heatmaps arrive as images.
#[track_caller]
pub fn check_lesson(jupyter: Command, kernel: &str, lesson: &Path) {
    let mut heatmaps = 0;
    let cells = code_cells(&read_json(lesson));
    let outputs = Execution::start_by(jupyter, kernel, lesson).outputs();
    for (cell, outputs) in cells.iter().zip(outputs) {
        let source = text(&cell["source"]);
        for output in &outputs {
            assert_ne!(output["output_type"], "error", "{source}: {output}");
            // Where the kernel cannot replace outputs, as with evcxr's own, progress is printed
            // as lines, which may arrive while the next cell is running.
            let lines = text(&output["text"]);
            let is_progress =
                kernel != "attention" && lines.lines().all(|line| line.contains(" steps/s"));
            assert!(
                is_progress || output["name"] != "stderr",
                "{source}: {output}"
            );
            // A cell that ends in a loop without a semicolon must not show its value.
            assert_ne!(text(&output["data"]["text/plain"]), "()", "{source}");
        }
        if cell["metadata"]["tags"].is_null() {
            let stored = cell["outputs"].as_array().expect("outputs");
            assert_eq!(said(&outputs), said(stored), "{source}");
        }
        if source.contains("heatmap(") {
            heatmaps += 1;
            let data = &outputs.last().expect("a heatmap has an output")["data"];
            let svg = text(&data["image/svg+xml"]);
            let html = text(&data["text/html"]);
            assert!(
                svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"),
                "{source}"
            );
            // An untrusted notebook shows neither SVG nor scripts, but it does show this.
            assert!(html.contains("src=\"data:image/svg+xml,"), "{source}");
            assert!(text(&data["text/plain"]).contains("Heatmap: "), "{source}");
        }
    }
    assert!(heatmaps > 0, "{} shows a heatmap", lesson.display());
}
