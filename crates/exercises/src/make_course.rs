//! A course: its exercises and predictions, and the functions that learners call.

use crate::answers;
use crate::attempt::{Answered, Attempt, Member, Whose};
use crate::entry::Entry;
use crate::exercise::Exercise;
use crate::hints_and_solutions::{self, Aid};
use crate::judge::is_given;
use crate::lesson::Lesson;
use crate::prediction::{self, JudgedPrediction, Prediction};
use crate::store;
use crate::verdict::{AnswerState, Verdict};
use course_progress::Progress;
use std::fmt::Display;

/// The exercises and predictions of a course, made by the macro [`course!`](crate::course!).
pub struct Course {
    /// All exercises, in teaching order.
    pub exercises: &'static [&'static dyn Entry],
    /// All predictions, in teaching order.
    pub predictions: &'static [&'static Prediction],
}

impl Course {
    /// The lessons that have an exercise or a prediction, in teaching order.
    pub fn lessons(&self) -> Vec<Lesson> {
        let of_exercises = self.exercises.iter().map(|exercise| exercise.lesson());
        let of_predictions = self.predictions.iter().map(|prediction| prediction.lesson);
        let mut lessons = Vec::new();
        for lesson in of_exercises.chain(of_predictions) {
            if !lessons.contains(&lesson) {
                lessons.push(lesson);
            }
        }
        lessons
    }

    /// What is wrong with the exercises: see [`Entry::prove`].
    ///
    /// ```no_run
    /// assert!(exercises::COURSE.faults().is_empty()); // takes a minute without optimisation
    /// ```
    pub fn faults(&self) -> Vec<String> {
        let all = self.exercises.iter().flat_map(|exercise| {
            let faults = exercise.prove().into_iter();
            faults.map(|fault| format!("{}: {fault}", exercise.name()))
        });
        all.collect()
    }

    /// Judges an answer, and records the attempt.
    pub fn check<F: Copy>(&self, member: &Member<F>, answer: F) -> Verdict {
        self.recorded(&Answered { member, answer })
    }

    /// Judges a guess, and records it.
    pub fn predict(
        &self,
        prediction: &'static Prediction,
        guess: &dyn Display,
    ) -> JudgedPrediction {
        prediction::judge(prediction, &guess.to_string())
    }

    /// The verdict, after counting the attempt; submitting the unchanged function of a *find the
    /// bug* exercise is not an attempt.
    fn recorded(&self, attempt: &dyn Attempt) -> Verdict {
        let verdict = Verdict::of(attempt, Whose::Learner);
        let is_given = verdict.diagnosis().is_some() && is_given(attempt, verdict.judged());
        match is_given {
            true => verdict.untouched(),
            false => self.counted(verdict),
        }
    }

    /// Counts an attempt, and puts the lesson's progress into the verdict.
    pub(crate) fn counted(&self, mut verdict: Verdict) -> Verdict {
        if verdict.state() != AnswerState::NotAttempted {
            answers::keep(&verdict);
            match store::record(verdict.name, verdict.is_right()) {
                Ok(recorded) => verdict.done = self.done(&recorded, verdict.name),
                Err(remark) => verdict.remark = Some(remark),
            }
        }
        verdict
    }

    /// How many exercises of the same lesson are done, and how many there are.
    fn done(&self, recorded: &Progress, name: &str) -> Option<[usize; 2]> {
        let mut all = self.exercises.iter();
        let lesson = all.find(|exercise| exercise.name() == name)?.lesson();
        let of_lesson = || self.exercises.iter().filter(|one| one.lesson() == lesson);
        let done = of_lesson().filter(|one| recorded.is_right(one.name()));
        Some([done.count(), of_lesson().count()])
    }
}

impl<F> Exercise<F> {
    /// The next hint.
    pub fn hint(&self) -> Aid {
        hints_and_solutions::hint(self.texts())
    }

    /// The solution, once the exercise has been tried or its last hint shown.
    pub fn show_solution(&self) -> Aid {
        hints_and_solutions::solution(self.texts())
    }
}

