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

/// Finds obvious patterns: all numbers are equal, or all results have the same shape.
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

/// Explains what is wrong with the shapes of the arrays that differ.
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

/// Recognises a result that has the same shape in every call, although the inputs differ.
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

/// Recognises numbers that are all wrong by the same factor.
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

/// Recognises numbers to which the same number was added.
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

/// Recognises right numbers in wrong places.
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
    use crate::output::ReturnValue;
    use attention::ndarray::array;

    const INFINITE: f64 = f64::INFINITY;

    fn says(
        function: fn(&[(&Output, &Output)]) -> Option<String>,
        pairs: &[(Output, Output)],
    ) -> String {
        let pairs: Vec<(&Output, &Output)> = pairs.iter().map(|(e, y)| (e, y)).collect();
        function(&pairs).unwrap_or_else(|| "nothing".to_owned())
    }

    fn vectors<const N: usize>(expected: [f64; N], yours: [f64; N]) -> (Output, Output) {
        (expected.to_vec().output(), yours.to_vec().output())
    }

    #[track_caller]
    fn assert_says(said: &str, part: &str) {
        assert!(said.contains(part), "{part}: {said}");
    }

    #[test]
    fn the_meaning_of_panics_is_the_one_that_all_share() {
        let index = "index out of bounds: the len is 3 but the index is 3";
        let zero = "attempt to divide by zero";
        let says = |messages: &[&str], is_right_elsewhere| {
            of_panics(messages, is_right_elsewhere).unwrap_or_else(|| "nothing".to_owned())
        };
        assert!(says(&[index, index], false).ends_with("one too far."));
        assert_says(
            &says(&[index, index], true),
            "one too far. Other calls are right",
        );
        assert!(says(&[zero], true).ends_with("a length of 0."));
        assert_eq!(says(&[index, zero], true), "nothing");
        assert_eq!(says(&["my own"], true), "nothing");
        assert_eq!(says(&[], true), "nothing");
    }

    #[test]
    fn numbers_that_are_all_the_same_are_seen() {
        let two = [
            vectors([1.0, 2.0], [2.5, 2.5]),
            vectors([3.0, 4.0], [2.5, 2.5]),
        ];
        assert_says(&says(at_once, &two), "Every number is 2.5, whatever");
        let zero = [vectors([1.0, 2.0], [0.0, 0.0])];
        assert_says(
            &says(at_once, &zero),
            "Every number is 0: nothing was written",
        );
        let others = [
            vectors([1.0, 2.0], [2.5, 2.5]),
            vectors([3.0, 4.0], [2.5, 3.5]),
        ];
        assert_eq!(says(at_once, &others), "nothing");
        // A single number for each call is not enough to tell.
        let single = [(1.0.output(), 2.5.output()), (3.0.output(), 2.5.output())];
        assert_eq!(says(at_once, &single), "nothing");
        assert_eq!(says(at_once, &[vectors([1.0], [1.0])]), "nothing");
    }

    #[test]
    fn a_shape_that_never_changes_is_seen() {
        let pair = |expected: usize, yours: usize| {
            (vec![1.0; expected].output(), vec![2.0; yours].output())
        };
        let says = |pairs: &[(Output, Output)]| says(at_once, pairs);
        assert_says(
            &says(&[pair(3, 2), pair(4, 2)]),
            "The shape is (2,) whatever",
        );
        assert_eq!(says(&[pair(3, 2), pair(4, 5)]), "nothing");
        assert_eq!(says(&[pair(3, 2), pair(3, 2)]), "nothing");
        let number = |expected: usize| (vec![1.0; expected].output(), 2.0.output());
        assert_eq!(says(&[number(3), number(4)]), "nothing");
    }

    #[test]
    fn shapes_are_said_in_words() {
        let right = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].output();
        let turned = array![[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]].output();
        let square = array![[1.0, 2.0], [4.0, 5.0]].output();
        let same_shape = (
            right.clone(),
            array![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]].output(),
        );
        let of = |expected: &Output, yours: &Output| {
            says(
                of_shapes,
                &[same_shape.clone(), (expected.clone(), yours.clone())],
            )
        };
        assert_says(
            &of(&right, &turned),
            "The shape is (3, 2), and should be (2, 3): rows and columns are exchanged",
        );
        assert_says(
            &of(&right, &square),
            "The shape is (2, 2), and should be (2, 3). Which lengths",
        );
        assert_says(
            &of(&1.0.output(), &vec![1.0].output()),
            "The shape is (1,), and should be one number",
        );
        assert_eq!(of(&right, &right), "nothing");
    }

    #[test]
    fn numbers_that_are_none_are_counted() {
        let none = f64::NAN;
        let two = [
            vectors([1.0, 2.0, 4.0], [none, 2.0, 4.0]),
            vectors([1.0, 2.0, 4.0], [none, none, 4.0]),
        ];
        assert_says(&says(common, &two), "2 of 3 numbers are NaN");
        assert_says(&says(common, &two[..1]), "1 of 3 numbers is NaN");
        assert_says(
            &says(common, &[vectors([1.0], [none])]),
            "The number is NaN",
        );
        let infinite = [
            vectors([INFINITE, 2.0, 4.0], [INFINITE, INFINITE, 4.0]),
            vectors([1.0, 2.0, 4.0], [1.0, 2.0, 5.0]),
        ];
        assert_says(&says(common, &infinite), "1 of 3 numbers is infinite");
    }

    #[test]
    fn a_factor_is_that_of_all_numbers() {
        let three = [
            vectors([2.0, -1.0], [6.0, -3.0]),
            vectors([1.0, INFINITE], [3.0, INFINITE]),
        ];
        assert_says(
            &says(common, &three),
            "Every number is 3 times what it should be",
        );
        let sign = [vectors([2.0, -1.0], [-2.0, 1.0])];
        assert_says(&says(common, &sign), "Every number has the wrong sign");
        for others in [
            vectors([2.0, 1.0], [6.0, 2.0]),
            vectors([2.0, 1.0], [0.0, 0.0]),
            vectors([2.0], [6.0]),
        ] {
            assert_eq!(says(common, &[others]), "nothing");
        }
    }

    #[test]
    fn an_offset_is_that_of_all_numbers() {
        let large = [vectors([2.0, 1.0], [2.5, 1.5])];
        assert_says(&says(common, &large), "Every number is too large by 0.5");
        let small = [vectors([2.0, 1.0], [1.75, 0.75])];
        assert_says(&says(common, &small), "Every number is too small by 0.25");
        let (expected, yours) = vectors([2.0, 1.0], [INFINITE, INFINITE]);
        assert_eq!(offset(&[(&expected.0[0], &yours.0[0])]), None);
        let (expected, yours) = vectors([2.0], [6.0]);
        assert_eq!(offset(&[(&expected.0[0], &yours.0[0])]), None);
    }

    #[test]
    fn numbers_in_other_places_are_the_right_ones() {
        let moved = vectors([1.0, 2.0, 4.0], [2.0, 4.0, 1.0]);
        let other = vectors([1.0, 2.0, 4.0], [2.0, 4.0, 2.0]);
        assert_says(
            &says(common, std::slice::from_ref(&moved)),
            "The right numbers, in other places",
        );
        assert_eq!(says(common, &[moved, other]), "nothing");
        let (one, same) = vectors([2.0], [2.0]);
        assert_eq!(other_places(&[(&one.0[0], &same.0[0])]), None);
    }

    #[test]
    fn what_is_common_to_shares_and_places_is_said_too() {
        let shares = [vectors([0.3, 0.7], [0.4, 0.6])];
        assert_says(&says(common, &shares), "too even");
        let expected = array![[1.0, 2.0, 4.0], [8.0, 5.0, 7.0], [0.0, 9.0, 3.0]];
        let mut yours = expected.clone();
        yours[[0, 0]] = 6.0;
        yours[[0, 2]] = 5.5;
        let places = [(expected.output(), yours.output())];
        assert_says(&says(common, &places), "in the first row");
    }
}
