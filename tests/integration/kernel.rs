//! The kernel over real sockets: Jupyter's own test suite, and what it does not cover, in `tests/kernel`.

use crate::common::{finish, project, python};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

/// The suite and other front ends, from PyPI; not part of the set-up that learners wait for.
const PACKAGES: [&str; 7] = [
    "jupyter_kernel_test==0.7.0",
    "jupyter-console==6.6.3",
    "papermill==2.7.0",
    // Requirements of papermill that JupyterLab does not have:
    "click==8.5.1",
    "entrypoints==0.4.2",
    "tenacity==9.2.1",
    "tqdm==4.70.1",
];

/// Defines one test per file, so that the files run in parallel.
macro_rules! files {
    ($($name:ident),* $(,)?) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            run(stringify!($name));
        })*
    };
}

files![
    assist,
    cells,
    connections,
    faults,
    front_ends,
    life,
    mistakes,
    parameters,
    printing,
    protocol,
    shown,
    source,
    stopping,
    suite,
    variables,
];

#[test]
fn every_file_is_run() {
    let entries = fs::read_dir(project().join("tests/kernel")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut found: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_str()?.strip_prefix("test_")?;
            Some(name.strip_suffix(".py")?.to_owned())
        })
        .collect();
    found.sort();
    assert_eq!(found, FILES);
}

#[track_caller]
fn run(name: &str) {
    let (code, stdout, stderr) = finish(
        Command::new(python())
            .args(["-W", "ignore", "-m", "unittest", "discover", "--verbose"])
            .arg("--start-directory")
            .arg(project().join("tests/kernel"))
            .args(["--pattern", &format!("test_{name}.py")])
            .env("PYTHONPATH", front_ends_from_pypi()),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    // Tests that need rust-analyzer are skipped without it.
    let is_required = env::var("ATTENTION_NOTEBOOKS_RUST_ANALYZER");
    let is_whole = is_required.is_ok_and(|value| value == "required");
    let result = match (is_whole, name) {
        (false, _) => "\nOK",
        // The suite skips its test of pagers, which are deprecated in the protocol.
        (true, "suite") => "\nOK (skipped=1)\n",
        (true, _) => "\nOK\n",
    };
    assert!(stderr.contains(result), "{stderr}");
}

fn front_ends_from_pypi() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("front_ends");
        if !folder.exists() {
            let (code, stdout, stderr) = finish(
                Command::new(python())
                    .args(["-m", "pip", "install", "--quiet", "--no-deps"])
                    .args(PACKAGES)
                    .arg("--target")
                    .arg(&folder),
            );
            assert_eq!(code, 0, "{stdout}{stderr}");
        }
        folder
    })
}
