//! Finds arguments that have no influence on the result.

use super::Wrong;
use crate::arguments::Change;
use crate::attempt::Whose;
use crate::judge::compare::same_output;
use crate::output::{Output, Part};
use std::rc::Rc;

/// A different argument of the same shape: its numbers in reverse order, a single boolean negated,
/// or a single number made a little smaller.
fn another(part: &Part) -> Part {
    let mut another = part.clone();
    match another.values.as_mut_slice() {
        [value] if part.is_yes_or_no => *value = 1.0 - *value,
        [value] if value.fract() == 0.0 && *value > 1.0 => *value -= 1.0,
        [value] => *value *= 0.75,
        values => values.reverse(),
    }
    another
}

/// Whether it contains NaN or infinities, which could hide a change.
fn has_no_number(output: &Output) -> bool {
    let mut values = output.0.iter().flat_map(|part| &part.values);
    values.any(|value| !value.is_finite())
}

/// Names the arguments that influence the right result but not the learner's.
pub(super) fn missing(wrong: &Wrong<'_>) -> Option<String> {
    let count = wrong.calls.first()?.arguments.len();
    if wrong
        .calls
        .iter()
        .any(|call| has_no_number(&call.yours) && !has_no_number(&call.expected))
    {
        return None;
    }
    let changes: Vec<Change> = (0..count)
        .map(|index| -> Change {
            Rc::new(move |parts| {
                let mut parts = parts.to_vec();
                parts[index] = another(&parts[index]);
                Some(parts)
            })
        })
        .collect();
    let changes: Vec<&Change> = changes.iter().collect();
    let right = wrong.outcomes(&[Whose::Solution], &changes);
    let yours = wrong.outcomes(&[Whose::Learner], &changes);
    let is_missing = |index: &usize| {
        let pairs = wrong
            .calls
            .iter()
            .zip(right[*index].iter().zip(&yours[*index]));
        let matters = pairs.filter_map(|(call, (right, yours))| {
            let is_other =
                |was: &Output, is: &Option<Output>| is.as_ref().map(|is| !same_output(was, is));
            let changes_right = is_other(&call.expected, right)?;
            changes_right.then(|| is_other(&call.yours, yours))
        });
        let matters: Vec<Option<bool>> = matters.collect();
        !matters.is_empty()
            && matters
                .iter()
                .all(|changes_yours| *changes_yours == Some(false))
    };
    let missing: Vec<usize> = (0..count).filter(is_missing).collect();
    let names: Vec<String> = missing
        .iter()
        .map(|index| format!("`{}`", wrong.names[*index]))
        .collect();
    match names.as_slice() {
        [] => None,
        _ if names.len() == count => Some(
            "The result stays the same whatever the arguments are: is a number in it written down \
             that should be computed?"
                .to_owned(),
        ),
        [name] => Some(format!(
            "{name} has no influence: other numbers in it change nothing of your result, and \
             should. Where should it come in?"
        )),
        _ => Some(format!(
            "{} have no influence: other numbers in them change nothing of your result, and \
             should. Where should they come in?",
            names.join(" and ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::relations::Call;
    use crate::output::ReturnValue;

    type Function = fn(&[f64], f64, f64) -> Vec<f64>;

    /// The diagnosis of an answer with the arguments `a`, `b` and `c`.
    fn says(solution: Function, learner: Function) -> Option<String> {
        let arguments = [
            (vec![1.0, 2.0, 4.0], 3.0, 0.5).output().0,
            (vec![5.0, 2.5], 1.0, 0.25).output().0,
        ];
        let call = |function: Function, parts: &[Part]| {
            function(&parts[0].values, parts[1].values[0], parts[2].values[0]).output()
        };
        let calls = arguments.iter().enumerate().map(|(probe, parts)| Call {
            probe,
            arguments: parts.clone(),
            expected: call(solution, parts),
            yours: call(learner, parts),
        });
        missing(&Wrong {
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            calls: calls.collect(),
            mutants: Vec::new(),
            run: &|whose, change, probe| {
                let parts = change(&arguments[probe]).expect("changed arguments");
                match whose {
                    Whose::Solution => call(solution, &parts),
                    _ => call(learner, &parts),
                }
            },
        })
    }

    fn all(a: &[f64], b: f64, c: f64) -> Vec<f64> {
        a.iter().map(|a| a * b + c).collect()
    }

    #[test]
    fn arguments_without_influence_are_named() {
        assert_eq!(says(all, |a, b, c| all(a, c, b)), None);
        let without_b = says(all, |a, _, c| all(a, 1.0, c)).expect("a sentence");
        assert!(without_b.starts_with("`b` has no influence"), "{without_b}");
        let only_b = says(all, |_, b, _| vec![b]).expect("a sentence");
        assert!(
            only_b.starts_with("`a` and `c` have no influence"),
            "{only_b}"
        );
        let none = says(all, |_, _, _| vec![1.5]).expect("a sentence");
        assert!(none.starts_with("The result stays the same"), "{none}");
    }

    #[test]
    fn what_changes_nothing_of_the_right_result_is_not_missing() {
        let without_c: Function = |a, b, _| all(a, b, 0.0);
        assert_eq!(says(without_c, |a, b, _| all(a, b, 1.0)), None);
    }

    #[test]
    fn infinities_hide_an_influence_unless_they_are_expected() {
        let infinite: Function = |a, b, c| [all(a, b, c), vec![f64::INFINITY]].concat();
        let without_b: Function = |a, _, c| [all(a, 1.0, c), vec![f64::INFINITY]].concat();
        assert_eq!(says(all, without_b), None);
        assert!(says(infinite, without_b).is_some());
    }

    #[test]
    fn another_argument_is_one_that_is_allowed() {
        let of = |output: Output| another(&output.0[0]).values;
        assert_eq!(of(true.output()), [0.0]);
        assert_eq!(of(false.output()), [1.0]);
        assert_eq!(of(3_usize.output()), [2.0]);
        assert_eq!(of(1_usize.output()), [0.75]);
        assert_eq!(of(2.5.output()), [1.875]);
        assert_eq!(of(vec![1.0, 2.0, 4.0].output()), [4.0, 2.0, 1.0]);
    }
}
