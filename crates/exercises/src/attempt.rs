//! An exercise and an answer to it, whatever the type of the answer is.
//!
//! Judging sees nothing else of them, so it is compiled once and not for each type of answer, which
//! would make the crate's machine code a third larger.

use crate::arguments::Function;
use crate::exercise::Exercise;
use crate::output::Output;
use attention::Step;

/// Whose function is called.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    Learner,
    Solution,
    /// The other solution.
    Another,
    /// A known wrong answer.
    Mutant(usize),
}

/// What an exercise says.
#[derive(Clone, Copy)]
pub(crate) struct Texts {
    pub name: &'static str,
    pub title: &'static str,
    pub without: &'static [Step],
    pub source: &'static str,
    pub hints: &'static [&'static str],
    pub explanation: &'static str,
    pub pytorch: &'static str,
}

/// What judging needs of an exercise and an answer.
pub(crate) trait Attempt {
    fn texts(&self) -> Texts;
    /// What each probe tries.
    fn probes(&self) -> Vec<&'static str>;
    /// What each known wrong answer is told.
    fn mutants(&self) -> Vec<&'static str>;
    /// What the function returns in a probe.
    fn call(&self, whose: Whose, probe: usize) -> Output;
    /// The same for other arguments: see [`Function::changed`].
    fn call_changed(&self, whose: Whose, probe: usize) -> Output;
}

/// An answer to an exercise.
pub(crate) struct Answered<'a, F: 'static> {
    pub exercise: &'a Exercise<F>,
    pub answer: F,
}

// Each line of this is compiled for each type of answer.
impl<F: Function> Attempt for Answered<'_, F> {
    fn texts(&self) -> Texts {
        self.exercise.texts()
    }

    fn probes(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for index in 0..self.exercise.probes.len() {
            all.push(self.exercise.probes[index].what);
        }
        all
    }

    fn mutants(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for index in 0..self.exercise.mutants.len() {
            all.push(self.exercise.mutants[index].says);
        }
        all
    }

    fn call(&self, whose: Whose, probe: usize) -> Output {
        (self.exercise.probes[probe].run)(self.function(whose))
    }

    fn call_changed(&self, whose: Whose, probe: usize) -> Output {
        (self.exercise.probes[probe].run)(self.function(whose).changed())
    }
}

impl<F: Function> Answered<'_, F> {
    fn function(&self, whose: Whose) -> F {
        match whose {
            Whose::Learner => self.answer,
            Whose::Solution => self.exercise.solution,
            Whose::Another => self.exercise.another,
            Whose::Mutant(index) => self.exercise.mutants[index].code,
        }
    }
}

impl<F> Exercise<F> {
    pub(crate) fn texts(&self) -> Texts {
        Texts {
            name: self.name,
            title: self.title,
            without: self.without,
            source: self.source,
            hints: self.hints,
            explanation: self.explanation,
            pytorch: self.pytorch,
        }
    }
}
