//! The lessons under evcxr's own kernel, which is registered on request: they do not depend on
//! ours.
//!
//! Compiling that kernel takes minutes, so these tests run only with `-- --ignored`.

use crate::common::execution::{check_lesson, text};
use crate::common::{finish, program, project, python, read_json, write_json};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An unoptimised kernel compiles sooner, but would need more than ten minutes for the whole lesson.
#[test]
#[ignore = "compiles evcxr's 286 crates"]
fn the_first_heatmap_of_a_lesson_arrives_under_evcxrs_own_kernel_too() {
    let data = with_evcxrs_kernel("0");
    let mut lesson = read_json(&lesson("01_coding_attention"));
    let crates = project().join("crates").display().to_string();
    let cells = lesson["cells"].as_array_mut().expect("cells");
    let shows_heatmap =
        |cell: &Value| cell["cell_type"] == "code" && text(&cell["source"]).contains("heatmap(");
    let first = cells.iter().position(shows_heatmap).expect("a heatmap");
    cells.truncate(first + 1);
    for cell in cells {
        cell["source"] = text(&cell["source"]).replace("../crates", &crates).into();
    }
    let beginning = write_json(&data, "beginning.ipynb", &lesson);
    let mut jupyter = jupyter(&data);
    // Unoptimised crates compile in a fraction of the time, but a whole lesson takes so long with them that it shows progress.
    jupyter.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    check_lesson(jupyter, "attention-evcxr", &beginning);
}

#[test]
#[ignore = "takes many minutes; the workflow runs it"]
fn whole_lessons_run_under_it() {
    let data = with_evcxrs_kernel("1");
    for name in [
        "01_coding_attention",
        "01b_attention_that_learns",
        "02_who_attends_to_whom",
        "03_scaled_dot_product",
        "04_self_attention_from_scratch",
    ] {
        check_lesson(jupyter(&data), "attention-evcxr", &lesson(name));
    }
}

fn lesson(name: &str) -> PathBuf {
    project().join("notebooks").join(format!("{name}.ipynb"))
}

/// A folder next to evcxr's kernel for the crates that it compiles, shared by all notebooks.
const COMPILED_BY_EVCXR: &str = "compiled";

/// A Python whose Jupyter knows evcxr's kernel.
fn jupyter(data: &Path) -> Command {
    let mut jupyter = Command::new(python());
    jupyter.env("JUPYTER_PATH", data);
    jupyter.env("EVCXR_TMPDIR", data.join(COMPILED_BY_EVCXR));
    jupyter
}

/// A folder for `JUPYTER_PATH` with evcxr's own kernel, compiled at this level of optimisation.
fn with_evcxrs_kernel(level: &str) -> PathBuf {
    python(); // so that nothing is compiled twice
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evcxr");
    fs::create_dir_all(data.join(COMPILED_BY_EVCXR)).expect("a folder");
    let mut install = program();
    install.args(["install", "--user", "--evcxr"]);
    install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level);
    let (code, stdout, stderr) = finish(install.env("JUPYTER_DATA_DIR", &data));
    assert_eq!(code, 0, "{stdout}{stderr}");
    data
}
