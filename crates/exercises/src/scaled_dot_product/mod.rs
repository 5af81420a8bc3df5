//! Exercises for the lesson on the formula.

pub(crate) mod additive_mask;
pub(crate) mod attention;
pub(crate) mod bug_scaled;
pub(crate) mod divisor;
pub(crate) mod predictions;
pub(crate) mod score_gradients;
pub(crate) mod softmax_backward;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "scaled_dot_product",
    title: "Scaled dot product",
};
