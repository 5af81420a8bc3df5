//! Exercises for the lesson on a model that writes.

pub(crate) mod cache_step;
pub(crate) mod predictions;
pub(crate) mod rotated;
pub(crate) mod top_k;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "model_that_writes",
    title: "A model that writes",
};
