//! The expected result, the learner's, and their difference, as heatmaps.

use crate::judge::compare::same_part;
use crate::judge::outcome::{Judged, Outcome};
use crate::output::Part;
use attention::figures::{Grid, Heatmap, Kind, grid, heatmap};
use attention::ndarray::Array2;

/// Fewer numbers are faster to read than a picture, and more are too many to see in one.
const VALUES: std::ops::RangeInclusive<usize> = 4..=4096;

/// A difference below this share of the largest number is practically invisible. A largest number
/// above 1 counts as 1: a difference of 0.005 or more is written in its cell with two decimals, not
/// as 0.00.
const SEEN: f64 = 0.005;

/// The largest number counts as at least this, because smaller numbers are not visible at all.
const SMALLEST: f64 = 0.01;

/// The pictures of the first array in which a mistake is visible, and what its probe tests.
pub(crate) fn pictures(judged: &[Judged]) -> Option<(&str, Grid)> {
    judged.iter().find_map(|judged| {
        let Outcome::Returned(yours) = &judged.outcome else {
            return None;
        };
        let pairs = judged.expected.0.iter().zip(&yours.0);
        let mut wrong = pairs.filter(|(expected, yours)| !same_part(expected, yours));
        let grid = wrong.find_map(|(expected, yours)| of_pair(expected, yours))?;
        Some((judged.what.as_str(), grid))
    })
}

fn of_pair(expected: &Part, yours: &Part) -> Option<Grid> {
    let (expected, yours) = (matrix(expected)?, matrix(yours)?);
    if !is_seen(&expected, &yours) {
        return None;
    }
    let mut panels = vec![
        heatmap(&expected).title("expected"),
        heatmap(&yours).title("yours"),
    ];
    panels.extend(difference(&expected, &yours));
    // One colour for all three: a wrong result may not be recognised as weights, and would be grey
    // next to yellow ones, so that equal numbers would look different.
    let panels: Vec<Heatmap> = panels
        .into_iter()
        .map(|panel| panel.kind(Kind::Score))
        .collect();
    Some(grid(&panels))
}

/// Whether two matrices look different.
fn is_seen(expected: &Array2<f64>, yours: &Array2<f64>) -> bool {
    let finite = expected
        .iter()
        .chain(yours)
        .filter(|value| value.is_finite());
    let largest = finite.fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let least = SEEN * largest.clamp(SMALLEST, 1.0);
    let mut pairs = expected.iter().zip(yours);
    expected.dim() != yours.dim()
        || pairs.any(|(expected, yours)| {
            let is_same = expected == yours || (expected.is_nan() && yours.is_nan());
            let difference = (yours - expected).abs();
            !is_same && (difference >= least || difference.is_nan())
        })
}

/// The learner's result minus the expected one; equal infinities do not differ.
fn difference(expected: &Array2<f64>, yours: &Array2<f64>) -> Option<Heatmap> {
    if expected.dim() != yours.dim() {
        return None;
    }
    let mut difference = yours - expected;
    difference.zip_mut_with(expected, |difference, expected| {
        if difference.is_nan() && expected.is_infinite() {
            *difference = 0.0;
        }
    });
    Some(heatmap(&difference).title("difference"))
}

/// An array as a matrix: a vector is one row, and several matrices are stacked.
fn matrix(part: &Part) -> Option<Array2<f64>> {
    let columns = *part.shape.last()?;
    if !VALUES.contains(&part.values.len()) {
        return None;
    }
    let shape = (part.values.len() / columns, columns);
    Array2::from_shape_vec(shape, part.values.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a picture contains the colour of weights, however faint.
    fn is_yellow(svg: &str) -> bool {
        let colours = svg.split("=\"#").skip(1).filter_map(|rest| rest.get(..6));
        let of = |colour: &str, at: usize| i32::from_str_radix(&colour[at..at + 2], 16).ok();
        let mut parts = colours.filter_map(|one| Some((of(one, 0)?, of(one, 2)?, of(one, 4)?)));
        parts.any(|(red, green, blue)| red.min(green) > blue + 30)
    }

    #[test]
    fn a_difference_that_is_not_seen_has_no_picture() {
        let part = |last: f64| Part {
            shape: vec![2, 2],
            values: vec![1.0, 0.0, f64::NEG_INFINITY, last],
            is_yes_or_no: false,
        };
        let is_drawn = |yours: f64| of_pair(&part(0.5), &part(yours)).is_some();
        let [zeros, hardly] = [0.0, 0.00002].map(|value| Part {
            values: vec![value; 4],
            ..part(0.0)
        });
        assert!(of_pair(&zeros, &hardly).is_none());
        let drawn = [0.5002, 0.51, f64::NAN, f64::INFINITY].map(is_drawn);
        assert_eq!(drawn, [false, true, true, true]);
    }

    #[test]
    fn weights_and_what_is_none_have_one_colour() {
        let part = |values: [f64; 4]| Part {
            shape: vec![2, 2],
            values: values.to_vec(),
            is_yes_or_no: false,
        };
        let weights = part([0.75, 0.25, 0.5, 0.5]);
        let alone = matrix(&weights).and_then(|one| heatmap(&one).svg().ok());
        assert!(alone.is_some_and(|svg| is_yellow(&svg)));
        let pair = of_pair(&weights, &part([0.75, 0.25, 0.5, 0.1])).and_then(|one| one.svg().ok());
        assert!(pair.is_some_and(|svg| !is_yellow(&svg)));
    }
}
