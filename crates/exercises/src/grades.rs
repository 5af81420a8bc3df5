//! Judges the answers stored by a graded notebook.

use crate::answers;
use crate::make_course::Course;
use crate::prediction::Prediction;
use crate::verdict::AnswerState;
use serde_json::{Map, Value};
use std::path::Path;

impl Course {
    /// Judges the answers that a notebook has stored in a folder. Returns JSON that maps
    /// the name of each attempted exercise or prediction to `"right"` or `"wrong"`.
    ///
    /// ```
    /// let nothing = std::env::temp_dir().join("no such folder");
    /// assert_eq!(exercises::COURSE.grades(&nothing), "{}");
    /// ```
    pub fn grades(&self, folder: &Path) -> String {
        let mut grades = Map::new();
        let mut grade = |name: &str, state: AnswerState| {
            let state = match state {
                AnswerState::NotAttempted => return,
                AnswerState::Wrong => "wrong",
                AnswerState::Right => "right",
            };
            grades.insert(name.to_owned(), state.into());
        };
        for exercise in self.exercises {
            if let Some(answer) = answers::read(folder, exercise.name()) {
                grade(exercise.name(), exercise.grade(&answer));
            }
        }
        for prediction in self.predictions {
            if let Some(guess) = answers::read(folder, prediction.name) {
                grade(prediction.name, of_guess(prediction, &guess));
            }
        }
        Value::from(grades).to_string()
    }
}

fn of_guess(prediction: &Prediction, guess: &[u8]) -> AnswerState {
    match prediction.right.is(&String::from_utf8_lossy(guess)) {
        Ok(true) => AnswerState::Right,
        Ok(false) => AnswerState::Wrong,
        Err(_) => AnswerState::NotAttempted,
    }
}
