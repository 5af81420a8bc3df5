//! Finds arguments that have no influence on the result.

use super::Wrong;
use crate::arguments::Change;
use crate::attempt::Whose;
use crate::judge::compare::same_output;
use crate::output::{Output, Part};
use std::rc::Rc;

/// A different argument of the same shape: its numbers in reverse order, or a single number made a
/// little smaller.
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
