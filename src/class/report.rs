//! The report on a class: the results that count for each learner, up to the due date.

use crate::class::collect::Collected;
use crate::class::roster::Roster;
use crate::course::{Item, Lesson};
use crate::results::{self, SCHEMA};
use anyhow::{Context, Result};
use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};
use course_progress::{ExerciseState, Progress};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The format of times in reports.
const TIME: &str = "%Y-%m-%d %H:%M:%S";

/// A learner's result in an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    NotAttempted,
    Open,
    Late,
    Done,
}

pub struct Learner {
    pub name: String,
    pub progress: Progress,
    /// The files that the progress was read from.
    pub files: Vec<PathBuf>,
    /// The learner's row in the roster.
    pub row: Option<Vec<String>>,
}

impl Learner {
    /// The name, for a table. A name that is not on a roster may come from a stranger's file, and a
    /// spreadsheet must not interpret it as a formula.
    pub fn cell(&self) -> String {
        let is_formula = self.name.starts_with(['=', '+', '-', '@', '\t', '\r']);
        match is_formula && self.row.is_none() {
            true => format!("'{}", self.name),
            false => self.name.clone(),
        }
    }
}

pub struct Report<'a> {
    pub lessons: Vec<&'a Lesson>,
    pub learners: Vec<Learner>,
    pub roster: Option<Roster>,
    pub due: Option<u64>,
    pub left_out: Vec<String>,
}

impl<'a> Report<'a> {
    /// Puts learners in the order of the roster, followed by those who are not on it.
    pub fn new(
        lessons: Vec<&'a Lesson>,
        collected: Collected,
        roster: Option<Roster>,
        due: Option<u64>,
    ) -> Report<'a> {
        let mut found = collected.learners;
        let mut learners = Vec::new();
        for row in roster.iter().flat_map(|roster| &roster.rows) {
            let name = roster.as_ref().map_or("", |roster| roster.login(row));
            let (progress, files) = take(&mut found, name);
            learners.push(Learner {
                name: name.to_owned(),
                progress,
                files,
                row: Some(row.clone()),
            });
        }
        learners.extend(found.into_iter().map(|(name, (progress, files))| Learner {
            name,
            progress,
            files,
            row: None,
        }));
        Report {
            lessons,
            learners,
            roster,
            due,
            left_out: collected.left_out,
        }
    }

    /// A learner's result in an exercise; one solved after the due date is late.
    pub fn state(&self, learner: &Learner, item: &Item) -> Standing {
        let Some(entry) = learner.progress.entries.get(&item.name) else {
            return Standing::NotAttempted;
        };
        match (entry.right_since(), self.due) {
            (Some(since), Some(due)) if since > due => Standing::Late,
            (Some(_), _) => Standing::Done,
            (None, _) if entry.state == ExerciseState::OnlyHints => Standing::NotAttempted,
            (None, _) => Standing::Open,
        }
    }

    /// How many exercises of a lesson have this result.
    pub fn count(&self, learner: &Learner, lesson: &Lesson, state: Standing) -> usize {
        let exercises = lesson.exercises.iter();
        exercises
            .filter(|item| self.state(learner, item) == state)
            .count()
    }

    /// How many exercises of all lessons have this result.
    pub fn count_all(&self, learner: &Learner, state: Standing) -> usize {
        let lessons = self.lessons.iter();
        lessons
            .map(|lesson| self.count(learner, lesson, state))
            .sum()
    }

    /// The number of exercises, each of which is worth one point.
    pub fn points(&self) -> usize {
        self.lessons
            .iter()
            .map(|lesson| lesson.exercises.len())
            .sum()
    }

    /// How many predictions a learner has made, and how many were right.
    pub fn predictions(&self, learner: &Learner) -> [usize; 2] {
        let items = self.lessons.iter().flat_map(|lesson| &lesson.predictions);
        let entries = items.filter_map(|item| learner.progress.entries.get(&item.name));
        entries.fold([0; 2], |[made, right], entry| {
            [
                made + usize::from(entry.attempts > 0),
                right + usize::from(entry.state == ExerciseState::Right),
            ]
        })
    }

    /// Whether a learner has done nothing in any of the lessons.
    pub fn is_idle(&self, learner: &Learner) -> bool {
        let mut items = self.lessons.iter().flat_map(|lesson| lesson.items());
        let entry = |item: &Item| learner.progress.entries.get(&item.name);
        !items.any(|item| entry(item).is_some_and(|entry| entry.attempts > 0))
    }

    /// The report as JSON, for other programs.
    pub fn as_json(&self) -> Value {
        let of_learner = |learner: &Learner| {
            let mut json = results::as_json(self.lessons.iter().copied(), &learner.progress);
            json["learner"] = json!(learner.name);
            json["files"] = json!(learner.files);
            json["points"] = json!(self.count_all(learner, Standing::Done));
            json["late"] = json!(self.count_all(learner, Standing::Late));
            json["on_roster"] = json!(self.roster.as_ref().map(|_| learner.row.is_some()));
            json
        };
        let learners: Vec<Value> = self.learners.iter().map(of_learner).collect();
        json!({
            "schema": SCHEMA,
            "points": self.points(),
            "due": self.due,
            "learners": learners,
            "left_out": self.left_out,
        })
    }
}

