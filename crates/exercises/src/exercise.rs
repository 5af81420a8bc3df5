//! What an exercise consists of. The README says how to write one.

use std::time::Duration;

pub use crate::data::{matrix, matrix64, vector};
pub use crate::effort::Effort;
pub use crate::lesson::Lesson;
pub use crate::output::{Answer, Output};
pub use attention::Step;
pub use attention::ndarray;
pub use attention::prelude::*;

/// How long a probe may take.
pub const LIMIT: Duration = Duration::from_secs(2);

/// An exercise whose answer is a function of type `F`.
pub struct Exercise<F: 'static> {
    /// Its name in `check::NAME`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Where it stands.
    pub lesson: Lesson,
    /// The idea after which it stands, as the lesson's heading or sentence has it.
    pub after: &'static str,
    /// What is to be done, for the Markdown cell above it.
    pub task: &'static str,
    /// The functions of the crate `attention` that the task forbids: a right answer that calls one
    /// is not right yet.
    pub without: &'static [Step],
    /// How hard it is, and how long it takes.
    pub effort: Effort,
    /// The file of the exercise, which has the functions `solution` and `another`, and for
    /// *find the bug* a function `given`: their texts are shown.
    pub source: &'static str,
    /// A right answer.
    pub solution: F,
    /// Another right answer, written in another way.
    pub another: F,
    /// What is tried, the simplest first.
    pub probes: &'static [Probe<F>],
    /// Known wrong answers.
    pub mutants: &'static [Mutant<F>],
    /// At least three; the last one is nearly the answer.
    pub hints: &'static [&'static str],
    /// Why the answer is as it is, shown after success.
    pub explanation: &'static str,
    /// What PyTorch or NumPy calls it.
    pub pytorch: &'static str,
}

/// One call of the function, which isolates one idea.
pub struct Probe<F> {
    /// What is tried, with its numbers if they are few.
    pub what: &'static str,
    /// Calls the function.
    pub run: fn(F) -> Output,
}

/// A known wrong answer.
pub struct Mutant<F> {
    /// The answer.
    pub code: F,
    /// What was done and how the numbers show it, and perhaps the question that leads on; never
    /// the answer.
    pub says: &'static str,
}
