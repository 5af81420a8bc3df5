//! The sentences of a verdict, for text and HTML.

use super::{AnswerState, Verdict};
use crate::judge::compare::{close, same_part};
use crate::judge::digits::{FEW, telling_apart, with_digits};
use crate::judge::outcome::{Judged, Outcome};
use crate::judge::patterns::shape;
use crate::output::{Output, Part};

/// Arrays with at most this many numbers are written out.
const MOST_VALUES: usize = 8;

/// The state of an answer in words, for readers who see no colours.
pub(crate) fn state(verdict: &Verdict) -> &'static str {
    match verdict.state() {
        _ if verdict.is_borrowed => "NOT YOUR OWN YET",
        AnswerState::NotAttempted => "NOT ATTEMPTED",
        AnswerState::Wrong => "NOT RIGHT YET",
        AnswerState::Right => "RIGHT",
    }
}

/// The progress in the lesson.
pub(crate) fn done(verdict: &Verdict) -> Option<String> {
    let [done, all] = verdict.done?;
    Some(format!("{done} of {all} done in this lesson"))
}

/// The outcome of a probe.
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

/// Each probe with a comment on its outcome, which is empty if it would repeat the one before.
pub(crate) fn rows(judged: &[Judged]) -> Vec<(&Judged, String)> {
    let mut last = String::new();
    let row = |judged| {
        let says = details(judged).unwrap_or_default();
        // Equal results of different probes are not a repetition.
        let is_new = says != last || matches!(judged.outcome, Outcome::Returned(_));
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

/// Describes the parts that differ.
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
            which + &difference(expected, yours)
        })
        .collect();
    texts.join("; ")
}

/// How two arrays differ: at which positions, if they have the same shape and are too large to be
/// written out.
fn difference(expected: &Part, yours: &Part) -> String {
    let pairs = expected
        .values
        .iter()
        .copied()
        .zip(yours.values.iter().copied());
    let wrong: Vec<(usize, (f64, f64))> = pairs
        .enumerate()
        .filter(|(_, (expected, yours))| !close(*expected, *yours))
        .collect();
    let is_large = expected.shape == yours.shape && expected.values.len() > MOST_VALUES;
    if let (true, Some((place, (should, is)))) = (is_large, wrong.first()) {
        let digits = telling_apart(FEW, &[(*should, *is)]);
        let differ = if wrong.len() == 1 {
            "differs, the one"
        } else {
            "differ, the first"
        };
        return format!(
            "{} of {} numbers {differ} {}: expected {}, yours {}",
            wrong.len(),
            expected.values.len(),
            at(*place, &expected.shape),
            text(expected, *should, digits),
            text(yours, *is, digits)
        );
    }
    let wrong: Vec<(f64, f64)> = wrong.iter().map(|(_, pair)| *pair).collect();
    let digits = telling_apart(FEW, &wrong);
    let (expected, yours) = (values(expected, digits), values(yours, digits));
    format!("expected {expected}, yours {yours}")
}

/// The position of a value in an array.
fn at(mut index: usize, shape: &[usize]) -> String {
    let mut at = Vec::new();
    for length in shape.iter().rev() {
        at.push((index % length).to_string());
        index /= length;
    }
    at.reverse();
    format!("at [{}]", at.join(", "))
}

fn text(part: &Part, value: f64, digits: usize) -> String {
    match part.is_yes_or_no {
        true => (value == 1.0).to_string(),
        false => with_digits(value, digits),
    }
}

/// The numbers of an array, or only its shape if there are too many.
fn values(part: &Part, digits: usize) -> String {
    let texts = part.values.iter().map(|value| text(part, *value, digits));
    let texts: Vec<String> = texts.collect();
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

/// What the learner can do next.
pub(crate) fn next(verdict: &Verdict) -> String {
    let (name, hints) = (verdict.name, verdict.hints);
    match verdict.state() {
        AnswerState::NotAttempted if verdict.is_untouched => format!(
            "This is the function as it was given. Find out what it does wrong, change it, and run \
             the cell again. `hint::{name}()` gives the first of {hints} hints."
        ),
        AnswerState::NotAttempted if verdict.diagnosis.is_some() => format!(
            "Change the cell as its task says, and run it again. `hint::{name}()` gives the first \
             of {hints} hints."
        ),
        AnswerState::NotAttempted => format!(
            "Replace `todo!()` with your answer and run the cell again. \
             `hint::{name}()` gives the first of {hints} hints."
        ),
        AnswerState::Wrong => format!(
            "Change the function and run the cell again. `hint::{name}()` gives a hint, \
             `solution::{name}()` the solution."
        ),
        AnswerState::Right => String::new(),
    }
}
