//! The parts of an exercise. The README explains how to write one.

use std::time::Duration;

pub use crate::data::{matrix, matrix64, vector};
pub use crate::effort::Effort;
pub use crate::lesson::Lesson;
pub use crate::output::{Output, ReturnValue};
pub use attention::measure::Step;
pub use attention::ndarray;
pub use attention::prelude::*;

/// The time limit of a probe.
pub const LONGEST_CALL: Duration = Duration::from_secs(2);

/// An exercise whose answer is a function of type `F`.
pub struct Exercise<F: 'static> {
    /// Its name in `check::NAME`.
    pub name: &'static str,
    /// Its title, as learners see it.
    pub title: &'static str,
    /// The lesson that it belongs to.
    pub lesson: Lesson,
    /// The idea that it follows, in the words of a heading or sentence of the lesson.
    pub after: &'static str,
    /// The task, for the Markdown cell above it.
    pub task: &'static str,
    /// The functions of the crate `attention` that the task forbids: an answer that calls one does
    /// not count as right.
    pub without: &'static [Step],
    /// Its difficulty, and how long it takes.
    pub effort: Effort,
    /// The source of the exercise's file, which has the functions `solution` and `another` and, for
    /// *find the bug*, a function `given`: learners are shown their code.
    pub source: &'static str,
    /// A right answer.
    pub solution: F,
    /// A right answer that is written differently.
    pub another: F,
    /// Calls of the function, the simplest first.
    pub probes: &'static [Probe<F>],
    /// Known mistakes.
    pub mutants: &'static [Mutant<F>],
    /// At least three hints; the last one is almost the answer.
    pub hints: &'static [&'static str],
    /// Explains the answer, once it is right.
    pub explanation: &'static str,
    /// The equivalent in PyTorch or NumPy.
    pub pytorch: &'static str,
}

/// One call of the function, which tests one idea.
pub struct Probe<F> {
    /// What it tests, with its numbers if there are only a few.
    pub what: &'static str,
    /// Calls the function with this probe's arguments.
    pub run: fn(F) -> Output,
}

/// A known mistake.
pub struct Mutant<F> {
    /// The wrong function.
    pub code: F,
    /// Says what was done and how the numbers show it, perhaps with a question that leads further,
    /// but never the answer.
    pub says: &'static str,
}
