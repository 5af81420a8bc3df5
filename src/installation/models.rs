//! The trained models of some lessons, fetched once for all users.

use crate::{project, python, set_up_report};
use anyhow::{Result, bail};
use notebook_session::{SetUpStep, tell};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Makes the installed program fetch missing models, and check all models by loading them. If there
/// is no network, says that learners will have to fetch them.
pub fn fetch(root: &Path, program: &Path) -> Result<()> {
    set_up_report::step(SetUpStep::Begins(
        "Fetching and checking the models of lessons ...",
    ));
    let scratch = tempfile::tempdir()?;
    let notebook = scratch.path().join("models.ipynb");
    fs::write(&notebook, cells().to_string())?;
    let ran = Command::new(program)
        .arg("run")
        .arg(&notebook)
        .env("XDG_CACHE_HOME", root.join(project::CACHE))
        .env(
            project::PYTHON,
            python::with_pip(&scratch.path().join("python"))?,
        )
        .output()?;
    match outcome(&ran) {
        Outcome::Fetched => {}
        Outcome::Unreachable(why) => tell(format_args!(
            "The models are not part of this installation: each learner will fetch them. To include \
             them, connect to the network and run this command again.\n{why}"
        )),
        Outcome::Failed(why) => bail!("the models could not be checked: {why}"),
    }
    Ok(())
}

/// A notebook that loads the models.
fn cells() -> serde_json::Value {
    let cells = project::cells_with_models().map(|source| {
        json!({"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": source})
    });
    json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Fetched,
    /// The message of `run`, which has skipped the notebook.
    Unreachable(String),
    Failed(String),
}

fn outcome(ran: &Output) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let printed = text(&ran.stdout);
    match (ran.status.success(), printed.contains(project::NOT_FETCHED)) {
        (true, false) => Outcome::Fetched,
        (true, true) => Outcome::Unreachable(printed),
        (false, _) => Outcome::Failed(format!("{printed}\n{}", text(&ran.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_network_is_no_failure_but_a_wrong_file_is() -> Result<()> {
        let skipped = format!("SKIPPED at cell 1\n{}: no network", project::NOT_FETCHED);
        for (script, expected) in [
            ("echo 'models ... ok, 3 cells'".to_owned(), Outcome::Fetched),
            (
                format!("echo '{skipped}'"),
                Outcome::Unreachable(skipped.clone()),
            ),
            (
                "echo FAILED; echo 'its SHA-256 is' >&2; exit 1".to_owned(),
                Outcome::Failed("FAILED\nits SHA-256 is".to_owned()),
            ),
        ] {
            let ran = Command::new("sh").args(["-c", &script]).output()?;
            assert_eq!(outcome(&ran), expected);
        }
        Ok(())
    }
}
