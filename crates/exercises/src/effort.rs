//! How hard an exercise is, and how long it takes.

use std::fmt;

/// The effort of a learner who knows Python, and of Rust only what the lessons have said so far.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// From 1, one line as the lesson has just shown it, to 5, an algorithm to work out.
    pub difficulty: u8,
    /// How long it takes, hints included.
    pub minutes: u8,
}

/// As the cell above the exercise has it.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effort {
            difficulty,
            minutes,
        } = self;
        write!(f, "Difficulty {difficulty} of 5, about {minutes} minutes")
    }
}
