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
use crate::exercise::LONGEST_CALL;
use crate::listing;
use crate::output::Output;
pub(crate) use borrowed::borrowed;
use compare::{same_outcome, same_output};
use isolated::outcomes;
use outcome::{Judged, Outcome};
use relations::{Call, Wrong};

/// Runs `call` for each probe, and compares the outcomes with the right results.
pub(crate) fn judged(attempt: &dyn Attempt, call: &dyn Fn(usize) -> Output) -> Vec<Judged> {
    let yours = outcomes(attempt.probes().len(), LONGEST_CALL, call);
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

/// Whether the answer behaves like the function given in a *find the bug* exercise, which is its
/// first known mistake.
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
            "{says} That is what happens with \"{what}\"; elsewhere, something else is also wrong."
        )
    });
    relation(attempt, whose, judged, partly)
}

/// The diagnosis of an answer that matches no known mistake; `partly` is the sentence for a mistake
/// that explains some of its results.
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

/// The first diagnosis that fits, of those tried from the most obvious to the vaguest.
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
    let outcomes = outcomes(mutants * probes, LONGEST_CALL, &|index| {
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

/// The known mistake that has the same outcome in the most wrong probes, and at least in half of
/// them; and one of these probes, with at least six fractional numbers.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Texts;
    use crate::output::{Part, ReturnValue};

    type Function = fn(f64) -> Output;

    /// An exercise whose probes each take one number.
    struct Exercise {
        source: &'static str,
        probes: &'static [f64],
        learner: Function,
        mistakes: &'static [(&'static str, Function)],
    }

    impl Attempt for Exercise {
        fn texts(&self) -> Texts {
            Texts {
                name: "curve",
                title: "",
                without: &[],
                source: self.source,
                hints: &[],
                explanation: "",
                pytorch: "",
            }
        }

        fn probes(&self) -> Vec<&'static str> {
            ["one", "two", "three", "four"][..self.probes.len()].to_vec()
        }

        fn mutants(&self) -> Vec<&'static str> {
            self.mistakes.iter().map(|(says, _)| *says).collect()
        }

        fn call(&self, whose: Whose, probe: usize) -> Output {
            let function = match whose {
                Whose::Learner => self.learner,
                Whose::Mutant(index) => self.mistakes[index].1,
                _ => right,
            };
            function(self.probes[probe])
        }

        fn call_changed(&self, whose: Whose, probe: usize) -> Output {
            let parts = vec![self.probes[probe].output().0[0].clone()];
            let x = crate::arguments::in_place_of(parts).next();
            let x = x.expect("an argument").values[0];
            match whose {
                Whose::Learner => (self.learner)(x),
                Whose::Mutant(index) => self.mistakes[index].1(x),
                _ => right(x),
            }
        }
    }

    /// Eight numbers, so that a result tells one mistake from another.
    fn curve(of: impl Fn(f64) -> f64) -> Output {
        let numbers = (1..=8).map(|step| of(f64::from(step) / 3.0));
        numbers.collect::<Vec<f64>>().output()
    }

    fn right(x: f64) -> Output {
        curve(|step| (x * step).sin() + 2.0 * step)
    }

    const SOURCE: &str =
        "\nfn solution(x: f64) -> Vec<f64> {\n}\n\nfn given(x: f64) -> Vec<f64> {\n}\n";

    const COSINE: (&str, Function) = ("A cosine.", |x| curve(|step| (x * step).cos()));
    const ROOT: (&str, Function) = ("A root.", |x| {
        assert!(x < 9.0, "my own panic");
        curve(|step| (x * step).sqrt())
    });

    fn exercise(learner: Function) -> Exercise {
        Exercise {
            source: SOURCE,
            probes: &[1.5, 0.7, 4.5],
            learner,
            mistakes: &[COSINE, ROOT],
        }
    }

    fn judged_by(exercise: &Exercise) -> Vec<Judged> {
        judged(exercise, &|probe| exercise.call(Whose::Learner, probe))
    }

    fn says(exercise: &Exercise) -> String {
        let judged = judged_by(exercise);
        let said = diagnosis(exercise, Whose::Learner, &judged);
        said.unwrap_or_else(|| "nothing".to_owned())
    }

    #[test]
    fn a_right_answer_has_no_diagnosis() {
        let exercise = exercise(right);
        let judged = judged_by(&exercise);
        let whats: Vec<&str> = judged.iter().map(|judged| judged.what.as_str()).collect();
        assert_eq!(whats, ["one", "two", "three"]);
        assert!(judged.iter().all(|judged| judged.is_right));
        assert_eq!(says(&exercise), "nothing");
    }

    #[test]
    fn a_known_mistake_is_named() {
        assert_eq!(says(&exercise(COSINE.1)), "A cosine.");
        assert_eq!(says(&exercise(ROOT.1)), "A root.");
        // A call that reaches `todo!()` fits every known mistake.
        let not_written = |x: f64| match x {
            ..1.0 => panic!("not yet implemented"),
            _ => ROOT.1(x),
        };
        assert_eq!(says(&exercise(not_written)), "A root.");
        let almost = |x: f64| match x {
            ..1.0 => curve(|step| step.ln() * x),
            2.0.. => curve(|step| step.tan() + x),
            _ => ROOT.1(x),
        };
        assert_eq!(says(&exercise(almost)), "nothing");
    }

    #[test]
    fn the_given_function_is_the_first_known_mistake() {
        let is_given = |exercise: &Exercise| is_given(exercise, &judged_by(exercise));
        assert!(is_given(&exercise(COSINE.1)));
        assert!(!is_given(&exercise(ROOT.1)));
        assert!(!is_given(&exercise(right)));
        let (source, _) = SOURCE.split_once("\nfn given").expect("two functions");
        let without = Exercise {
            source,
            ..exercise(COSINE.1)
        };
        assert!(!is_given(&without));
    }

    #[test]
    fn a_mistake_in_half_of_the_wrong_probes_is_named_with_one_of_them() {
        let partly = |x: f64| match x {
            ..1.0 => ROOT.1(x),
            2.0.. => curve(|step| step.tan() + x),
            _ => right(x),
        };
        let said = says(&exercise(partly));
        let expected =
            "A root. That is what happens with \"two\"; elsewhere, something else is also wrong";
        assert!(said.starts_with(expected), "{said}");
    }

    fn returned(is_right: bool, yours: Output) -> Judged {
        Judged {
            what: String::new(),
            expected: vec![0.5; 3].output(),
            outcome: Outcome::Returned(yours),
            is_right,
        }
    }

    fn numbers(count: usize) -> Output {
        vec![0.25; count].output()
    }

    #[test]
    fn the_mistake_in_most_of_the_wrong_probes_counts() {
        let of = |outputs: [Output; 4]| -> Vec<Outcome> {
            outputs.into_iter().map(Outcome::Returned).collect()
        };
        let judged = [6, 7, 8, 5].map(|count| returned(count == 5, numbers(count)));
        let none = || numbers(1);
        let found = |mistakes: &[Vec<Outcome>]| partly_known(&judged, mistakes);
        let once = of([none(), numbers(7), none(), numbers(5)]);
        let twice = of([numbers(6), numbers(7), none(), none()]);
        // Two of three wrong probes, of which the second has more numbers.
        assert_eq!(found(&[once.clone(), twice]), Some((1, 1)));
        assert_eq!(found(&[once]), None, "one of three");
        // One of two, with six numbers that are neither whole nor infinite.
        let two = |yours: Output| [returned(false, yours), returned(false, none())];
        let half = |yours: Output| {
            let mistake = [yours.clone(), numbers(2)].map(Outcome::Returned).to_vec();
            partly_known(&two(yours), &[mistake])
        };
        assert_eq!(half(numbers(6)), Some((0, 0)));
        assert_eq!(half(numbers(5)), None);
        assert_eq!(half(vec![0.25, 0.25, 0.25, 0.25, 0.25, 3.0].output()), None);
        assert_eq!(
            half(vec![0.25, 0.25, 0.25, 0.25, 0.25, f64::INFINITY].output()),
            None
        );
        let is_same = [numbers(6), none()].map(Outcome::Returned).to_vec();
        let panicked = |yours: Judged| Judged {
            outcome: Outcome::Panicked(String::new()),
            ..yours
        };
        assert_eq!(
            partly_known(&two(numbers(6)).map(panicked), &[is_same]),
            None
        );
    }

    #[test]
    fn panics_explain_what_no_result_does() {
        let index = "index out of bounds: the len is 3 but the index is 3";
        let panicked = |is_right: bool| Judged {
            outcome: match is_right {
                true => Outcome::Returned(vec![0.5; 3].output()),
                false => Outcome::Panicked(index.to_owned()),
            },
            ..returned(is_right, numbers(3))
        };
        let none = |_, _: &Change, _| Output(Vec::<Part>::new());
        let wrong = Wrong {
            names: Vec::new(),
            calls: Vec::new(),
            mutants: Vec::new(),
            run: &none,
        };
        let says = |judged: &[Judged]| told(&wrong, judged, None).unwrap_or_default();
        assert!(says(&[panicked(false)]).ends_with("one too far."));
        assert!(says(&[panicked(false), panicked(true)]).contains("Other calls are right"));
        let both = [
            panicked(false),
            returned(false, vec![1.0, 0.3, 2.0].output()),
        ];
        assert!(says(&both).ends_with("one too far."));
    }

    #[test]
    fn an_argument_without_influence_is_named_if_every_call_ended() {
        let constant: Function = |_| curve(|step| (step * step).sin() * 3.0);
        let said = says(&exercise(constant));
        assert!(said.starts_with("The result stays the same"), "{said}");
        let not_written: Function = |x| match x {
            ..1.0 => panic!("not yet implemented"),
            _ => curve(|step| (step * step).sin() * 3.0),
        };
        assert_eq!(says(&exercise(not_written)), "nothing");
    }
}