/// Removes and returns the learner with this name, ignoring case: a Hub may write names in lower
/// case.
fn take(
    found: &mut BTreeMap<String, (Progress, Vec<PathBuf>)>,
    name: &str,
) -> (Progress, Vec<PathBuf>) {
    if let Some(exactly) = found.remove(name) {
        return exactly;
    }
    let name = name.to_lowercase();
    let key = found.keys().find(|key| key.to_lowercase() == name).cloned();
    key.and_then(|key| found.remove(&key)).unwrap_or_default()
}

/// Parses a time, or a day (which means the end of that day), in the given time zone or else this
/// machine's. Returns seconds since 1970.
pub fn time(text: &str) -> Result<u64> {
    let with_zone = || {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .map(|time| time.timestamp())
    };
    let local = |time: NaiveDateTime| Local.from_local_datetime(&time).latest();
    let on_the_clock = || {
        let formats = [
            "%Y-%m-%dT%H:%M",
            "%Y-%m-%d %H:%M",
            "%Y-%m-%dT%H:%M:%S",
            TIME,
        ];
        let mut times = formats
            .iter()
            .filter_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
        Some(local(times.next()?)?.timestamp())
    };
    let of_day = || {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(local(day.succ_opt()?.and_time(NaiveTime::MIN))?.timestamp() - 1)
    };
    let seconds = with_zone().or_else(on_the_clock).or_else(of_day);
    let seconds = seconds.with_context(|| {
        format!(
            "{text} is not a time: write 2026-12-01 (the end of that day), 2026-12-01T18:00 or \
             2026-12-01T18:00:00+01:00"
        )
    })?;
    u64::try_from(seconds).with_context(|| format!("{text} is before 1970"))
}

/// A time in this machine's time zone, for people and their spreadsheets.
pub fn shown(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok();
    let time = time.and_then(|time| Local.timestamp_opt(time, 0).single());
    time.map_or(String::new(), |time| time.format(TIME).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_due_at_its_end_and_a_zone_counts() -> Result<()> {
        assert_eq!(time("2026-12-01T18:00:00+01:00")?, 1_796_144_400);
        assert_eq!(time("2026-12-01T17:00:00Z")?, 1_796_144_400);
        assert_eq!(shown(time("2026-12-01")?), "2026-12-01 23:59:59");
        assert_eq!(shown(time("2026-12-01T18:00")?), "2026-12-01 18:00:00");
        for text in ["tomorrow", "2026-13-01", "1.12.2026", ""] {
            let message = time(text).expect_err("no time").to_string();
            assert!(
                message.contains("is not a time: write 2026-12-01"),
                "{message}"
            );
        }
        Ok(())
    }
}
