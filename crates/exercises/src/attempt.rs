//! An exercise and an answer to it, whatever the answer's type.
//!
//! The judge uses only this interface, so it is compiled only once. Compiled separately for each
//! type of answer, it would make the crate's machine code a third larger.

use crate::exercise::Exercise;
use crate::output::Output;
use attention::measure::Step;

/// Whose function to call.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    Learner,
    Solution,
    /// The second solution.
    Another,
    /// A known mistake, by its index.
    Mutant(usize),
}

/// The texts of an exercise.
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

/// Everything that judging needs to know about an exercise and an answer.
pub(crate) trait Attempt {
    fn texts(&self) -> Texts;
    /// What each probe tests.
    fn probes(&self) -> Vec<&'static str>;
    /// The diagnosis of each known mistake.
    fn mutants(&self) -> Vec<&'static str>;
    /// Calls one of the functions in a probe.
    fn call(&self, whose: Whose, probe: usize) -> Output;
    /// Calls one with changed arguments: see [`Member::changed`].
    fn call_changed(&self, whose: Whose, probe: usize) -> Output;
}

/// An exercise of a course, with the code that depends on the type of its answer.
pub struct Member<F: 'static> {
    /// The exercise.
    pub exercise: &'static Exercise<F>,
    /// Makes a function that calls an answer with changed arguments.
    pub changed: fn(F) -> F,
}

/// An answer, together with its exercise.
pub(crate) struct Answered<'a, F: 'static> {
    pub member: &'a Member<F>,
    pub answer: F,
}

// Every line of this is compiled once for each type of answer.
impl<F: Copy> Attempt for Answered<'_, F> {
    fn texts(&self) -> Texts {
        self.member.exercise.texts()
    }

    fn probes(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for index in 0..self.member.exercise.probes.len() {
            all.push(self.member.exercise.probes[index].what);
        }
        all
    }

    fn mutants(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for index in 0..self.member.exercise.mutants.len() {
            all.push(self.member.exercise.mutants[index].says);
        }
        all
    }

    fn call(&self, whose: Whose, probe: usize) -> Output {
        (self.member.exercise.probes[probe].run)(self.function(whose))
    }

    fn call_changed(&self, whose: Whose, probe: usize) -> Output {
        let function = (self.member.changed)(self.function(whose));
        (self.member.exercise.probes[probe].run)(function)
    }
}

impl<F: Copy> Answered<'_, F> {
    fn function(&self, whose: Whose) -> F {
        match whose {
            Whose::Learner => self.answer,
            Whose::Solution => self.member.exercise.solution,
            Whose::Another => self.member.exercise.another,
            Whose::Mutant(index) => self.member.exercise.mutants[index].code,
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
