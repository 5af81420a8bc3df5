//! Exercises for the lesson that builds self-attention from averages.

pub(crate) mod average_by_loop;
pub(crate) mod averaging_weights;
pub(crate) mod bug_running_sum;
pub(crate) mod fading_scores;
pub(crate) mod predictions;
pub(crate) mod reach;

use crate::lesson::Lesson;

pub(crate) const LESSON: Lesson = Lesson {
    name: "from_scratch",
    title: "From scratch",
};
