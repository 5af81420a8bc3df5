//! The lessons under evcxr's own kernel, which is registered on request: they do not depend on
//! ours.

use crate::common::execution::check_lesson;
use crate::common::{finish, program, project, python};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
#[ignore = "compiles evcxr's 286 crates, and a lesson takes minutes"]
fn lessons_run_under_evcxrs_own_kernel_too() {
    let data = with_evcxrs_kernel();
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

/// A Python whose Jupyter can find evcxr's kernel.
fn jupyter(data: &Path) -> Command {
    let mut jupyter = Command::new(python());
    jupyter.env("JUPYTER_PATH", data);
    jupyter.env("EVCXR_TMPDIR", data.join(COMPILED_BY_EVCXR));
    jupyter
}

/// A folder for `JUPYTER_PATH` with evcxr's own kernel, compiled with little optimisation to save
/// time.
fn with_evcxrs_kernel() -> PathBuf {
    python(); // so that nothing is compiled twice
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evcxr");
    fs::create_dir_all(data.join(COMPILED_BY_EVCXR)).expect("a folder");
    let mut install = program();
    install.args(["install", "--user", "--evcxr"]);
    install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    let (code, stdout, stderr) = finish(install.env("JUPYTER_DATA_DIR", &data));
    assert_eq!(code, 0, "{stdout}{stderr}");
    data
}
