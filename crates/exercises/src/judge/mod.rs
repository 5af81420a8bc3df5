//! Runs a learner's function on every probe, and diagnoses wrong results.

mod borrowed;
mod called;
pub(crate) mod compare;
pub(crate) mod digits;
#[cfg(unix)]
mod fork;
#[cfg(unix)]
mod isolated;
#[cfg(not(unix))]
#[path = "together.rs"]
mod isolated;
pub(crate) mod outcome;
pub(crate) mod patterns;
mod relations;
#[cfg(unix)]
mod sealed;

use crate::arguments::{Change, names, seen, with_change};
use crate::attempt::{Attempt, Whose};
use crate::exercise::LIMIT;
use crate::listing;
use crate::output::Output;
pub(crate) use borrowed::borrowed;
use compare::{same_outcome, same_output};
use isolated::outcomes;
use outcome::{Judged, Outcome};
use relations::{Call, Wrong};

/// The outcome of each probe, run by `call`.
pub(crate) fn judged(attempt: &dyn Attempt, call: &dyn Fn(usize) -> Output) -> Vec<Judged> {
    let yours = outcomes(attempt.probes().len(), LIMIT, call);
    compared(attempt, yours)
}

/// Pairs the outcomes with the right results.
pub(crate) fn compared(attempt: &dyn Attempt, yours: Vec<Outcome>) -> Vec<Judged> {
    let probes = attempt.probes();
    let expected = (0..probes.len()).map(|probe| attempt.call(Whose::Solution, probe));
    let pairs = probes.iter().zip(expected.zip(yours));
    let judged = pairs.map(|(what, (expected, outcome))| Judged {
        what: (*what).to_owned(),
        is_right: matches!(&outcome, Outcome::Returned(yours) if same_output(&expected, yours)),
        expected,
        outcome,
    });
    judged.collect()
}

/// Whether the answer behaves like the function given in a *find the bug* exercise, which is its first
/// known mistake.
pub(crate) fn is_given(attempt: &dyn Attempt, judged: &[Judged]) -> bool {
    let texts = attempt.texts();
    let is_there = !listing::function(texts.source, "given", texts.name).is_empty();
    is_there && {
        let mutants = of_mutants(attempt, attempt.mutants().len(), judged.len());
        known_mistake(judged, &mutants) == Some(0)
    }
}

/// The diagnosis, if there is one; a right answer has none.
pub(crate) fn diagnosis(attempt: &dyn Attempt, whose: Whose, judged: &[Judged]) -> Option<String> {
    if judged.iter().all(|judged| judged.is_right) {
        return None;
    }
    let mutants = attempt.mutants();
    let of_mutants = of_mutants(attempt, mutants.len(), judged.len());
    if let Some(mutant) = known_mistake(judged, &of_mutants) {
        return Some(mutants[mutant].to_owned());
    }
    let partly = partly_known(judged, &of_mutants).map(|(mutant, probe)| {
        let (says, what) = (mutants[mutant], &judged[probe].what);
        format!(
            "{says} That is what happens with \"{what}\"; elsewhere something else is wrong, too."
        )
    });
    relation(attempt, whose, judged, partly)
}

/// The diagnosis of results that were returned, or a known mistake that explains some of them.
fn relation(
    attempt: &dyn Attempt,
    answer: Whose,
    judged: &[Judged],
    partly: Option<String>,
) -> Option<String> {
    let run = |whose, change: &Change, probe: usize| {
        let whose = match whose {
            Whose::Learner => answer,
            other => other,
        };
        with_change(change, || attempt.call_changed(whose, probe))
    };
    let call = |(probe, judged): (usize, &Judged)| match &judged.outcome {
        Outcome::Returned(yours) => Some(Call {
            probe,
            arguments: seen(|| attempt.call_changed(Whose::Solution, probe)),
            expected: judged.expected.clone(),
            yours: yours.clone(),
        }),
        _ => None,
    };
    let texts = attempt.texts();
    let text = listing::function(texts.source, "solution", texts.name);
    let wrong = Wrong {
        names: names(&text),
        calls: judged.iter().enumerate().filter_map(call).collect(),
        mutants: attempt.mutants(),
        run: &run,
    };
    told(&wrong, judged, partly)
}

