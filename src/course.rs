//! The course as described in its file: the exercises and predictions of each lesson.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// The modules with an item for each exercise, and for each prediction.
const OF_EXERCISES: [&str; 3] = ["check", "hint", "solution"];
const OF_PREDICTIONS: &str = "predict";

/// One lesson.
#[derive(Deserialize)]
pub struct Lesson {
    pub lesson: String,
    pub title: String,
    pub exercises: Vec<Item>,
    pub predictions: Vec<Item>,
}

/// An exercise or a prediction.
#[derive(Deserialize)]
pub struct Item {
    pub name: String,
    pub title: String,
}

/// All lessons, in teaching order.
pub fn read(file: &Path) -> Result<Vec<Lesson>> {
    let text = fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))
}

/// The items of the notebook `name` for its exercises and predictions: `hint::softmax` and so
/// on, in teaching order. Empty if it is not a lesson.
pub fn paths(lessons: &[Lesson], name: &str) -> Vec<String> {
    let Some(lesson) = lessons.iter().find(|one| name.ends_with(&one.lesson)) else {
        return Vec::new();
    };
    let path = |module: &str, item: &Item| format!("{module}::{}", item.name);
    let of_exercises = OF_EXERCISES.iter().flat_map(|module| {
        let exercises = lesson.exercises.iter();
        exercises.map(move |item| path(module, item))
    });
    let predictions = lesson.predictions.iter();
    of_exercises
        .chain(predictions.map(|item| path(OF_PREDICTIONS, item)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_is_known_by_the_name_of_its_notebook() {
        let item = |name: &str| Item {
            name: name.to_owned(),
            title: String::new(),
        };
        let lessons = [Lesson {
            lesson: "from_scratch".to_owned(),
            title: String::new(),
            exercises: vec![item("b"), item("a")],
            predictions: vec![item("c")],
        }];
        let expected = [
            "check::b",
            "check::a",
            "hint::b",
            "hint::a",
            "solution::b",
            "solution::a",
            "predict::c",
        ];
        assert_eq!(paths(&lessons, "04_self_attention_from_scratch"), expected);
        assert_eq!(paths(&lessons, "Untitled"), [""; 0]);
    }
}