/// Makes a course: each line of `exercises` becomes a function in `check`, `hint` and `solution`, and
/// each line of `predictions` one in `predict`. `progress` shows how far a learner has got, and
/// `COURSE` is the whole course. The README explains how to write exercises.
///
/// The functions are defined in private modules: a notebook's completion also lists whatever a module
/// itself imports, so the public modules import nothing else.
#[macro_export]
macro_rules! course {
    (
        exercises {
            $($name:ident: fn($($argument:ty),* $(,)?) -> $result:ty = $exercise:path;)*
            $(
                => $project:ident($($given:ident: $given_type:ty),*) in $lesson:ident;
                $($later:ident: fn($($later_argument:ty),* $(,)?) -> $later_result:ty =
                    $later_exercise:path;)*
            )?
        }
        predictions { $($guess:ident = $prediction:path;)* }
    ) => {
        /// All exercises and predictions.
        pub static COURSE: $crate::Course = $crate::Course {
            exercises: &[
                $(&members::$name,)*
                $(&$lesson::$project::PROJECT, $(&members::$later,)*)?
            ],
            predictions: &[$(&$prediction),*],
        };

        $crate::functions_of_exercises! {
            $($name: fn($($argument),*) -> $result = $exercise;)*
            $($($later: fn($($later_argument),*) -> $later_result = $later_exercise;)*)?
            => $($project($($given: $given_type),*) in $lesson)?
        }

        mod guesses {
            #[allow(unused_imports, reason = "a course need not have predictions")]
            use super::*;
            $(
                #[doc = concat!("Judges a guess in the prediction `", stringify!($guess), "`, and records it.")]
                pub fn $guess(answer: impl ::std::fmt::Display) -> $crate::JudgedPrediction {
                    COURSE.predict(&$prediction, &answer)
                }
            )*
        }

        /// A function for each prediction, which judges a guess.
        pub mod predict {
            #[allow(unused_imports, reason = "a course need not have predictions")]
            pub use super::guesses::{$($guess),*};
        }

        /// This learner's progress, lesson by lesson.
        pub fn progress() -> $crate::Overview {
            COURSE.progress()
        }
    };
}

/// The functions of all exercises, and those of the project.
#[doc(hidden)]
#[macro_export]
macro_rules! functions_of_exercises {
    ($($name:ident: fn($($argument:ty),* $(,)?) -> $result:ty = $exercise:path;)* => $($project:ident($($given:ident: $given_type:ty),*) in $lesson:ident)?) => {
        #[allow(non_upper_case_globals, reason = "they have the names of the exercises")]
        mod members {
            #[allow(unused_imports, reason = "the types of answers")]
            use super::*;
            $(
                pub static $name: $crate::Member<fn($($argument),*) -> $result> = $crate::Member {
                    exercise: &$exercise,
                    changed: $crate::changed_function!($($argument),* => $result),
                };
            )*
        }

        mod checks {
            #[allow(unused_imports, reason = "the types of answers")]
            use super::*;
            $(
                #[doc = concat!("Judges an answer to the exercise `", stringify!($name), "`, and records the attempt.")]
                pub fn $name(answer: fn($($argument),*) -> $result) -> $crate::Verdict {
                    COURSE.check(&super::members::$name, answer)
                }
            )*
            $(
                #[doc = concat!("Judges an answer to the project `", stringify!($project), "`, and records the attempt.")]
                pub fn $project($($given: $given_type),*) -> $crate::Verdict {
                    COURSE.counted($lesson::$project::judge($($given),*))
                }
            )?
        }

        mod hints {
            #[allow(unused_imports, reason = "a course need not have exercises")]
            use super::*;
            $(
                #[doc = concat!("The next hint for the exercise `", stringify!($name), "`.")]
                pub fn $name() -> $crate::Aid {
                    $exercise.hint()
                }
            )*
            $(pub use super::$lesson::$project::hint as $project;)?
        }

        mod solutions {
            #[allow(unused_imports, reason = "a course need not have exercises")]
            use super::*;
            $(
                #[doc = concat!("The solution of the exercise `", stringify!($name), "`, once it has been tried.")]
                pub fn $name() -> $crate::Aid {
                    $exercise.show_solution()
                }
            )*
            $(pub use super::$lesson::$project::solution as $project;)?
        }

        /// A function for each exercise, which judges the learner's function.
        pub mod check {
            pub use super::checks::{$($name,)* $($project)?};
        }

        /// A function for each exercise, which gives the next hint.
        pub mod hint {
            pub use super::hints::{$($name,)* $($project)?};
        }

        /// A function for each exercise, which gives the solution after an attempt or the last
        /// hint.
        pub mod solution {
            pub use super::solutions::{$($name,)* $($project)?};
        }
    };
}
