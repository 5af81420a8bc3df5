//! Exercises for the lesson that trains language models.

pub(crate) mod adamw_step;
pub(crate) mod beat_the_bigram;
pub(crate) mod bigram_counts;
pub(crate) mod block;
pub(crate) mod cross_entropy;
pub(crate) mod embedded;
pub(crate) mod feed_forward;
pub(crate) mod inputs_and_targets;
pub(crate) mod layer_norm;
pub(crate) mod predictions;
pub(crate) mod sample;
pub(crate) mod transformer;
pub(crate) mod write;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "language_model",
    title: "Language model",
};
