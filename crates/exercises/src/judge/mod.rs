//! From a learner's function to a verdict.

mod called;
pub(crate) mod compare;
mod isolated;
pub(crate) mod outcome;
pub(crate) mod patterns;
mod process;

use crate::exercise::{Exercise, LIMIT};
use crate::output::Output;
use crate::verdict::{Judged, Verdict};
use compare::{same_outcome, same_output};
use isolated::outcomes;
use outcome::Outcome;

/// The verdict on an answer.
pub(crate) fn judge<F: Copy>(exercise: &Exercise<F>, answer: F) -> Verdict {
    judge_calls(exercise, &|index| (exercise.probes[index].run)(answer))
}

/// The verdict on what `call` returns for each probe.
pub(crate) fn judge_calls<F: Copy>(
    exercise: &Exercise<F>,
    call: &dyn Fn(usize) -> Output,
) -> Verdict {
    let probes = exercise.probes;
    let yours = outcomes(probes.len(), LIMIT, call);
    let expected = probes.iter().map(|probe| (probe.run)(exercise.solution));
    let judged: Vec<Judged> = probes
        .iter()
        .zip(expected.zip(yours))
        .map(|(probe, (expected, outcome))| Judged {
            what: probe.what.to_owned(),
            is_right: matches!(&outcome, Outcome::Returned(yours) if same_output(&expected, yours)),
            expected,
            outcome,
        })
        .collect();
    let diagnosis = match judged.iter().all(|judged| judged.is_right) {
        true => None,
        false => known_mistake(exercise, &judged).or_else(|| common_pattern(&judged)),
    };
    Verdict::new(exercise, judged, diagnosis)
}

/// The sentence of the known mistake that does the same on all probes that came to an end.
fn known_mistake<F: Copy>(exercise: &Exercise<F>, judged: &[Judged]) -> Option<String> {
    let (probes, mutants) = (exercise.probes, exercise.mutants);
    let ended =
        |judged: &&Judged| !matches!(judged.outcome, Outcome::OutOfTime | Outcome::NotWritten);
    if !judged.iter().filter(ended).any(|judged| !judged.is_right) {
        return None;
    }
    let of_mutants = outcomes(mutants.len() * probes.len(), LIMIT, &|index| {
        let mutant = mutants[index / probes.len()].code;
        (probes[index % probes.len()].run)(mutant)
    });
    let is_it = |of_mutant: &[Outcome]| {
        let mut pairs = judged
            .iter()
            .zip(of_mutant)
            .filter(|(judged, _)| ended(judged));
        pairs.all(|(judged, of_mutant)| same_outcome(&judged.outcome, of_mutant))
    };
    let mut mutants = mutants.iter().zip(of_mutants.chunks(probes.len()));
    let (mutant, _) = mutants.find(|(_, of_mutant)| is_it(of_mutant))?;
    Some(mutant.says.to_owned())
}

/// What all wrong results, or all panics, have in common.
fn common_pattern(judged: &[Judged]) -> Option<String> {
    let wrong = || judged.iter().filter(|judged| !judged.is_right);
    let pairs: Vec<(&Output, &Output)> = wrong()
        .filter_map(|judged| match &judged.outcome {
            Outcome::Returned(yours) => Some((&judged.expected, yours)),
            _ => None,
        })
        .collect();
    let messages: Vec<&str> = wrong()
        .filter_map(|judged| match &judged.outcome {
            Outcome::Panicked(message) => Some(message.as_str()),
            _ => None,
        })
        .collect();
    patterns::of_panics(&messages).or_else(|| patterns::common(&pairs))
}
