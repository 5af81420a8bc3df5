//! Set-up on machines where something is missing.
#![cfg(unix)]

use crate::common::{finish, generated_by_set_up, load, program, python, write_notebook};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::{TempDir, tempdir};

/// A machine that has not been set up and has only the programs in the folder `path`.
struct Machine {
    generated: TempDir,
    path: TempDir,
}

impl Machine {
    fn new() -> Machine {
        Machine {
            generated: tempdir().expect("a folder"),
            path: tempdir().expect("a folder"),
        }
    }

    /// Adds a program that is a shell script.
    fn program(&self, name: &str, script: &str) {
        let file = self.path.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
    }

    /// The single line that `setup` prints when it refuses.
    fn refusal(&self) -> String {
        let mut setup = program();
        setup
            .arg("setup")
            .env("PATH", self.path.path())
            .env("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
        setup.env_remove("PIP_FIND_LINKS").env("PIP_RETRIES", "0");
        let (code, stdout, stderr) =
            finish(setup.env("ATTENTION_NOTEBOOKS_GENERATED", self.generated.path()));
        assert_eq!(code, 2, "{stdout}{stderr}");
        assert!(
            !self.generated.path().join("python").exists(),
            "nothing half-written is left"
        );
        let line = stderr.lines().find(|line| line.starts_with("error: "));
        line.unwrap_or_else(|| panic!("an error in {stderr}"))
            .to_owned()
    }
}

#[test]
fn without_python() {
    let refusal = Machine::new().refusal();
    assert!(
        refusal.contains("Python 3.10 or newer with venv was not found"),
        "{refusal}"
    );
    assert!(refusal.contains("searched python3, "), "{refusal}");
}

#[test]
fn with_an_old_python() {
    let machine = Machine::new();
    machine.program("python3", "echo 3 9");
    let refusal = machine.refusal();
    assert!(refusal.contains("python3 is Python 3.9"), "{refusal}");
}

#[test]
fn without_the_venv_module() {
    let machine = Machine::new();
    machine.program(
        "python3",
        "case \"$2\" in *ensurepip*) exit 1;; *) echo 3 12;; esac",
    );
    let refusal = machine.refusal();
    assert!(refusal.contains("python3 has no venv module"), "{refusal}");
    assert!(
        refusal.contains("sudo apt install python3-venv"),
        "{refusal}"
    );
}

#[test]
fn without_a_network() {
    let machine = Machine::new();
    let python = which("python3");
    std::os::unix::fs::symlink(python, machine.path.path().join("python3")).expect("a link");
    let refusal = machine.refusal();
    assert!(
        refusal.contains("pip could not install the packages of requirements.txt"),
        "{refusal}"
    );
    assert!(refusal.contains("connect to the network"), "{refusal}");
}

#[test]
fn python_and_the_crate_are_set_up_side_by_side() {
    let machine = Machine::new();
    let compiling = machine.generated.path().join("compiling");
    machine.program("rustc", &format!("echo > {}; exit 1", compiling.display()));
    // Creating the environment waits, for at most ten seconds, until the crate is being compiled.
    let wait = format!(
        "for i in 1 2 3 4 5 6 7 8 9 10; do [ -e {} ] && echo both >&2 && exit 1; \
         /bin/sleep 1; done; echo alone >&2; exit 1",
        compiling.display()
    );
    machine.program(
        "python3",
        &format!("case \"$2\" in *version_info*) echo 3 12;; venv) {wait};; esac"),
    );
    let refusal = machine.refusal();
    assert!(
        refusal.contains("`python3 -m venv` failed: both"),
        "{refusal}"
    );
}

#[test]
fn without_a_network_for_crates() {
    let cargo_home = tempdir().expect("a folder");
    let generated = tempdir().expect("a folder");
    let mut run = program();
    run.args(["run"])
        .env("ATTENTION_NOTEBOOKS_GENERATED", generated.path());
    run.env("CARGO_HOME", cargo_home.path())
        .env("CARGO_NET_OFFLINE", "true");
    let (code, stdout, stderr) = finish(&mut run);
    assert_eq!(code, 2, "{stdout}{stderr}");
    assert!(
        stderr.starts_with("error: cargo could not download the crates of Cargo.lock: "),
        "{stderr}"
    );
    assert!(stderr.contains("connect to the network"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn without_rust_or_its_linker() {
    let mut rustc = Command::new("rustc");
    let (_, sysroot, _) = finish(rustc.args(["--print", "sysroot"]));
    let machine = Machine::new();
    let refusal = || {
        let mut run = program();
        run.args(["run", "--quiet"])
            .env("PATH", machine.path.path())
            .env("ATTENTION_NOTEBOOKS_GENERATED", machine.generated.path());
        let (code, _, stderr) = finish(&mut run);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        stderr
    };
    let stderr = refusal();
    assert!(
        stderr.contains("install Rust from https://rustup.rs and, for its linker, a C compiler"),
        "{stderr}"
    );
    machine.program(
        "rustc",
        &format!("exec {}/bin/rustc \"$@\"", sysroot.trim()),
    );
    let stderr = refusal();
    assert!(stderr.contains("the linker `cc` was not found"), "{stderr}");
    assert!(stderr.contains("sudo apt install gcc"), "{stderr}");
}

#[test]
fn an_interrupted_set_up_repairs_itself() {
    let generated = tempdir().expect("a folder");
    let torn = generated.path().join("for-cells");
    // Files that cargo has finished by then are complete: it writes each under another name first.
    python();
    let compiled = generated_by_set_up().join("for-cells/target");
    fs::create_dir(&torn).expect("a folder");
    let copied = Command::new("cp")
        .arg("-a")
        .arg(compiled)
        .arg(&torn)
        .status();
    assert!(copied.expect("cp starts").success());
    for folder in ["project", "libraries-1"] {
        fs::create_dir_all(torn.join(folder)).expect("a folder");
    }
    for (file, content) in [
        ("project/Cargo.toml", "[workspace"),
        ("libraries-1/libattention.rlib", ""),
        ("crates.json", "{"),
        ("tools.json", ""),
        ("libcell_runtime.so", ""),
    ] {
        fs::write(torn.join(file), content).expect("a file");
    }
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(
        folder.path(),
        "tried.ipynb",
        &[&load(), "softmax(&array![0.0, 0.0])"],
    );
    let mut run = program();
    run.arg("run")
        .arg(notebook)
        .env("ATTENTION_NOTEBOOKS_GENERATED", generated.path());
    let (code, stdout, stderr) = finish(&mut run);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(!torn.join("libraries-1/libattention.rlib").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_of_a_set_up_that_a_signal_ends() {
    let (generated, temporary) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let mut run = program();
    run.arg("run")
        .env("ATTENTION_NOTEBOOKS_GENERATED", generated.path())
        .env("TMPDIR", temporary.path());
    let mut run = run.spawn().expect("it starts");
    let began = Instant::now();
    let wait_until = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(120), "in time");
            thread::sleep(Duration::from_millis(20));
        }
    };
    wait_until(&|| !compilers(generated.path()).is_empty());
    kill_process(Pid::from_child(&run), Signal::TERM).expect("sent");
    run.wait().expect("it ends");
    wait_until(&|| {
        fs::read_dir(temporary.path())
            .expect("a folder")
            .next()
            .is_none()
    });
    wait_until(&|| compilers(generated.path()).is_empty());
}

/// The processes whose arguments contain this folder.
#[cfg(target_os = "linux")]
fn compilers(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.to_str().expect("UTF-8");
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    let names = |process: &PathBuf| {
        let arguments = fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).contains(folder)
    };
    processes.map(|entry| entry.path()).filter(names).collect()
}

/// The program still has the old paths compiled in: cargo does not recompile a project that was
/// moved.
#[test]
fn a_project_that_was_moved_uses_what_lies_around_its_program() {
    let moved = tempdir().expect("a folder");
    let moved = moved.path().canonicalize().expect("a folder");
    for folder in ["target/release", "crates/attention", "notebooks"] {
        fs::create_dir_all(moved.join(folder)).expect("a folder");
    }
    for part in [
        "Cargo.lock",
        "requirements.txt",
        "crates/attention/Cargo.toml",
    ] {
        fs::write(moved.join(part), "").expect("written");
    }
    let lesson = moved.join("notebooks/moved.ipynb");
    fs::write(&lesson, "").expect("written");
    let program = moved.join("target/release/attention-notebooks");
    fs::copy(env!("CARGO_BIN_EXE_attention-notebooks"), &program).expect("copied");
    let (code, stdout, stderr) = finish(Command::new(&program).arg("run"));
    assert_eq!(code, 2, "{stdout}{stderr}");
    let expected = format!("error: {} is empty", lesson.display());
    assert!(stderr.starts_with(&expected), "{stderr}");
}

#[test]
fn a_file_that_is_no_connection_file_is_named() {
    let (code, _, stderr) = finish(program().args(["kernel", "/dev/null"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("/dev/null is not a connection file"),
        "{stderr}"
    );
}

/// The real Python with this name, not a version manager's wrapper for it.
fn which(name: &str) -> String {
    let mut python = Command::new(name);
    let (code, stdout, stderr) = finish(python.args(["-c", "import sys; print(sys.executable)"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(Path::new(stdout.trim()).exists(), "{stdout}");
    stdout.trim().to_owned()
}
