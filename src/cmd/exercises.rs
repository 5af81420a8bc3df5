//! `exercises --check` tests the course, using cargo because the exercises are not part of this
//! program.

use crate::project;
use anyhow::{Context, Result};
use std::process::{Command, ExitCode};

pub fn check() -> Result<ExitCode> {
    project::check_repository("exercises --check")?;
    let status = Command::new("cargo")
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "exercises",
            "--example",
            "prove",
        ])
        .current_dir(project::root())
        .status()
        .context(
            "cargo could not be started: searched PATH; install Rust from https://rustup.rs",
        )?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}
