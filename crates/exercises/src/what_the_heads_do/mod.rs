//! Exercises for the lesson on what the heads of a model that writes do.

pub(crate) mod copying;
pub(crate) mod predictions;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "what_the_heads_do",
    title: "What the heads do",
};
