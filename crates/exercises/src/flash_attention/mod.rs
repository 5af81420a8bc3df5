//! Exercises for the lesson on flash attention.

pub(crate) mod correction;
pub(crate) mod flash_tile;
pub(crate) mod predictions;
pub(crate) mod recomputed_weights;
pub(crate) mod running_context;
pub(crate) mod visited_tiles;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "flash_attention",
    title: "Flash attention",
};
