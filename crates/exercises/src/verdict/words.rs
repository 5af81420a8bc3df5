//! The sentences of a verdict, for text and HTML.

use super::{Judged, State};
use crate::judge::compare::same_part;
use crate::judge::outcome::Outcome;
use crate::judge::patterns::{rounded, shape};
use crate::output::{Output, Part};

/// So many numbers are written out.
const MOST_VALUES: usize = 8;

/// A state in words, which need no colour.
pub(crate) fn state(state: State) -> &'static str {
    match state {
        State::NotAttempted => "NOT ATTEMPTED",
        State::Wrong => "NOT RIGHT YET",
        State::Right => "RIGHT",
    }
}

/// What became of a probe.
pub(crate) fn outcome(judged: &Judged) -> &'static str {
    match &judged.outcome {
        _ if judged.is_right => "right",
        Outcome::Returned(_) => "wrong",
        Outcome::Panicked(_) => "panicked",
        Outcome::NotWritten => "not written",
        Outcome::OutOfTime => "too slow",
        Outcome::Crashed => "crashed",
    }
}

/// What became of each probe, what was tried, and what there is to say, if that was not just said.
pub(crate) fn rows(judged: &[Judged]) -> Vec<(&Judged, String)> {
    let mut last = String::new();
    let row = |judged| {
        let says = details(judged).unwrap_or_default();
        let is_new = says != last;
        last.clone_from(&says);
        (judged, if is_new { says } else { String::new() })
    };
    judged.iter().map(row).collect()
}

fn details(judged: &Judged) -> Option<String> {
    match &judged.outcome {
        _ if judged.is_right => None,
        Outcome::Returned(yours) => Some(compared(&judged.expected, yours)),
        Outcome::Panicked(message) => Some(format!("it panicked: {message}")),
        Outcome::NotWritten => None,
        Outcome::OutOfTime => {
            Some("it did not end in time, and was stopped: does every loop come to an end?".into())
        }
        Outcome::Crashed => Some(
            "it ended its process: a function that calls itself without end, or too much memory"
                .into(),
        ),
    }
}

/// The parts that differ.
fn compared(expected: &Output, yours: &Output) -> String {
    let several = expected.0.len() > 1;
    let pairs = expected.0.iter().zip(&yours.0).zip(1..);
    let different = pairs.filter(|((expected, yours), _)| !same_part(expected, yours));
    let texts: Vec<String> = different
        .map(|((expected, yours), number)| {
            let which = if several {
                format!("part {number}: ")
            } else {
                String::new()
            };
            format!(
                "{which}expected {}, yours {}",
                values(expected),
                values(yours)
            )
        })
        .collect();
    texts.join("; ")
}

/// The numbers of an array, or how many there are.
fn values(part: &Part) -> String {
    let text = |value: &f64| match part.is_yes_or_no {
        true => (*value == 1.0).to_string(),
        false => rounded(*value),
    };
    let texts: Vec<String> = part.values.iter().map(text).collect();
    match part.shape[..] {
        [] => texts.concat(),
        _ if texts.is_empty() || texts.len() > MOST_VALUES => format!("an array {}", shape(part)),
        [_, columns] => {
            let rows: Vec<String> = texts.chunks(columns).map(|row| row.join(", ")).collect();
            format!("[[{}]]", rows.join("], ["))
        }
        _ => format!("[{}]", texts.join(", ")),
    }
}

/// Where to go from here.
pub(crate) fn next(state: State, name: &str, hints: usize) -> String {
    match state {
        State::NotAttempted => format!(
            "Write your answer in place of `todo!()`, or what else is missing, and run the cell again. \
             `hint::{name}()` gives the first of {hints} hints."
        ),
        State::Wrong => format!(
            "Change the function and run the cell again. `hint::{name}()` gives a hint, \
             `solution::{name}()` the solution."
        ),
        State::Right => String::new(),
    }
}
