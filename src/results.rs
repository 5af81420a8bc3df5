//! A learner's results in a course, exercise by exercise.

use crate::course::{Item, Lesson};
use course_progress::{Entry, ExerciseState, Progress};
use serde::Serialize;
use serde_json::{Value, json};

/// The version of the format that `--json` writes.
pub const SCHEMA: u32 = 1;

/// An exercise or a prediction, and its state.
#[derive(Serialize)]
pub struct Done<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub state: &'static str,
    #[serde(skip)]
    pub right_since: Option<u64>,
    pub attempts: u32,
    pub hints: u32,
    pub changed: u64,
}

/// The exercises or predictions, with their states.
pub fn done<'a>(items: &'a [Item], progress: &Progress) -> Vec<Done<'a>> {
    let of_item = |item: &'a Item| {
        let entry: Entry = progress
            .entries
            .get(&item.name)
            .cloned()
            .unwrap_or_default();
        Done {
            name: &item.name,
            title: &item.title,
            right_since: entry.right_since(),
            state: match entry.state {
                ExerciseState::Right => "done",
                ExerciseState::Wrong if entry.corrected => "corrected",
                ExerciseState::Wrong => "open",
                ExerciseState::OnlyHints => "not attempted",
            },
            attempts: entry.attempts,
            hints: entry.hints,
            changed: entry.changed,
        }
    };
    items.iter().map(of_item).collect()
}

/// How many of these are right.
pub fn right(items: &[Done]) -> usize {
    items
        .iter()
        .filter(|item| item.right_since.is_some())
        .count()
}

/// When anything in a lesson last changed, in seconds since 1970.
pub fn last_change(lesson: &Lesson, progress: &Progress) -> Option<u64> {
    let entries = lesson
        .items()
        .filter_map(|item| progress.entries.get(&item.name));
    entries.map(|entry| entry.changed).max()
}

/// The lessons as JSON, with the state of each exercise and prediction.
pub fn as_json<'a>(lessons: impl IntoIterator<Item = &'a Lesson>, progress: &Progress) -> Value {
    let of_lesson = |lesson: &Lesson| {
        json!({
            "lesson": lesson.lesson,
            "title": lesson.title,
            "exercises": done(&lesson.exercises, progress),
            "predictions": done(&lesson.predictions, progress),
        })
    };
    let lessons: Vec<_> = lessons.into_iter().map(of_lesson).collect();
    json!({ "schema": SCHEMA, "lessons": lessons })
}
