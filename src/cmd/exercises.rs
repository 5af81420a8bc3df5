//! `exercises --check` tests the course, using cargo because the exercises are not part of this
//! program.

use crate::course_session::CourseSession;
use crate::jupyter::look_where_set_up_did;
use crate::printed::say;
use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

pub fn check(course: Option<&Path>) -> Result<ExitCode> {
    if let Some(folder) = course {
        look_where_set_up_did(false)?;
        let checked = notebook_session::with_room(|| check_other(folder));
        return checked.context("the course could not be checked; the lines above say why")?;
    }
    project::check_repository("exercises --check")?;
    // Without `--package`, cargo uses what it has compiled for the tests.
    let status = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--example", "prove"])
        .current_dir(project::root())
        .status()
        .context(
            "cargo could not be started: searched PATH; install Rust from https://rustup.rs",
        )?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}

/// Checks a course in a folder of its own, and writes its `course.json`.
fn check_other(folder: &Path) -> Result<ExitCode> {
    let mut session = CourseSession::start(Some(folder))?;
    let faults = session.faults()?;
    if !faults.is_empty() {
        say!("{faults}")?;
        return Ok(ExitCode::FAILURE);
    }
    let file = folder.join(project::COURSE);
    fs::write(&file, session.json()?)
        .with_context(|| format!("cannot write {}", file.display()))?;
    say!(
        "All exercises pass; the course is described in {}",
        file.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
