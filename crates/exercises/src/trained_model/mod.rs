//! Exercises for the lesson on a trained model.

pub(crate) mod looks_ahead;
pub(crate) mod predictions;
pub(crate) mod resting;
pub(crate) mod sentence_vector;
pub(crate) mod strongest_head;
pub(crate) mod without_head;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "trained_model",
    title: "A trained model",
};