/// The first diagnosis that fits, tried from the most obvious to the vaguest.
fn told(wrong: &Wrong<'_>, judged: &[Judged], partly: Option<String>) -> Option<String> {
    let is_wrong = || judged.iter().filter(|judged| !judged.is_right);
    let pairs: Vec<(&Output, &Output)> = is_wrong()
        .filter_map(|judged| match &judged.outcome {
            Outcome::Returned(yours) => Some((&judged.expected, yours)),
            _ => None,
        })
        .collect();
    let messages: Vec<&str> = is_wrong()
        .filter_map(|judged| match &judged.outcome {
            Outcome::Panicked(message) => Some(message.as_str()),
            _ => None,
        })
        .collect();
    if pairs.is_empty() {
        let is_right_somewhere = judged.iter().any(|judged| judged.is_right);
        return patterns::of_panics(&messages, is_right_somewhere);
    }
    let ended =
        |judged: &Judged| matches!(judged.outcome, Outcome::Returned(_) | Outcome::Panicked(_));
    let influence = || {
        judged
            .iter()
            .all(ended)
            .then(|| wrong.influence())
            .flatten()
    };
    patterns::at_once(&pairs)
        .or_else(|| wrong.diagnosis())
        .or(partly)
        .or_else(|| patterns::of_shapes(&pairs))
        .or_else(influence)
        .or_else(|| patterns::of_panics(&messages, false))
        .or_else(|| patterns::common(&pairs))
}

/// The outcomes of the known mistakes in each probe.
fn of_mutants(attempt: &dyn Attempt, mutants: usize, probes: usize) -> Vec<Vec<Outcome>> {
    let outcomes = outcomes(mutants * probes, LIMIT, &|index| {
        attempt.call(Whose::Mutant(index / probes), index % probes)
    });
    let of_mutants = outcomes.chunks(probes);
    of_mutants.map(<[Outcome]>::to_vec).collect()
}

/// The known mistake with the same outcome in every probe that ended.
fn known_mistake(judged: &[Judged], of_mutants: &[Vec<Outcome>]) -> Option<usize> {
    let ended =
        |judged: &&Judged| !matches!(judged.outcome, Outcome::OutOfTime | Outcome::NotWritten);
    if !judged.iter().filter(ended).any(|judged| !judged.is_right) {
        return None;
    }
    let is_it = |of_mutant: &Vec<Outcome>| {
        let pairs = judged.iter().zip(of_mutant);
        let mut pairs = pairs.filter(|(judged, _)| ended(judged));
        pairs.all(|(judged, of_mutant)| same_outcome(&judged.outcome, of_mutant))
    };
    of_mutants.iter().position(is_it)
}

/// The known mistake with the same outcome in most of the wrong probes, and a probe that shows it.
fn partly_known(judged: &[Judged], of_mutants: &[Vec<Outcome>]) -> Option<(usize, usize)> {
    let wrong: Vec<usize> = (0..judged.len())
        .filter(|probe| !judged[*probe].is_right)
        .collect();
    let numbers = |probe: usize| match &judged[probe].outcome {
        Outcome::Returned(yours) => {
            let values = yours.0.iter().flat_map(|part| &part.values);
            values
                .filter(|value| value.is_finite() && value.fract() != 0.0)
                .count()
        }
        _ => 0,
    };
    let of = |of_mutant: &Vec<Outcome>| {
        let is_same = |probe: &usize| same_outcome(&judged[*probe].outcome, &of_mutant[*probe]);
        let same: Vec<usize> = wrong.iter().copied().filter(is_same).collect();
        let telling = same.iter().copied().max_by_key(|probe| numbers(*probe))?;
        let is_known = 2 * same.len() >= wrong.len() && numbers(telling) >= 6;
        is_known.then_some((same.len(), telling))
    };
    let found = of_mutants
        .iter()
        .enumerate()
        .filter_map(|(mutant, outcomes)| {
            let (count, telling) = of(outcomes)?;
            Some((count, mutant, telling))
        });
    let (_, mutant, telling) = found.max_by_key(|(count, ..)| *count)?;
    Some((mutant, telling))
}
