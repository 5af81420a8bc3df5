#![cfg_attr(not(unix), allow(dead_code))] // on a web page there are no processes
#![doc = include_str!("../README.md")]
#![expect(
    clippy::type_complexity,
    reason = "the type of an answer is what a learner writes, and rustc shows it"
)]

// The parts of an exercise.
mod arguments;
mod attempt;
mod data;
mod effort;
pub mod exercise;
mod lesson;
mod listing;
mod output;

// The exercises and predictions of each lesson.
mod attention_that_learns;
mod coding_attention;
mod flash_attention;
mod from_scratch;
mod language_model;
mod model_that_writes;
mod scaled_dot_product;
mod trained_model;
mod translation;
mod what_the_heads_do;
mod who_attends_to_whom;

// The list of all exercises and predictions.
mod course;
mod course_file;
mod entry;
mod make_course;

// From an answer to a verdict.
mod answers;
mod guess;
mod judge;
mod prediction;
mod verdict;

// Grades for answers that were handed in.
mod grades;

// Everything else that learners and teachers can ask for.
mod booklet;
mod hints_and_solutions;
mod overview;
mod store;

pub mod prelude;

pub use arguments::Argument;
#[doc(hidden)]
pub use arguments::in_place_of;
pub use attempt::Member;
pub use booklet::booklet;
pub use course::{
    COURSE, check, exercises, hint, predict, predicted, predictions, progress, solution,
};
pub use effort::Effort;
pub use entry::Entry;
pub use hints_and_solutions::Aid;
pub use lesson::Lesson;
pub use make_course::Course;
pub use overview::Overview;
pub use prediction::{JudgedPrediction, Prediction, Right, UNANSWERED};
pub use verdict::{AnswerState, Verdict};
