//! The kernel: Jupyter's own test suite, and the files `kernel*.py` in this folder.

mod common;

use common::{finish, project, python};
use std::env;
use std::path::Path;
use std::process::Command;

/// The suite from PyPI; not part of the set-up that learners wait for.
const SUITE: &str = "jupyter_kernel_test==0.7.0";

#[test]
fn the_kernel_passes_jupyters_suite_and_the_tests_in_python() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jupyter_kernel_test");
    if !folder.exists() {
        let (code, stdout, stderr) = finish(
            Command::new(python())
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--no-deps",
                    SUITE,
                    "--target",
                ])
                .arg(&folder),
        );
        assert_eq!(code, 0, "{stdout}{stderr}");
    }
    // Tests that need rust-analyzer are skipped without it.
    let is_required = env::var("ATTENTION_NOTEBOOKS_RUST_ANALYZER");
    let is_whole = is_required.is_ok_and(|value| value == "required");
    // One test of Jupyter's suite is skipped.
    for (file, result) in [
        ("kernel.py", "\nOK (skipped=1)\n"),
        ("kernel_assist.py", "\nOK\n"),
        ("kernel_messages.py", "\nOK\n"),
        ("kernel_printing.py", "\nOK\n"),
        ("kernel_stopping.py", "\nOK\n"),
    ] {
        let (code, stdout, stderr) = finish(
            Command::new(python())
                .arg(project().join("tests").join(file))
                .env("PYTHONPATH", &folder),
        );
        assert_eq!(code, 0, "{stdout}{stderr}");
        let result = if is_whole { result } else { "\nOK" };
        assert!(stderr.contains(result), "{stderr}");
    }
}
