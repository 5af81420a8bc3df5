//! How a wrong result is related to the right one, to the arguments, and to known mistakes. A
//! relation is reported only if it holds for all calls.

mod changes;
mod factors;
mod influence;
mod numbers;
#[cfg(test)]
mod recipes;
mod results;
mod steps;

use crate::arguments::Change;
use crate::attempt::Whose;
use crate::exercise::LONGEST_CALL;
use crate::judge::compare::same_part;
use crate::judge::isolated::silent_outcomes;
use crate::judge::outcome::Outcome;
use crate::output::{Output, Part};
use factors::{Factor, Fit, fit, is_telling};
use std::cell::OnceCell;
use std::rc::Rc;
use steps::Step;

/// A call of the answer that returned a result.
pub(crate) struct Call {
    /// The index of the call's probe.
    pub probe: usize,
    pub arguments: Vec<Part>,
    pub expected: Output,
    pub yours: Output,
}

/// A wrong answer, with everything needed to diagnose it.
pub(crate) struct Wrong<'a> {
    /// The names of the arguments.
    pub names: Vec<String>,
    pub calls: Vec<Call>,
    /// The diagnoses of the known mistakes.
    pub mutants: Vec<&'static str>,
    /// Calls a function with changed arguments in a probe.
    pub run: &'a dyn Fn(Whose, &Change, usize) -> Output,
}

/// Results that a wrong answer may equal, one for each call, and a description of how they were
/// made.
struct Candidate {
    says: String,
    of_calls: Vec<Option<Output>>,
}

/// Everything that each part of the results is compared with.
struct Comparisons {
    factors: Vec<Factor>,
    /// Right results for other arguments.
    others: Vec<Candidate>,
    steps: Vec<Step>,
    /// Results of known mistakes, for the original and for changed arguments. There are many, so
    /// they are computed only when needed.
    mistakes: OnceCell<Vec<Candidate>>,
}

impl Candidate {
    /// One part of each result.
    fn part(&self, part: usize) -> Vec<Option<Part>> {
        let of_call = |output: &Option<Output>| Some(output.as_ref()?.0.get(part)?.clone());
        self.of_calls.iter().map(of_call).collect()
    }
}

