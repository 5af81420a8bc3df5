//! The kernel: Jupyter's own test suite, and the files `kernel*.py` beside this one.

mod common;

use common::{finish, project, python};
use std::path::Path;
use std::process::Command;

/// The suite from PyPI; it is no part of the set-up that learners wait for.
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
    // Of Jupyter's suite one test is left out.
    for (file, result) in [
        ("kernel.py", "\nOK (skipped=1)\n"),
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
        assert!(stderr.contains(result), "{stderr}");
    }
}
