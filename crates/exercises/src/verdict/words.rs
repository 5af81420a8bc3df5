//! The sentences of a verdict, for text and HTML.

use super::{Judged, State, Verdict};
use crate::judge::compare::{close, same_part};
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
        Outcome::Exited(_) => "ended",
        Outcome::Garbled => "garbled",
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
        Outcome::Exited(code) => Some(format!(
            "it ended its process with `exit({code})`: return the result instead"
        )),
        Outcome::Garbled => Some(
            "something else came in place of its result: it wrote to a file descriptor that it \
             had not opened itself. Return the result, and write only to what you have opened"
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
            let both = format!("expected {}, yours {}", values(expected), values(yours));
            which + &difference(expected, yours).unwrap_or(both)
        })
        .collect();
    texts.join("; ")
}

/// Where two arrays of one shape differ, if they are too large to be written out.
fn difference(expected: &Part, yours: &Part) -> Option<String> {
    let values = expected.values.iter().zip(&yours.values);
    let mut wrong = values
        .enumerate()
        .filter(|(_, (expected, yours))| !close(**expected, **yours));
    let (first, (should, is)) = wrong.next()?;
    let is_large = expected.shape == yours.shape && expected.values.len() > MOST_VALUES;
    is_large.then(|| {
        format!(
            "{} of {} numbers differ, the first {}: expected {}, yours {}",
            wrong.count() + 1,
            expected.values.len(),
            place(first, &expected.shape),
            text(expected, *should),
            text(yours, *is)
        )
    })
}

/// The place of a value in an array.
fn place(mut index: usize, shape: &[usize]) -> String {
    let mut at = Vec::new();
    for length in shape.iter().rev() {
        at.push((index % length).to_string());
        index /= length;
    }
    at.reverse();
    format!("at [{}]", at.join(", "))
}

fn text(part: &Part, value: f64) -> String {
    match part.is_yes_or_no {
        true => (value == 1.0).to_string(),
        false => rounded(value),
    }
}

/// The numbers of an array, or how many there are.
fn values(part: &Part) -> String {
    let texts: Vec<String> = part.values.iter().map(|value| text(part, *value)).collect();
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
pub(crate) fn next(verdict: &Verdict) -> String {
    let (name, hints) = (verdict.name, verdict.hints);
    match verdict.state() {
        State::NotAttempted if verdict.is_untouched => format!(
            "This is the function as it was given. Find out what it does wrong, change it, and run \
             the cell again. `hint::{name}()` gives the first of {hints} hints."
        ),
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
