//! Wrong answers by readers who had only the lessons, in a file for each kind of reader.

#![allow(
    clippy::int_plus_one,
    clippy::needless_range_loop,
    clippy::explicit_counter_loop,
    clippy::type_complexity,
    reason = "as learners write"
)]

mod careful;
mod hasty;
mod of_translation;

use exercises::Verdict;

/// The exercise, the reader's idea, and the verdict.
pub type Answer = (&'static str, &'static str, Verdict);

/// Prints the diagnosis of each answer, and returns how many have one.
#[track_caller]
fn diagnosed(answers: &[Answer]) -> usize {
    let mut count = 0;
    for (name, what, verdict) in answers {
        let says = verdict.diagnosis();
        println!("{name}: {what}\n    {}", says.unwrap_or("-"));
        assert!(!verdict.is_right(), "{name}: {what}");
        count += usize::from(says.is_some());
    }
    println!("{count} of {} get a diagnosis", answers.len());
    count
}

#[test]
fn nine_of_ten_hasty_answers_get_a_diagnosis() {
    let answers = hasty::answers();
    assert!(10 * diagnosed(&answers) >= 9 * answers.len());
}

#[test]
fn nine_of_ten_careful_answers_get_a_diagnosis() {
    let answers = careful::answers();
    assert!(10 * diagnosed(&answers) >= 9 * answers.len());
}

#[test]
fn eight_of_ten_wrong_answers_about_translation_get_a_diagnosis() {
    let answers = of_translation::answers();
    assert!(10 * diagnosed(&answers) >= 8 * answers.len());
}
