//! The course as a file, from which the lessons' cells are made and which the program reads.

use crate::entry::Entry;
use crate::lesson::Lesson;
use crate::make_course::Course;
use crate::prediction::{Prediction, UNANSWERED};
use serde_json::{Value, json};

impl Course {
    /// The course in JSON, lesson by lesson, each exercise and prediction with its cells.
    ///
    /// ```
    /// assert!(exercises::COURSE.json().contains("check::softmax(my_softmax)"));
    /// ```
    pub fn json(&self) -> String {
        let of_lesson = |lesson: &Lesson| {
            let guesses = self.predictions.iter().filter(|one| one.lesson == *lesson);
            let tasks = self.exercises.iter().filter(|one| one.lesson() == *lesson);
            json!({
                "lesson": lesson.name,
                "title": lesson.title,
                "exercises": tasks.map(|one| of_exercise(*one)).collect::<Value>(),
                "predictions": guesses.map(|one| of_prediction(one)).collect::<Value>(),
            })
        };
        let lessons: Value = self.lessons().iter().map(of_lesson).collect();
        format!("{lessons:#}\n")
    }
}

fn of_exercise(exercise: &dyn Entry) -> Value {
    let effort = exercise.effort();
    json!({
        "name": exercise.name(),
        "title": exercise.title(),
        "after": exercise.after(),
        "difficulty": effort.difficulty,
        "minutes": effort.minutes,
        "markdown": format!("### Your turn: {}\n\n*{effort}.* {}", exercise.title(), exercise.task()),
        "code": exercise.cell(),
    })
}

fn of_prediction(prediction: &Prediction) -> Value {
    let choices = prediction.right.choices();
    let quoted: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
    let among = match quoted.is_empty() {
        true => String::new(),
        false => format!(" (One of {}.)", quoted.join(", ")),
    };
    json!({
        "name": prediction.name,
        "title": prediction.question,
        "before": prediction.before,
        "markdown": format!("**What do you expect?** {}{among}", prediction.question),
        "code": format!("predict::{}(\"{UNANSWERED}\")", prediction.name),
    })
}
