//! Diagnoses of wrong results that need no knowledge of the exercise.

mod panics;
mod places;
mod shares;

use crate::judge::compare::{close, same_part, same_values};
use crate::judge::digits::amount;
use crate::output::{Output, Part};

/// Explains the cause that all panics share, if it is known.
pub(crate) fn of_panics(messages: &[&str], is_right_elsewhere: bool) -> Option<String> {
    let meaning = panics::meaning(messages)?;
    let is_fixed = is_right_elsewhere && panics::is_index(messages);
    Some(match is_fixed {
        true => format!("{meaning} Other calls are right: is a length written as a number?"),
        false => meaning.to_owned(),
    })
}

/// Finds obvious patterns: all numbers are equal, or all shapes are.
pub(crate) fn at_once(wrong: &[(&Output, &Output)]) -> Option<String> {
    let pairs = different(wrong)?;
    match pairs
        .iter()
        .all(|(expected, yours)| expected.shape == yours.shape)
    {
        true => constant(&pairs),
        false => one_shape(&pairs),
    }
}

/// Explains what is wrong with the shapes.
pub(crate) fn of_shapes(wrong: &[(&Output, &Output)]) -> Option<String> {
    shapes(&different(wrong)?)
}

/// Describes a pattern that all wrong results share; each is paired with the expected result, which
/// comes first.
pub(crate) fn common(wrong: &[(&Output, &Output)]) -> Option<String> {
    let pairs = different(wrong)?;
    not_a_number(&pairs)
        .or_else(|| infinite(&pairs))
        .or_else(|| factor(&pairs))
        .or_else(|| offset(&pairs))
        .or_else(|| other_places(&pairs))
        .or_else(|| shares::common(&pairs))
        .or_else(|| places::common(&pairs))
}

/// The arrays that differ, or `None` if none do.
fn different<'a>(wrong: &[(&'a Output, &'a Output)]) -> Option<Vec<(&'a Part, &'a Part)>> {
    let pairs = wrong
        .iter()
        .flat_map(|(expected, yours)| expected.0.iter().zip(&yours.0));
    let different = pairs.filter(|(expected, yours)| !same_part(expected, yours));
    let different: Vec<(&Part, &Part)> = different.collect();
    (!different.is_empty()).then_some(different)
}

/// A shape in words.
pub(crate) fn shape(part: &Part) -> String {
    let lengths: Vec<String> = part.shape.iter().map(usize::to_string).collect();
    match lengths.len() {
        0 => "one number".to_owned(),
        1 => format!("({},)", lengths[0]),
        _ => format!("({})", lengths.join(", ")),
    }
}

/// A result that has the same shape in every call, although the inputs differ.
fn one_shape(pairs: &[(&Part, &Part)]) -> Option<String> {
    let (expected, yours) = pairs.first()?;
    let is_one = pairs.iter().all(|(_, y)| y.shape == yours.shape);
    let varies = pairs.iter().any(|(e, _)| e.shape != expected.shape);
    (is_one && varies && !yours.shape.is_empty()).then(|| {
        format!(
            "The shape is {} whatever the inputs are: a length is written as a number. Which \
             lengths of the inputs should the result have?",
            shape(yours)
        )
    })
}

fn shapes(pairs: &[(&Part, &Part)]) -> Option<String> {
    let (expected, yours) = pairs.iter().find(|(e, y)| e.shape != y.shape)?;
    let swapped: Vec<usize> = expected.shape.iter().rev().copied().collect();
    let (is, should) = (shape(yours), shape(expected));
    Some(match swapped == yours.shape {
        true => format!(
            "The shape is {is}, and should be {should}: rows and columns are exchanged. What \
             should a row of the result stand for?"
        ),
        false => format!(
            "The shape is {is}, and should be {should}. Which lengths of the inputs should the \
             result have?"
        ),
    })
}

/// The beginning of a sentence about some of the numbers.
fn share(count: usize, all: usize) -> String {
    match (count, all) {
        (_, 1) => "The number is".to_owned(),
        (1, _) => format!("1 of {all} numbers is"),
        _ => format!("{count} of {all} numbers are"),
    }
}

