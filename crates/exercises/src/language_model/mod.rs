//! Exercises of the lesson that trains language models.

pub(crate) mod adamw_step;
pub(crate) mod beat_the_bigram;
pub(crate) mod bigram_counts;
pub(crate) mod cross_entropy;
pub(crate) mod inputs_and_targets;
pub(crate) mod predictions;
pub(crate) mod sample;
