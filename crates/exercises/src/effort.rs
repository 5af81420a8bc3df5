//! The difficulty of an exercise, and how long it takes.

use std::fmt;

/// The effort for a learner who knows Python but only as much Rust as the lessons have taught so
/// far.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// From 1 (one line like those that the lesson has just shown) to 5 (an algorithm to work out).
    pub difficulty: u8,
    /// How many minutes it takes, hints included.
    pub minutes: u8,
}

/// The text for the cell above the exercise.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effort {
            difficulty,
            minutes,
        } = self;
        write!(f, "Difficulty {difficulty} of 5, about {minutes} minutes")
    }
}
