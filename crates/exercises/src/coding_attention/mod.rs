//! Exercises for the lesson that builds attention from simple arithmetic.

pub(crate) mod context;
pub(crate) mod cosine;
pub(crate) mod dot_product;
pub(crate) mod predictions;
pub(crate) mod scores;
pub(crate) mod softmax;
pub(crate) mod weights;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "coding_attention",
    title: "Coding attention",
};
