//! `lessons`: copies of the lessons for this learner.

use crate::cli::Lessons;
use crate::lessons::{LaidOut, LearnerFolder};
use crate::printed::{mention, say};
use crate::project;
use crate::trust::{self, Reader};
use anyhow::Result;
use notebook_session::tell;
use std::process::ExitCode;

pub fn lessons(options: &Lessons) -> Result<ExitCode> {
    let learner_folder = match &options.folder {
        Some(folder) => LearnerFolder::at(folder)?,
        None => LearnerFolder::of_this_learner()?,
    };
    let laid_out = learner_folder.lay_out(&project::notebooks(), &project::notebook_names()?)?;
    for copy in &laid_out.copied {
        mention!("Wrote {}", copy.display())?;
    }
    trust::sign(&laid_out.as_made, Reader::Any);
    tell_newer_and_failed(&laid_out)?;
    say!("Your lessons are in {}", learner_folder.folder().display())?;
    Ok(ExitCode::from(if laid_out.failures.is_empty() {
        0
    } else {
        1
    }))
}

/// Reports newer versions next to changed copies, and lessons that could not be copied.
pub fn tell_newer_and_failed(laid_out: &LaidOut) -> Result<()> {
    for newer in &laid_out.newer {
        say!(
            "You have changed a lesson that has a newer version: {}",
            newer.display()
        )?;
    }
    for failure in &laid_out.failures {
        tell(format_args!("error: {failure:#}"));
    }
    Ok(())
}
