//! Exercises for the lesson that reads matrices of weights.

pub(crate) mod cross_attention;
pub(crate) mod favourite;
pub(crate) mod popularity;
pub(crate) mod predictions;
pub(crate) mod renormalised;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "who_attends_to_whom",
    title: "Who attends to whom",
};
