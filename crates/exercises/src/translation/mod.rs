//! Exercises for the lesson on a model that translates.

pub(crate) mod cross_weights;
pub(crate) mod greedy;
pub(crate) mod memory_step;
pub(crate) mod places_alike;
pub(crate) mod predictions;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "translation",
    title: "A model that translates",
};
