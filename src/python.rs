//! The Python environment with JupyterLab: one inside the project with pinned versions, or the one
//! into which a wheel installed the project.

use crate::{project, set_up_report};
use anyhow::{Context, Result, bail};
use notebook_session::SetUpStep;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The oldest version of Python that JupyterLab 4 supports.
const OLDEST: (u32, u32) = (3, 10);
/// Names of programs to look for, in this order.
const NAMES: [&str; 8] = [
    "python3",
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
    "python",
    "py",
];

/// `python -m pip` with low priority, because the compilation that runs at the same time takes
/// longer.
const PATIENT_PIP: &str = "import os, runpy; os.nice(19); \
                           runpy.run_module('pip', run_name='__main__', alter_sys=True)";

/// The interpreter of the environment, which is created if it is missing,
/// unfinished, or has other versions than `requirements.txt` specifies.
pub fn prepare() -> Result<PathBuf> {
    if project::environment().is_some() {
        return with_jupyterlab(interpreter());
    }
    let wanted = fs::read_to_string(requirements())
        .with_context(|| format!("cannot read {}", requirements().display()))?;
    if is_prepared(&wanted) {
        return Ok(interpreter());
    }
    fs::create_dir_all(project::generated())?;
    let lock = File::create(project::generated().join("python.lock"))?;
    lock.lock()?;
    if is_prepared(&wanted) {
        return Ok(interpreter()); // another process has just created it
    }
    if environment().exists() {
        fs::remove_dir_all(environment())?;
    }
    let made = find()
        .and_then(|python| make(&python))
        .and_then(|()| Ok(fs::write(stamp(), wanted)?));
    if let Err(error) = made {
        let _ = fs::remove_dir_all(environment()); // report the original error, not this one
        return Err(error);
    }
    Ok(interpreter())
}

/// Checks that JupyterLab is in the wheel's environment, which the user manages; returns its
/// interpreter.
fn with_jupyterlab(python: PathBuf) -> Result<PathBuf> {
    let look = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('jupyterlab'))";
    let found = output(Command::new(&python).args(["-c", look]))?;
    match found.status.success() {
        true => Ok(python),
        false => bail!(
            "JupyterLab was not found: searched the packages of {0}; run `{0} -m pip install \
             jupyterlab`",
            python.display()
        ),
    }
}

fn make(python: &str) -> Result<()> {
    set_up_report::step(SetUpStep::Begins(&format!(
        "Making a Python environment in {} ...",
        environment().display()
    )));
    set_up_report::installing_jupyterlab(true);
    make_empty(python, &environment())?;
    set_up_report::step(SetUpStep::Begins(
        "Installing JupyterLab into it (once, about a minute) ...",
    ));
    let install = [
        "-c",
        PATIENT_PIP,
        "install",
        "--quiet",
        "--retries",
        "2",
        "--disable-pip-version-check",
        // The list is complete, except for what requirements.in leaves out.
        "--no-deps",
        "-r",
    ];
    let installed = output(
        Command::new(interpreter())
            .args(install)
            .arg(requirements()),
    )?;
    if !installed.status.success() {
        bail!(
            "pip could not install the packages of requirements.txt from PyPI: {}; connect to the \
             network and run this command again",
            last_line(&installed)
        );
    }
    set_up_report::installing_jupyterlab(false);
    Ok(())
}

/// A Python with pip: the one from set-up, or a new one in `folder`.
pub fn with_pip(folder: &Path) -> Result<PathBuf> {
    if interpreter().exists() {
        return Ok(interpreter());
    }
    make_empty(&find()?, folder)?;
    Ok(in_environment(folder))
}

/// An environment with nothing but pip.
fn make_empty(python: &str, folder: &Path) -> Result<()> {
    let made = output(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    if !made.status.success() {
        bail!("`{python} -m venv` failed: {}", last_line(&made));
    }
    Ok(())
}

/// The first Python that is new enough and can create environments.
fn find() -> Result<String> {
    let mut unfit = Vec::new();
    for name in NAMES {
        let Ok(asked) = Command::new(name)
            .args(["-c", "import sys; print(*sys.version_info[:2])"])
            .output()
        else {
            continue;
        };
        let answer = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        let Some(version) = parse_version(&answer) else {
            continue;
        };
        if version < OLDEST {
            unfit.push(format!("{name} is Python {}.{}", version.0, version.1));
            continue;
        }
        let has_venv = output(Command::new(name).args(["-c", "import venv, ensurepip"]))?;
        if !has_venv.status.success() {
            unfit.push(format!(
                "{name} has no venv module (Debian, Ubuntu: `sudo apt install python3-venv`)"
            ));
            continue;
        }
        return Ok(name.to_owned());
    }
    let found = if unfit.is_empty() {
        "none of them exists".to_owned()
    } else {
        unfit.join(", ")
    };
    bail!(
        "Python {}.{} or newer with venv was not found: searched {} in PATH, and {found}; install \
         it and run this command again",
        OLDEST.0,
        OLDEST.1,
        NAMES.join(", ")
    )
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn output(command: &mut Command) -> Result<Output> {
    command
        .output()
        .with_context(|| format!("{} could not be started", command.get_program().display()))
}

/// The last line that a program printed, where Python reports what failed.
fn last_line(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no message")
        .trim()
        .to_owned()
}

/// The folder of the environment.
pub fn environment() -> PathBuf {
    let of_wheel = project::environment().map(Path::to_owned);
    of_wheel.unwrap_or_else(|| project::generated().join("python"))
}

pub fn interpreter() -> PathBuf {
    let interpreter = in_environment(&environment());
    match project::environment() {
        // `pip install` without an environment may put programs in a folder that has no Python.
        Some(_) if !interpreter.exists() => NAMES[0].into(),
        _ => interpreter,
    }
}

fn in_environment(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    })
}

fn requirements() -> PathBuf {
    project::root().join("requirements.txt")
}

/// The file with the installed requirements, which is written last.
fn stamp() -> PathBuf {
    environment().join("installed.txt")
}

fn is_prepared(wanted: &str) -> bool {
    let same = |path: &Path| fs::read_to_string(path).is_ok_and(|installed| installed == wanted);
    same(&stamp()) && interpreter().exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parse_version("3 9").expect("a version") < OLDEST);
        assert!(parse_version("3 10").expect("a version") >= OLDEST);
        assert_eq!(parse_version(""), None);
    }
}
