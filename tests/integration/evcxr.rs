//! The lessons under evcxr's own kernel, which is registered on request: they do not depend on
//! ours.
//!
//! Compiling that kernel takes minutes, so these tests run only with `-- --ignored`.

use crate::common::execution::check_lessons;
use crate::common::{finish, program, python};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
#[ignore = "compiles evcxr's 286 crates"]
fn the_shortest_lesson_runs_under_evcxrs_own_kernel_too() {
    run(&["02_who_attends_to_whom"]);
}

#[test]
#[ignore = "takes a quarter of an hour; the workflow runs it"]
fn four_more_lessons_run_under_it() {
    run(&[
        "01_coding_attention",
        "01b_attention_that_learns",
        "03_scaled_dot_product",
        "04_self_attention_from_scratch",
    ]);
}

fn run(lessons: &[&str]) {
    let data = with_evcxrs_kernel();
    check_lessons("attention-evcxr", lessons, || {
        let mut jupyter = Command::new(python());
        jupyter.env("JUPYTER_PATH", &data);
        jupyter.env("EVCXR_TMPDIR", data.join(COMPILED_BY_EVCXR));
        // Unoptimised, the lessons' crates compile in a fraction of the time.
        jupyter.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        jupyter
    });
}

/// A folder next to evcxr's kernel for the crates that it compiles, shared by all notebooks.
const COMPILED_BY_EVCXR: &str = "compiled";

/// A folder for `JUPYTER_PATH` with evcxr's own kernel.
fn with_evcxrs_kernel() -> PathBuf {
    python(); // so that nothing is compiled twice
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evcxr");
    fs::create_dir_all(data.join(COMPILED_BY_EVCXR)).expect("a folder");
    let mut install = program();
    install.args(["install", "--user", "--evcxr"]);
    let (code, stdout, stderr) = finish(install.env("JUPYTER_DATA_DIR", &data));
    assert_eq!(code, 0, "{stdout}{stderr}");
    data
}
