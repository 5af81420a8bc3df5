//! `lessons`: copies of the lessons for this learner.

use crate::cli::Lessons;
use crate::lessons::{LaidOut, LearnerFolder};
use crate::printed::{mention, say};
use crate::project;
use crate::trust::{self, Reader};
use anyhow::Result;
use std::process::ExitCode;

pub fn lessons(options: &Lessons) -> Result<ExitCode> {
    let learner_folder = match &options.folder {
        Some(folder) => LearnerFolder::at(folder)?,
        None => LearnerFolder::of_this_learner()?,
    };
    let laid_out = learner_folder.lay_out(
        &project::notebooks(),
        &project::notebook_names()?,
        options.refresh,
    )?;
    for copy in &laid_out.copied {
        mention!("Wrote {}", copy.display())?;
    }
    trust::sign(&laid_out.as_made, Reader::Any);
    tell_outdated(&laid_out)?;
    say!("Your lessons are in {}", learner_folder.folder().display())?;
    Ok(ExitCode::SUCCESS)
}

/// Reports which copies have a newer published version.
pub fn tell_outdated(laid_out: &LaidOut) -> Result<()> {
    for copy in &laid_out.outdated {
        say!(
            "There is a newer version of {}, which you have changed",
            copy.display()
        )?;
    }
    match laid_out.outdated.is_empty() {
        true => Ok(()),
        false => say!("`lessons --refresh` puts the newer ones next to yours."),
    }
}