fn not_a_number(pairs: &[(&Part, &Part)]) -> Option<String> {
    let came = |part: &Part| part.values.iter().filter(|value| value.is_nan()).count();
    let yours = pairs.iter().map(|(_, yours)| *yours);
    let part = yours
        .max_by_key(|part| came(part))
        .filter(|part| came(part) > 0)?;
    Some(format!(
        "{} NaN, not a number: that is what 0 / 0, infinity / infinity, 0 times infinity and \
         infinity - infinity give. Which of these can happen in your function?",
        share(came(part), part.values.len())
    ))
}

fn constant(pairs: &[(&Part, &Part)]) -> Option<String> {
    let first = *pairs[0].1.values.first()?;
    let all = pairs.iter().flat_map(|(_, yours)| &yours.values);
    let varies = pairs.iter().any(|(expected, _)| expected.values.len() > 1);
    let says = match first {
        0.0 => "Every number is 0: nothing was written into the result, or everything was \
                multiplied by 0."
            .to_owned(),
        _ => format!("Every number is {first}, whatever the inputs are."),
    };
    (varies && all.clone().count() > 1 && all.clone().all(|value| *value == first)).then_some(says)
}

fn infinite(pairs: &[(&Part, &Part)]) -> Option<String> {
    let came = |(expected, yours): &(&Part, &Part)| {
        let pairs = expected.values.iter().zip(&yours.values);
        pairs
            .filter(|(e, y)| e.is_finite() && y.is_infinite())
            .count()
    };
    let (part, count) = pairs
        .iter()
        .map(|pair| (pair.1, came(pair)))
        .max_by_key(|pair| pair.1)?;
    (count > 0).then(|| {
        format!(
            "{} infinite: something was divided by 0, or an exponential was too large. Which of \
             the two can happen in your function?",
            share(count, part.values.len())
        )
    })
}

/// Every number is wrong by the same factor.
fn factor(pairs: &[(&Part, &Part)]) -> Option<String> {
    let (expected, yours) = joined(pairs);
    let largest = expected.iter().copied().filter(|value| value.is_finite());
    let largest = largest.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let place = expected.iter().position(|value| *value == largest)?;
    let factor = yours[place] / largest;
    let scaled: Vec<f64> = expected.iter().map(|value| value * factor).collect();
    if expected.len() < 2 || factor == 0.0 || !factor.is_finite() || !same_values(&scaled, &yours) {
        return None;
    }
    Some(match close(-1.0, factor) {
        true => "Every number has the wrong sign.".to_owned(),
        false => format!(
            "Every number is {} times what it should be. Where could this factor come from?",
            amount(factor)
        ),
    })
}

/// The same number is added to every number.
fn offset(pairs: &[(&Part, &Part)]) -> Option<String> {
    let (expected, yours) = joined(pairs);
    let offset = yours.first()? - expected.first()?;
    let moved: Vec<f64> = expected.iter().map(|value| value + offset).collect();
    let found = expected.len() > 1 && offset.is_finite() && same_values(&moved, &yours);
    found.then(|| {
        let (size, by) = (
            if offset > 0.0 { "large" } else { "small" },
            amount(offset.abs()),
        );
        format!("Every number is too {size} by {by}. What is added once too often, or not at all?")
    })
}

/// The right numbers are in other places.
fn other_places(pairs: &[(&Part, &Part)]) -> Option<String> {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let is_moved = |(expected, yours): &(&Part, &Part)| {
        expected.values.len() > 1 && same_values(&sorted(&expected.values), &sorted(&yours.values))
    };
    pairs.iter().all(is_moved).then(|| {
        "The right numbers, in other places: rows, columns or their order are exchanged.".to_owned()
    })
}

fn joined(pairs: &[(&Part, &Part)]) -> (Vec<f64>, Vec<f64>) {
    let values = |part: &&Part| part.values.clone();
    let expected = pairs
        .iter()
        .flat_map(|(expected, _)| values(expected))
        .collect();
    let yours = pairs.iter().flat_map(|(_, yours)| values(yours)).collect();
    (expected, yours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_no_factor() {
        let part = |values: &[f64]| Part {
            shape: vec![values.len()],
            values: values.to_vec(),
            is_yes_or_no: false,
        };
        let says = |expected: &[f64], yours: &[f64]| factor(&[(&part(expected), &part(yours))]);
        assert_eq!(says(&[2.0], &[6.0]), None);
        let two = says(&[2.0, 1.0], &[6.0, 3.0]).expect("a factor");
        assert!(two.contains("3 times"), "{two}");
    }
}
