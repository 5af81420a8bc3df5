//! `class`: the progress of all learners, as a report.

use crate::class::{self, Report, Roster};
use crate::cli::{Class, ReportFormat};
use crate::course;
use crate::printed::{self, say};
use anyhow::Result;
use notebook_session::tell;
use std::process::ExitCode;

/// Prints the report. Exit code 1: some files were left out; 2: there is nothing to report.
pub fn class(options: &Class) -> Result<ExitCode> {
    let all = course::of(options.course.as_deref())?;
    let lessons = match options.lessons.as_slice() {
        [] => all.iter().collect(),
        only => {
            let found: Result<Vec<_>> = only.iter().map(|one| course::lesson(&all, one)).collect();
            found?
        }
    };
    let roster = options.roster.as_deref().map(Roster::read).transpose()?;
    let collected = class::collect(&options.files, options.homes.as_deref());
    for sentence in &collected.left_out {
        tell(format_args!("error: {}", printed::visible(sentence)));
    }
    let code = match (collected.learners.is_empty(), collected.left_out.is_empty()) {
        (true, _) => 2,
        (false, false) => 1,
        (false, true) => 0,
    };
    if collected.learners.is_empty() && collected.left_out.is_empty() {
        tell(format_args!(
            "error: no learner has any progress so far in the homes that were searched"
        ));
    }
    let report = Report::new(lessons, collected, roster, options.due);
    match options.format {
        ReportFormat::Text if report.learners.is_empty() => {}
        ReportFormat::Text => say!("{}", class::text(&report).trim_end())?,
        ReportFormat::Json => say!("{:#}", report.as_json())?,
        ReportFormat::Csv => printed::print(format_args!("{}", class::csv(&report)?))?,
        ReportFormat::Nbgrader => printed::print(format_args!("{}", class::nbgrader(&report)?))?,
        ReportFormat::Canvas => printed::print(format_args!("{}", class::canvas(&report)?))?,
    }
    Ok(ExitCode::from(code))
}
