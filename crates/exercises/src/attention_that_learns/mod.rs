//! Exercises for the lesson on attention with learned matrices, a mask, dropout and several heads.

pub(crate) mod bug_causal_weights;
pub(crate) mod causal_mask;
pub(crate) mod dropout;
pub(crate) mod join_heads;
pub(crate) mod masked_weights;
pub(crate) mod multi_head;
pub(crate) mod predictions;
pub(crate) mod projections;
pub(crate) mod scaled_weights;
pub(crate) mod split_heads;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "attention_that_learns",
    title: "Attention that learns",
};