impl Wrong<'_> {
    /// The diagnosis, if there is one.
    pub fn diagnosis(&self) -> Option<String> {
        let first = self.calls.first()?;
        let count = first.expected.0.len();
        if self.calls.iter().any(|call| call.yours.0.len() != count) {
            return None;
        }
        let factors = factors::factors(&self.names, &self.calls);
        let comparisons = Comparisons {
            others: self.right_for_others(&factors),
            steps: steps::steps(&self.names, &self.calls),
            mistakes: OnceCell::new(),
            factors,
        };
        let is_wrong = |part: &usize| {
            let mut calls = self.calls.iter();
            calls.any(|call| !same_part(&call.expected.0[*part], &call.yours.0[*part]))
        };
        let wrong: Vec<usize> = (0..count).filter(is_wrong).collect();
        let says = |part: &usize| self.says(*part, &comparisons);
        let of_parts: Vec<Option<String>> = wrong.iter().map(says).collect();
        match of_parts.as_slice() {
            [Some(first), rest @ ..] if rest.iter().all(|says| says.as_ref() == Some(first)) => {
                Some(of_part(&wrong, count) + first)
            }
            _ => {
                let said = wrong.iter().zip(of_parts);
                let said = said.filter_map(|(part, says)| Some(of_part(&[*part], count) + &says?));
                let said: Vec<String> = said.collect();
                (!said.is_empty()).then(|| said.join(" "))
            }
        }
    }

    /// Names the arguments that should influence the result but do not.
    pub fn influence(&self) -> Option<String> {
        influence::missing(self)
    }

    /// The right results for changed arguments.
    fn right_for_others(&self, factors: &[Factor]) -> Vec<Candidate> {
        let arguments = &self.calls[0].arguments;
        let others = changes::others(&self.names, factors, arguments);
        let changes: Vec<&Change> = others.iter().map(|other| &other.change).collect();
        let outcomes = self.outcomes(&[Whose::Solution], &changes);
        let of = |(other, of_calls): (&changes::Other, Vec<Option<Output>>)| Candidate {
            says: format!("The result is the right one for {}.", other.says),
            of_calls,
        };
        others.iter().zip(outcomes).map(of).collect()
    }

    /// The result of each function in each call, for each of the changes.
    fn outcomes(&self, whose: &[Whose], changes: &[&Change]) -> Vec<Vec<Option<Output>>> {
        let calls = self.calls.len();
        let count = whose.len() * changes.len() * calls;
        let outcomes = silent_outcomes(count, LONGEST_CALL / 10, &|index| {
            let (row, call) = (index / calls, index % calls);
            let change = changes[row % changes.len()];
            (self.run)(whose[row / changes.len()], change, self.calls[call].probe)
        });
        let returned = |outcome: &Outcome| match outcome {
            Outcome::Returned(output) => Some(output.clone()),
            _ => None,
        };
        let of_changes = outcomes.chunks(calls);
        of_changes
            .map(|outcomes| outcomes.iter().map(returned).collect())
            .collect()
    }

    /// Describes how this part of the results was made.
    fn says(&self, part: usize, comparisons: &Comparisons) -> Option<String> {
        let factors = &comparisons.factors;
        let yours: Vec<&Part> = self.calls.iter().map(|call| &call.yours.0[part]).collect();
        if !is_telling(&yours) {
            return None;
        }
        let expected: Vec<&Part> = self
            .calls
            .iter()
            .map(|call| &call.expected.0[part])
            .collect();
        let right: Vec<Option<Part>> = expected.iter().map(|part| Some((*part).clone())).collect();
        let mut scaled = None;
        let mut tried = |says: &str, of_calls: &[Option<Part>]| match fit(&yours, of_calls, factors)
        {
            Some(Fit::Same) => Some(says.to_owned()),
            Some(Fit::Times(factor)) => {
                let both = || format!("{says} And every number is {factor} times as large.");
                scaled.get_or_insert_with(both);
                None
            }
            None => None,
        };
        let is_expected = |made: &[Option<Part>]| {
            let mut pairs = made.iter().zip(&expected);
            pairs
                .all(|(made, expected)| made.as_ref().is_some_and(|made| same_part(expected, made)))
        };
        for (says, make) in results::MADE {
            let made: Vec<Option<Part>> = expected.iter().map(|part| make(part)).collect();
            if let Some(says) = (!is_expected(&made)).then(|| tried(says, &made)).flatten() {
                return Some(says);
            }
        }
        for (other, says) in self.other_parts(part) {
            if let Some(says) = tried(&says, &other) {
                return Some(says);
            }
        }
        if let Some(Fit::Times(factor)) = fit(&yours, &right, factors) {
            return Some(format!("Every number is {factor} times what it should be."));
        }
        for other in &comparisons.others {
            let made = other.part(part);
            if let Some(says) = (!is_expected(&made))
                .then(|| tried(&other.says, &made))
                .flatten()
            {
                return Some(says);
            }
        }
        for step in &comparisons.steps {
            if let Some(says) = tried(&step.says, &step.of_calls) {
                return Some(says);
            }
        }
        scaled.or_else(|| self.two_mistakes(part, &yours, comparisons))
    }

    /// The other parts of the right result, each with the sentence for an answer that returns it in
    /// place of `part`.
    fn other_parts(&self, part: usize) -> Vec<(Vec<Option<Part>>, String)> {
        let count = self.calls[0].expected.0.len();
        let others = (0..count).filter(|other| *other != part);
        let of = |other: usize| {
            let of_call = |call: &Call| Some(call.expected.0[other].clone());
            let says = format!("It is what result number {} should be.", other + 1);
            (self.calls.iter().map(of_call).collect(), says)
        };
        others.map(of).collect()
    }

    /// The sentence for a known mistake that explains this part, alone or with a second one.
    fn two_mistakes(&self, part: usize, yours: &[&Part], known: &Comparisons) -> Option<String> {
        let numbers = yours.iter().flat_map(|part| &part.values);
        if numbers.filter(|number| number.is_finite()).count() < 12 {
            return None; // too few numbers to be sure
        }
        let mistakes = known.mistakes.get_or_init(|| self.mistakes());
        let is_it = |made: &[Option<Part>]| matches!(fit(yours, made, &[]), Some(Fit::Same));
        for mistake in mistakes {
            let plain = mistake.part(part);
            if is_it(&plain) {
                return Some(mistake.says.clone());
            }
            if mistake.says.contains(FOR_OTHERS) {
                continue;
            }
            for (says, make) in results::MADE {
                let made: Vec<Option<Part>> =
                    plain.iter().map(|part| make(part.as_ref()?)).collect();
                if is_it(&made) {
                    let both = format!("{TWO} {} And of that: {says}", mistake.says);
                    return Some(both);
                }
            }
        }
        None
    }

    /// The results of known mistakes, for the original arguments and for changed ones.
    fn mistakes(&self) -> Vec<Candidate> {
        let as_they_are: Change = Rc::new(|parts| Some(parts.to_vec()));
        let others = changes::simple(&self.names, &self.calls[0].arguments);
        let mut changes = vec![&as_they_are];
        changes.extend(others.iter().map(|other| &other.change));
        let mutants: Vec<Whose> = (0..self.mutants.len()).map(Whose::Mutant).collect();
        let outcomes = self.outcomes(&mutants, &changes).into_iter();
        let candidate = |(row, of_calls): (usize, Vec<Option<Output>>)| {
            let says = self.mutants[row / changes.len()];
            let says = match row % changes.len() {
                0 => says.to_owned(),
                change => format!("{TWO} {says} {FOR_OTHERS} {}.", others[change - 1].says),
            };
            Candidate { says, of_calls }
        };
        outcomes.enumerate().map(candidate).collect()
    }
}

