//! Checks the course: for each exercise, its solutions pass, `todo!()` is not attempted, each known
//! mistake gets its own sentence, and no hint gives away the solution.

use exercises::{COURSE, Lesson, exercises, predictions};
use std::collections::BTreeSet;

#[test]
fn every_exercise_is_proved() {
    let faults = COURSE.faults();
    assert!(
        faults.is_empty(),
        "{}",
        faults.join(
            "

"
        )
    );
}

#[test]
fn names_are_told_apart_and_lessons_come_in_order() {
    let names: Vec<&str> = exercises().iter().map(|exercise| exercise.name()).collect();
    let guesses = predictions().iter().map(|prediction| prediction.name);
    let all: Vec<&str> = names.iter().copied().chain(guesses).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    let lessons: Vec<Lesson> = exercises()
        .iter()
        .map(|exercise| exercise.lesson())
        .collect();
    let order = COURSE.lessons();
    let place = |lesson: &Lesson| order.iter().position(|one| one == lesson);
    assert!(lessons.is_sorted_by_key(place));
    assert!(predictions().is_sorted_by_key(|prediction| place(&prediction.lesson)));
}

#[test]
fn every_answer_is_among_its_choices() {
    for prediction in predictions() {
        let (choices, answer) = (prediction.right.choices(), prediction.right.text());
        let is_there = choices.is_empty() || choices.contains(&answer.as_str());
        assert!(is_there, "{}: {answer}", prediction.name);
    }
}

#[test]
fn every_cell_ends_in_its_check() {
    for exercise in exercises() {
        let (name, cell) = (exercise.name(), exercise.cell());
        let last = cell.lines().last().unwrap_or_default();
        assert!(last.starts_with(&format!("check::{name}(")), "{cell}");
    }
}

#[test]
fn the_file_of_the_course_is_up_to_date() {
    let file = std::fs::read_to_string("course.json").unwrap_or_default();
    let advice =
        "run `cargo run --release -p exercises --example course > course.json` in its folder";
    assert!(file == COURSE.json(), "{advice}");
}

#[test]
fn the_booklet_has_two_solutions_of_every_exercise_and_an_answer_to_every_prediction() {
    let booklet = exercises::booklet();
    let places: Vec<Option<usize>> = exercises()
        .iter()
        .map(|exercise| booklet.find(&format!("*`check::{}`. ", exercise.name())))
        .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted());
    for exercise in exercises() {
        let (name, explanation) = (exercise.name(), exercise.explanation());
        assert!(!explanation.is_empty() && booklet.contains(&explanation));
        let code = format!("fn my_{name}(");
        let of_one_with_many = exercise.solution().is_empty();
        let expected = if of_one_with_many { 0 } else { 2 };
        assert_eq!(booklet.matches(&code).count(), expected, "{name}");
    }
    for prediction in predictions() {
        let answer = format!(
            "(`predict::{}`) **{}.**",
            prediction.name,
            prediction.right.text()
        );
        assert!(booklet.contains(&answer), "{answer}");
    }
}
