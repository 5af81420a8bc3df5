//! The report for people: as text, and as a table for a spreadsheet.

use crate::class::report::{Learner, Report, Standing, shown};
use crate::printed;
use crate::results;
use anyhow::Result;
use std::fmt::Write;

/// The report as text: for each lesson, a line per learner with a sign per exercise; then totals.
pub fn text(report: &Report<'_>) -> String {
    let name = |learner: &Learner| printed::name(&learner.name);
    let widths = report
        .learners
        .iter()
        .map(|learner| name(learner).chars().count());
    let width = widths.max().unwrap_or(0).max(8);
    let mut text = String::new();
    for lesson in report
        .lessons
        .iter()
        .filter(|lesson| !lesson.exercises.is_empty())
    {
        let names: Vec<String> = (1..)
            .zip(&lesson.exercises)
            .map(|(number, item)| format!("{number} {}", item.name))
            .collect();
        let _ = writeln!(text, "{}: {}", lesson.title, names.join(", "));
        for learner in &report.learners {
            let marks: String = (lesson.exercises.iter())
                .map(|item| format!(" {}", mark(report.state(learner, item))))
                .collect();
            let points = report.count(learner, lesson, Standing::Done);
            let of = lesson.exercises.len();
            let _ = writeln!(
                text,
                "  {:<width$} {marks}  {points} of {of}",
                name(learner)
            );
        }
        text.push('\n');
    }
    let _ = writeln!(text, "All lessons");
    for learner in &report.learners {
        let points = report.count_all(learner, Standing::Done);
        let [made, right] = report.predictions(learner);
        let _ = writeln!(
            text,
            "  {:<width$}  {points} of {} points; {made} predictions made, {right} right",
            name(learner),
            report.points()
        );
    }
    let late = report
        .due
        .map_or(String::new(), |due| format!(", L after {}", shown(due)));
    let _ = writeln!(text, "\n✓ done{late}, … tried, · not attempted");
    let names = |wanted: &dyn Fn(&Learner) -> bool| {
        let found = report.learners.iter().filter(|learner| wanted(learner));
        found.map(name).collect::<Vec<String>>().join(", ")
    };
    let idle = names(&|learner| report.is_idle(learner));
    if !idle.is_empty() {
        let _ = writeln!(text, "Nothing done so far: {idle}");
    }
    let strangers = names(&|learner| report.roster.is_some() && learner.row.is_none());
    if !strangers.is_empty() {
        let _ = writeln!(text, "Not on the roster: {strangers}");
    }
    text
}

fn mark(state: Standing) -> char {
    match state {
        Standing::NotAttempted => '·',
        Standing::Open => '…',
        Standing::Late => 'L',
        Standing::Done => '✓',
    }
}

/// One line for each learner: 1 for an exercise that is done, 0 for one that was tried or is late,
/// and nothing for one that was not attempted.
pub fn csv(report: &Report<'_>) -> Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let exercises = || report.lessons.iter().flat_map(|lesson| &lesson.exercises);
    let mut header: Vec<&str> = ["learner", "on_roster", "points", "of", "late"].to_vec();
    header.extend(["predictions", "predictions_right", "last_change"]);
    header.extend(exercises().map(|item| item.name.as_str()));
    table.write_record(header)?;
    for learner in &report.learners {
        let [made, right] = report.predictions(learner);
        let last = report
            .lessons
            .iter()
            .filter_map(|lesson| results::last_change(lesson, &learner.progress));
        let on_roster = match (&report.roster, &learner.row) {
            (None, _) => "",
            (Some(_), Some(_)) => "yes",
            (Some(_), None) => "no",
        };
        let mut row = vec![
            learner.cell(),
            on_roster.to_owned(),
            report.count_all(learner, Standing::Done).to_string(),
            report.points().to_string(),
            report.count_all(learner, Standing::Late).to_string(),
            made.to_string(),
            right.to_string(),
            last.max().map_or(String::new(), shown),
        ];
        row.extend(exercises().map(|item| {
            let points = match report.state(learner, item) {
                Standing::NotAttempted => "",
                Standing::Open | Standing::Late => "0",
                Standing::Done => "1",
            };
            points.to_owned()
        }));
        table.write_record(row)?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}
