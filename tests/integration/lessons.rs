//! The lessons' cells: they show the idea, contain none of our checks, and fit on the page.

use crate::common::{errata, lessons, read_json};
use serde_json::Value;
use std::path::Path;

/// The length of the longest line that fits in a cell next to JupyterLab's list of files, in a
/// window 1000 pixels wide.
const WIDEST: usize = 71;

/// The code cells of a notebook: the name and the lines of each.
fn code_cells(path: &Path) -> Vec<(String, Vec<String>)> {
    let notebook = read_json(path);
    let cells = notebook["cells"].as_array().expect("cells");
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code");
    code.map(|cell| {
        let id = cell["id"].as_str().expect("a name").to_owned();
        let source = cell["source"].as_array().expect("lines");
        let lines = source.iter().filter_map(Value::as_str);
        (id, lines.map(|line| line.trim_end().to_owned()).collect())
    })
    .collect()
}

#[test]
fn no_cell_scrolls_sideways() {
    for path in lessons().into_iter().chain(errata()) {
        for (id, lines) in code_cells(&path) {
            let long = lines.iter().find(|line| line.chars().count() > WIDEST);
            assert_eq!(long, None, "{}, {id}", path.display());
        }
    }
}

#[test]
fn no_cell_checks_itself() {
    for path in lessons().into_iter().chain(errata()) {
        for (id, lines) in code_cells(&path) {
            let source = lines.join("\n");
            let checks = ["assert!", "assert_eq!", "assert_ne!", "equals("];
            let check = checks.into_iter().find(|check| source.contains(check));
            assert_eq!(check, None, "{}, {id}", path.display());
        }
    }
}

#[test]
fn every_cell_of_a_notebook_has_a_name_of_its_own() {
    for path in lessons().into_iter().chain(errata()) {
        let mut names: Vec<String> = code_cells(&path).into_iter().map(|(id, _)| id).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}", path.display());
    }
}

#[test]
fn every_figure_of_a_cell_is_stored_as_a_picture() {
    const FIGURES: [&str; 6] = [
        "heatmap(",
        "bars(",
        "lines(",
        "graph(",
        "grid(",
        "attend_steps(",
    ];
    for path in lessons().into_iter().chain(errata()) {
        let notebook = read_json(&path);
        let cells = notebook["cells"].as_array().expect("cells");
        let draws = |cell: &&Value| {
            let source = cell["source"].to_string();
            cell["cell_type"] == "code" && FIGURES.iter().any(|figure| source.contains(figure))
        };
        for cell in cells.iter().filter(draws) {
            let outputs = cell["outputs"].as_array().expect("outputs");
            let is_shown = outputs
                .iter()
                .any(|output| output["data"]["image/svg+xml"].is_array());
            assert!(is_shown, "{}, {}", path.display(), cell["id"]);
        }
    }
}