/// The beginning and the middle of a diagnosis that names two mistakes.
const TWO: &str = "Two things at once.";
const FOR_OTHERS: &str = "And the result is that for";

/// Says which of several results a sentence is about.
fn of_part(parts: &[usize], count: usize) -> String {
    let numbers: Vec<String> = parts.iter().map(|part| (part + 1).to_string()).collect();
    match count {
        1 => String::new(),
        _ if parts.len() == count => "Each of the results: ".to_owned(),
        _ => format!("Result {} of {count}: ", numbers.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ReturnValue;

    /// A function of a vector `a` and a number `k`.
    type Function = fn(&[f64], f64) -> Output;

    fn each(a: &[f64], change: impl Fn(f64) -> f64) -> Output {
        a.iter().map(|a| change(*a)).collect::<Vec<f64>>().output()
    }

    /// The diagnosis of an answer in two calls.
    fn says(solution: Function, learner: Function, mistakes: &[Function]) -> String {
        let arguments = [
            (vec![1.5, -2.0, 3.0, 4.5, 0.25, 2.5], 0.7).output().0,
            (vec![2.0, 1.0, -0.5, 3.5, 7.0, 0.75], 0.3).output().0,
        ];
        let call =
            |function: Function, parts: &[Part]| function(&parts[0].values, parts[1].values[0]);
        let calls = arguments.iter().enumerate().map(|(probe, parts)| Call {
            probe,
            arguments: parts.clone(),
            expected: call(solution, parts),
            yours: call(learner, parts),
        });
        let wrong = Wrong {
            names: vec!["a".to_owned(), "k".to_owned()],
            calls: calls.collect(),
            mutants: ["The first mistake.", "The second mistake."][..mistakes.len()].to_vec(),
            run: &|whose, change, probe| {
                let parts = change(&arguments[probe]).expect("changed arguments");
                match whose {
                    Whose::Mutant(index) => call(mistakes[index], &parts),
                    Whose::Learner => call(learner, &parts),
                    _ => call(solution, &parts),
                }
            },
        };
        wrong.diagnosis().unwrap_or_else(|| "nothing".to_owned())
    }

    #[track_caller]
    fn assert_begins(said: &str, begin: &str) {
        assert!(said.starts_with(begin), "{begin}: {said}");
    }

    #[test]
    fn each_part_of_a_result_is_explained() {
        // Neither part can be computed from the other.
        let solution: Function =
            |a, k| Output([each(a, |a| (a * k).sin()).0, each(a, |a| a + k * a * a).0].concat());
        let of = |learner: Function| says(solution, learner, &[]);
        let exchanged = of(|a, k| {
            Output([each(a, |a| a + k * a * a).0, each(a, |a| (a * k).sin()).0].concat())
        });
        assert_eq!(
            exchanged,
            "Result 1 of 2: It is what result number 2 should be. \
             Result 2 of 2: It is what result number 1 should be."
        );
        let minus = of(|a, k| {
            Output(
                [
                    each(a, |a| -(a * k).sin()).0,
                    each(a, |a| -(a + k * a * a)).0,
                ]
                .concat(),
            )
        });
        assert_begins(
            &minus,
            "Each of the results: Every number has the wrong sign",
        );
        let second = of(|a, k| {
            Output(
                [
                    each(a, |a| (a * k).sin()).0,
                    each(a, |a| -(a + k * a * a)).0,
                ]
                .concat(),
            )
        });
        assert_begins(&second, "Result 2 of 2: Every number has the wrong sign");
        assert_eq!(of(|a, k| each(a, |a| a * k)), "nothing");
        let (one, other) = (of_part(&[0, 2], 3), of_part(&[1], 3));
        assert_eq!([one, other], ["Result 1 and 3 of 3: ", "Result 2 of 3: "]);
    }

    #[test]
    fn a_relation_is_the_first_that_fits_all_calls() {
        let solution: Function = |a, k| each(a, |a| (a * k + 1.0).sin() + a);
        for (learner, begin) in [
            (
                (|a, k| each(a, |a| k * ((a * k + 1.0).sin() + a))) as Function,
                "Every number is `k` times what it should be.",
            ),
            (
                |a, k| each(a, |a| (a * (1.0 - k) + 1.0).sin() + a),
                "The result is the right one for 1 - `k` in place of it.",
            ),
            (
                |a, k| each(a, |a| 2.0 * ((a * k + 1.0).sin() + a).exp()),
                "It is right, and then an exponential is taken of it, which is one too many. \
                 And every number is 2 times as large.",
            ),
            (|a, _| each(a, |a| a), "`a` comes back unchanged."),
            (
                |a, _| each(a, |a| a * a),
                "This is the square of `a`, and nothing else.",
            ),
            (|a, k| each(a, |a| (a - k).cos()), "nothing"),
        ] {
            assert_begins(&says(solution, learner, &[]), begin);
        }
        // The relation holds for only one of the calls.
        let sometimes: Function = |a, k| each(a, |a| if k > 0.5 { -a.sin() } else { a.cos() });
        assert_eq!(says(|a, _| each(a, f64::sin), sometimes, &[]), "nothing");
    }

    #[test]
    fn a_known_mistake_may_come_with_another() {
        let solution: Function = |a, k| each(a, |a| (a * k).sin() + a);
        let mistakes: [Function; 2] = [
            |a, k| each(a, |a| (a * k).tanh() - k),
            |a, k| each(a, |a| (a - k).cos() * k),
        ];
        for (learner, expected) in [
            (mistakes[1], "The second mistake."),
            (
                |a, k| each(a, |a| -(a - k).cos() * k),
                "Two things at once. The second mistake. And of that: Every number has the wrong \
                 sign. What is subtracted from what?",
            ),
            (
                |a, k| each(a, |a| (a * (1.0 - k)).tanh() - (1.0 - k)),
                "Two things at once. The first mistake. And the result is that for 1 - `k` in \
                 place of it.",
            ),
            (
                |a, k| each(a, |a| (a - k * k).cos() * k * k),
                "Two things at once. The second mistake. And the result is that for the square of \
                 `k`.",
            ),
            // Three things at once are too many.
            (|a, k| each(a, |a| -(a - k * k).cos() * k * k), "nothing"),
        ] {
            assert_eq!(says(solution, learner, &mistakes), expected);
        }
    }

    #[test]
    fn a_known_mistake_is_seen_in_twelve_numbers_and_not_in_eleven() {
        let wrong = Wrong {
            names: Vec::new(),
            calls: Vec::new(),
            mutants: Vec::new(),
            run: &|_, _, _| Output(Vec::new()),
        };
        for (count, expected) in [(11, None), (12, Some("It is that mistake.".to_owned()))] {
            let part = Part {
                shape: vec![count],
                values: (0..count).map(|number| (number as f64).sin()).collect(),
                is_yes_or_no: false,
            };
            let known = Comparisons {
                factors: Vec::new(),
                others: Vec::new(),
                steps: Vec::new(),
                mistakes: OnceCell::from(vec![Candidate {
                    says: "It is that mistake.".to_owned(),
                    of_calls: vec![Some(Output(vec![part.clone()]))],
                }]),
            };
            assert_eq!(wrong.two_mistakes(0, &[&part], &known), expected, "{count}");
        }
    }
}
