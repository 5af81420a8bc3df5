//! The booklet of solutions, for teachers.

use crate::course::{exercises, predictions};
use crate::entry::Entry;
use crate::lesson::Lesson;
use crate::prediction::Prediction;

/// All solutions and the answers to all predictions, lesson by lesson, in Markdown.
///
/// ```
/// assert!(exercises::booklet().contains("fn my_softmax("));
/// ```
pub fn booklet() -> String {
    let mut text = "# Solutions\n\nFor teachers. Learners see the same solutions with \
                    `solution::NAME()`, after an attempt.\n"
        .to_owned();
    let mut lesson: Option<Lesson> = None;
    for exercise in exercises() {
        let of_exercise = exercise.lesson();
        if lesson != Some(of_exercise) {
            text += &format!("\n## {}\n", of_exercise.title);
            let guesses = predictions().iter();
            let guesses = guesses.filter(|one| one.lesson == of_exercise);
            text.extend(guesses.map(|one| answer(one)));
            lesson = Some(of_exercise);
        }
        text += &solution(*exercise);
    }
    text
}

fn answer(prediction: &Prediction) -> String {
    format!(
        "\n- {} (`predict::{}`) **{}.** {}\n",
        prediction.question,
        prediction.name,
        prediction.right.text(),
        prediction.reason
    )
}

fn solution(exercise: &dyn Entry) -> String {
    let (name, effort) = (exercise.name(), exercise.effort());
    let mut text = format!(
        "\n### {}\n\n*`check::{name}`. {effort}.* {}\n",
        exercise.title(),
        exercise.task()
    );
    match exercise.solution() {
        none if none.is_empty() => {
            let hint = exercise.hints().last().copied().unwrap_or_default();
            text += &format!("\nThere are many. {hint}\n");
        }
        one => {
            let another = exercise.another();
            text += &format!("\n```rust\n{one}\n```\n\nAnother way:\n\n```rust\n{another}\n```\n");
        }
    }
    text + &format!("\n{}\n", exercise.explanation())
}
