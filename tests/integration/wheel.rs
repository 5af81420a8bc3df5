//! The wheel: laid out, installed into an empty environment, used without a network and without
//! this project, and removed. maturin is not needed: it would compile the program once more.
#![cfg(target_os = "linux")]

use crate::common::{
    compile_quickly, finish, generated_by_set_up, program, project, python, read_json,
    run_python_tests, write_json,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::tempdir;

/// Maximum size of the wheel in bytes; PyPI accepts 100 MB.
const LARGEST: u64 = 25_000_000;

/// A script that lends the environment the packages of the project's own Python, so that nothing is
/// downloaded from PyPI.
const BORROWED: &str = "
import pathlib, site, sys, sysconfig
lender, environment = sys.argv[1:]
names = {'base': environment, 'platbase': environment}
folder = pathlib.Path(sysconfig.get_path('purelib', vars=names))
folder.joinpath('borrowed.pth').write_text(sysconfig.get_path('purelib'))
";

/// A Python environment in which a learner has installed the wheel.
struct Environment {
    folder: PathBuf,
    home: PathBuf,
}

impl Environment {
    /// A command for a program in this environment, with none of this user's settings or downloaded
    /// crates, and with cargo offline.
    fn command(&self, program: &str) -> Command {
        let mut rustc = Command::new("rustc");
        let (code, sysroot, stderr) = finish(rustc.args(["--print", "sysroot"]));
        assert_eq!(code, 0, "{stderr}");
        let mut command = Command::new(self.folder.join("bin").join(program));
        command
            .env_clear()
            .env("PATH", format!("{}/bin:/usr/bin:/bin", sysroot.trim()))
            .env("HOME", &self.home)
            .env("CARGO_NET_OFFLINE", "true")
            // JupyterLab's pages are in the folder of the project's own Python.
            .env(
                "JUPYTERLAB_DIR",
                python()
                    .ancestors()
                    .nth(2)
                    .expect("a folder")
                    .join("share/jupyter/lab"),
            )
            .current_dir(&self.home);
        command
    }

    /// The outputs of a notebook's cells, none of which may fail.
    fn outputs(&self, notebook: &Path, kernel: &str) -> Vec<Value> {
        let executed = self.home.join("executed.ipynb");
        let mut execute = self.command("python");
        execute.arg(project().join("tests/integration/execute.py"));
        let (code, _, stderr) = finish(execute.arg(notebook).arg(&executed).arg(kernel));
        assert_eq!(code, 0, "{stderr}");
        let executed = read_json(&executed);
        let cells = executed["cells"].as_array().expect("cells").iter();
        let outputs = cells.filter_map(|cell| cell["outputs"].as_array());
        let outputs: Vec<Value> = outputs.flatten().cloned().collect();
        for output in &outputs {
            assert_ne!(output["output_type"], "error", "{output}");
        }
        outputs
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        files(&self.folder)
    }
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let below = |path: PathBuf| match path.is_dir() && !path.is_symlink() {
        true => files(&path),
        false => BTreeSet::from([path]),
    };
    entries.flat_map(|entry| below(entry.path())).collect()
}

fn pip(environment: &Path, arguments: &[&str]) {
    let mut pip = Command::new(python());
    pip.args(["-m", "pip", "--disable-pip-version-check", "--python"]);
    let (code, stdout, stderr) = finish(pip.arg(environment).args(arguments));
    assert_eq!(code, 0, "{stdout}{stderr}");
}

/// Packs what `wheel` lays out, as maturin does.
fn packed(folder: &Path) -> PathBuf {
    let (code, stdout, stderr) = finish(program().arg("wheel"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let mut pack = Command::new(python());
    pack.arg(project().join("tests/integration/pack_wheel.py"))
        .arg(project().join("pyproject.toml"))
        .arg(program().get_program())
        .arg(folder);
    let (code, stdout, stderr) = finish(&mut pack);
    assert_eq!(code, 0, "{stdout}{stderr}");
    PathBuf::from(stdout.trim())
}

#[test]
#[ignore = "compiles all crates of an installation"]
fn a_wheel_is_all_that_an_environment_needs() {
    let temporary = tempdir().expect("a folder");
    let wheel = packed(temporary.path());
    let size = wheel.metadata().expect("a file").len();
    assert!(size < LARGEST, "{size} bytes");

    let [folder, home] = ["environment", "home"].map(|name| temporary.path().join(name));
    compile_quickly(&home.join(".cargo"));
    let mut make = Command::new(python());
    make.args(["-m", "venv", "--without-pip"]).arg(&folder);
    assert_eq!(finish(&mut make).0, 0);
    let mut borrow = Command::new(python());
    let (code, _, stderr) = finish(
        borrow
            .args(["-c", BORROWED])
            .arg(python_prefix())
            .arg(&folder),
    );
    assert_eq!(code, 0, "{stderr}");
    let environment = Environment { folder, home };
    let before = environment.files();
    let path = wheel.to_str().expect("UTF-8");
    pip(
        &environment.folder,
        &["install", "--no-deps", "--no-index", path],
    );

    // Before set-up, the kernel says what to do.
    let kernels =
        finish(
            environment
                .command("python")
                .args(["-m", "jupyter_client.kernelspecapp", "list"]),
        );
    let spec = environment.folder.join("share/jupyter/kernels/attention");
    assert!(
        kernels.1.contains(spec.to_str().expect("UTF-8")),
        "{kernels:?}"
    );

    let (code, stdout, stderr) = finish(environment.command("attention-notebooks").arg("setup"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let interpreter = environment.folder.join("bin/python");
    let said = format!(
        "Everything is set up. Python with JupyterLab: {}\n",
        interpreter.display()
    );
    assert_eq!(stdout, said);

    // JupyterLab opens copies in the learner's home.
    let mut lab = environment.command("attention-notebooks");
    let mut lab = lab
        .args(["lab", "--no-browser"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    let stdout = lab.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut said).expect("a line");
    assert!(
        said.contains("/lab/tree/my-lessons/01_coding_attention.ipynb?"),
        "{said}"
    );
    let process = rustix::process::Pid::from_child(&lab);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("sent");
    lab.wait().expect("it ends");

    // Jupyter runs a lesson with the environment's kernel and the installed crates.
    let lesson = environment
        .home
        .join("attention-lessons/my-lessons/01_coding_attention.ipynb");
    environment.outputs(&lesson, "attention");
    let mut export = environment.command("python");
    // nbconvert's templates are in the folder of the project's own Python, too.
    export.env("JUPYTER_PATH", python_prefix().join("share/jupyter"));
    export.args(["-m", "nbconvert", "--to", "html", "--stdout"]);
    let (code, page, stderr) = finish(export.arg(&lesson));
    assert_eq!(code, 0, "{stderr}");
    assert!(!page.contains("src=\"../assets/"), "a drawing is a link");
    pictures_arrive_in_a_python_notebook(&environment);

    let (code, stdout, stderr) =
        finish(environment.command("attention-notebooks").arg("uninstall"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(
        stdout.ends_with("`pip uninstall attention-notebooks` removes the rest.\n"),
        "{stdout}"
    );
    pip(
        &environment.folder,
        &["uninstall", "--yes", "attention-notebooks"],
    );
    let left: Vec<_> = environment.files().difference(&before).cloned().collect();
    assert!(left.is_empty(), "{left:#?}");
}

/// Runs the notebook for Colab, without the cell that installs everything.
fn pictures_arrive_in_a_python_notebook(environment: &Environment) {
    let mut notebook = read_json(&project().join("colab/colab.ipynb"));
    let mut cells = notebook["cells"].as_array_mut().expect("cells").iter_mut();
    let set_up = cells.find(|cell| cell["cell_type"] == "code");
    set_up.expect("a cell")["source"] = json!("%load_ext attention_notebooks");
    let notebook = write_json(&environment.home, "colab.ipynb", &notebook);
    let outputs = environment.outputs(&notebook, "python3");
    let pictures = outputs
        .iter()
        .filter(|output| !output["data"]["image/svg+xml"].is_null());
    assert_eq!(pictures.count(), 3, "{outputs:#?}");
}

#[test]
fn rust_cells_in_a_python_notebook() {
    run_python_tests("tests/colab");
}

/// The environment of the project's own Python.
fn python_prefix() -> &'static Path {
    python().ancestors().nth(2).expect("a folder")
}

/// As `cargo run` and `cargo install` compile it: with fewer features than when the whole workspace
/// is compiled.
#[test]
fn the_program_compiles_alone() {
    let mut check = Command::new(env!("CARGO"));
    check
        .args(["check", "--release", "--offline", "--locked", "--package"])
        .arg(env!("CARGO_PKG_NAME"))
        .current_dir(project());
    let (code, _, stderr) = finish(&mut check);
    assert_eq!(code, 0, "{stderr}");
}

/// docs/pip.md promises this.
#[test]
fn a_program_in_another_folder_works_with_the_project_it_was_compiled_in() {
    let folder = tempdir().expect("a folder");
    let installed = folder.path().join("attention-notebooks");
    fs::copy(program().get_program(), &installed).expect("copied");
    works_with_its_project(&installed);
}

#[test]
#[ignore = "compiles what the program depends on"]
fn a_program_that_cargo_installs_works_with_the_project_it_was_compiled_in() {
    let folder = tempdir().expect("a folder");
    let mut install = Command::new(env!("CARGO"));
    install
        .args(["install", "--offline", "--locked", "--path"])
        .arg(project())
        .arg("--root")
        .arg(folder.path());
    let (code, _, stderr) = finish(&mut install);
    assert_eq!(code, 0, "{stderr}");
    works_with_its_project(&folder.path().join("bin/attention-notebooks"));
}

fn works_with_its_project(installed: &Path) {
    let folder = tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let mut run = Command::new(installed);
        let run = run.args(arguments).current_dir(folder.path());
        let (code, stdout, stderr) = finish(run.env("JUPYTER_DATA_DIR", folder.path()));
        assert_eq!(code, 0, "{arguments:?}: {stdout}{stderr}");
        stdout
    };
    let version = concat!("attention-notebooks ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(run(&["--version"]), version);
    assert!(run(&["lessons", "."]).contains("Wrote "));
    run(&["run", "my-lessons/02_who_attends_to_whom.ipynb"]);
    run(&["install", "--user"]);
    let spec = read_json(&folder.path().join("kernels/attention/kernel.json"));
    assert_eq!(spec["argv"][0], installed.to_str().expect("UTF-8"));
    let generated = generated_by_set_up();
    assert_eq!(
        spec["env"]["ATTENTION_NOTEBOOKS_GENERATED"],
        generated.to_str().expect("UTF-8")
    );
}
