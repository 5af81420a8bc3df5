//! Right results for changed arguments: exchanged, transposed, scaled or truncated.

use super::factors::Factor;
use super::numbers::{each, on_rows, softmax, turned};
use crate::arguments::Change;
use crate::output::Part;
use std::rc::Rc;

/// A change, and its description, which ends the sentence "The result is the right one for ...".
pub(super) struct Other {
    pub says: String,
    pub change: Change,
}

/// A change of one argument, described by the words around the argument's name.
pub(super) type OfOne = (fn(&Part) -> Option<Part>, &'static str, &'static str);

fn is_numbers(part: &Part, axes: std::ops::RangeInclusive<usize>) -> bool {
    !part.is_yes_or_no && axes.contains(&part.shape.len())
}

fn of_numbers(part: &Part, change: fn(f64) -> f64) -> Option<Part> {
    is_numbers(part, 0..=3).then(|| each(part, change))
}

fn of_rows(
    part: &Part,
    axes: usize,
    change: impl Fn(attention::ndarray::Array2<f64>) -> attention::ndarray::Array2<f64>,
) -> Option<Part> {
    on_rows(part, change).filter(|_| part.shape.len() == axes)
}

fn of_yes_or_no(part: &Part, change: fn(f64) -> f64) -> Option<Part> {
    part.is_yes_or_no.then(|| each(part, change))
}

fn of_whole(part: &Part, change: fn(f64) -> f64) -> Option<Part> {
    let is_whole = part.values.iter().all(|value| value.fract() == 0.0);
    let changed = each(part, change);
    let is_positive = changed.values.iter().all(|value| *value >= 0.0);
    (is_whole && is_positive && part.shape.is_empty() && changed != *part).then_some(changed)
}

/// The argument with zeros in some places.
fn without(
    part: &Part,
    axes: usize,
    is_lost: fn((usize, usize), (usize, usize)) -> bool,
) -> Option<Part> {
    let lost = |mut matrix: attention::ndarray::Array2<f64>| {
        let shape = matrix.dim();
        for (at, value) in matrix.indexed_iter_mut() {
            if is_lost(at, shape) {
                *value = 0.0;
            }
        }
        matrix
    };
    of_rows(part, axes, lost).filter(|_| !part.is_yes_or_no)
}

const TRANSPOSED: OfOne = (|p| of_rows(p, 2, turned), "", " transposed");

pub(super) const OF_ONE: &[OfOne] = &[
    TRANSPOSED,
    (|p| of_numbers(p, |x| -x), "", " with the opposite sign"),
    (|p| of_numbers(p, |x| 1.0 - x), "1 - ", " in place of it"),
    (|p| of_numbers(p, |x| x * x), "the square of ", ""),
    (|p| of_numbers(p, f64::sqrt), "the root of ", ""),
    (|p| of_numbers(p, f64::exp), "the exponential of ", ""),
    (|p| of_numbers(p, f64::ln), "the logarithm of ", ""),
    (|p| of_numbers(p, |x| 1.0 / x), "1 divided by ", ""),
    (|p| of_numbers(p, |_| 0.0), "0 in place of ", ""),
    (|p| of_numbers(p, |_| 1.0), "1 in place of ", ""),
    (|p| of_numbers(p, f64::abs), "", " without its signs"),
    (
        |p| of_numbers(p, |x| x.max(0.0)),
        "",
        " with 0 in place of what is negative",
    ),
    (
        |p| on_rows(p, softmax).filter(|_| !p.is_yes_or_no),
        "the softmax of each row of ",
        "",
    ),
    (
        |p| of_rows(p, 2, |m| turned(softmax(turned(m)))).filter(|_| !p.is_yes_or_no),
        "the softmax of each column of ",
        "",
    ),
    (
        |p| of_rows(p, 2, |m| m.slice_move(attention::ndarray::s![..;-1, ..])),
        "the rows of ",
        " in reverse order",
    ),
    (
        |p| of_rows(p, 1, |m| m.slice_move(attention::ndarray::s![.., ..;-1])),
        "",
        " in reverse order",
    ),
    (
        |p| of_rows(p, 2, |m| m.slice_move(attention::ndarray::s![.., ..;-1])),
        "the columns of ",
        " in reverse order",
    ),
    (
        |p| of_yes_or_no(p, |x| 1.0 - x),
        "",
        " with yes and no exchanged: what does `true` mean here?",
    ),
    (
        |p| of_yes_or_no(p, |_| 1.0),
        "",
        " with yes everywhere: nothing is hidden",
    ),
    (|p| of_whole(p, |x| x + 1.0), "", " larger by 1: off by one"),
    (
        |p| of_whole(p, |x| x - 1.0),
        "",
        " smaller by 1: off by one",
    ),
    (
        |p| of_whole(p, |_| 1.0),
        "1 in place of ",
        ", whatever it is",
    ),
    (
        |p| of_whole(p, |_| 2.0),
        "2 in place of ",
        ", whatever it is",
    ),
    (
        |p| of_whole(p, |_| 3.0),
        "3 in place of ",
        ", whatever it is",
    ),
    (
        |p| without(p, 1, |(_, j), _| j == 0),
        "",
        " without its first number: where does the loop begin?",
    ),
    (
        |p| without(p, 1, |(_, j), (_, n)| j + 1 == n),
        "",
        " without its last number: where does the loop end?",
    ),
    (
        |p| without(p, 1, |(_, j), _| j > 0),
        "the first number of ",
        " alone",
    ),
    (
        |p| without(p, 1, |(_, j), (_, n)| j + 1 < n),
        "the last number of ",
        " alone",
    ),
    (
        |p| without(p, 1, |(_, j), _| j > 1),
        "the first two numbers of ",
        ", however many there are",
    ),
    (
        |p| without(p, 1, |(_, j), _| j > 2),
        "the first three numbers of ",
        ", however many there are",
    ),
    (
        |p| without(p, 1, |(_, j), _| j > 3),
        "the first four numbers of ",
        ", however many there are",
    ),
    (
        |p| without(p, 2, |(i, _), _| i == 0),
        "",
        " without its first row: where does the loop begin?",
    ),
    (
        |p| without(p, 2, |(i, _), (n, _)| i + 1 == n),
        "",
        " without its last row: where does the loop end?",
    ),
    (
        |p| without(p, 2, |(_, j), _| j == 0),
        "",
        " without its first column: where does the loop begin?",
    ),
    (
        |p| without(p, 2, |(_, j), (_, n)| j + 1 == n),
        "",
        " without its last column: where does the loop end?",
    ),
    (
        |p| without(p, 2, |(i, _), _| i > 0),
        "the first row of ",
        " alone",
    ),
    (
        |p| without(p, 2, |(_, j), _| j > 0),
        "the first column of ",
        " alone",
    ),
    (
        |p| without(p, 2, |(_, j), _| j > 1),
        "the first two columns of ",
        ", however many there are",
    ),
    (
        |p| without(p, 2, |(_, j), _| j > 2),
        "the first three columns of ",
        ", however many there are",
    ),
    (
        |p| without(p, 2, |(i, _), _| i > 1),
        "the first two rows of ",
        ", however many there are",
    ),
    (
        |p| without(p, 2, |(i, _), _| i > 2),
        "the first three rows of ",
        ", however many there are",
    ),
];

/// Changes the argument at `index`.
fn at(index: usize, change: impl Fn(&Part) -> Option<Part> + 'static) -> Change {
    Rc::new(move |parts| {
        let mut parts = parts.to_vec();
        parts[index] = change(&parts[index])?;
        Some(parts)
    })
}

fn other(says: &str, change: Change) -> Other {
    let says = says.to_owned();
    Other { says, change }
}

/// Changes that often accompany a known mistake: arguments exchanged or transposed, and every
/// change of a mask or a single number.
pub(super) fn simple(names: &[String], arguments: &[Part]) -> Vec<Other> {
    let mut all = exchanged(names, arguments);
    for (a, name) in names.iter().enumerate().take(arguments.len()) {
        let is_simple = arguments[a].is_yes_or_no || arguments[a].shape.is_empty();
        let changes = if is_simple { OF_ONE } else { &[TRANSPOSED] };
        for (change, before, after) in changes {
            all.push(other(&format!("{before}`{name}`{after}"), at(a, *change)));
        }
    }
    all
}

/// All changes of one argument or of two.
pub(super) fn others(names: &[String], factors: &[Factor], arguments: &[Part]) -> Vec<Other> {
    let mut all = exchanged(names, arguments);
    for (a, name) in names.iter().enumerate().take(arguments.len()) {
        for (change, before, after) in OF_ONE {
            all.push(other(&format!("{before}`{name}`{after}"), at(a, *change)));
        }
        if is_numbers(&arguments[a], 0..=2) {
            all.extend(factors.iter().map(|factor| scaled(a, name, factor)));
        }
    }
    all
}

/// Two arguments exchanged, or one in place of the other.
fn exchanged(names: &[String], arguments: &[Part]) -> Vec<Other> {
    let mut all = Vec::new();
    for (a, name) in names.iter().enumerate().take(arguments.len()) {
        for (b, second) in names.iter().enumerate().take(arguments.len()) {
            let is_alike = arguments[a].shape.len() == arguments[b].shape.len()
                && arguments[a].is_yes_or_no == arguments[b].is_yes_or_no;
            if a < b && is_alike {
                let swap: Change = Rc::new(move |parts| {
                    let mut parts = parts.to_vec();
                    parts.swap(a, b);
                    Some(parts)
                });
                all.push(other(&format!("`{name}` and `{second}` exchanged"), swap));
            }
            if a != b && is_alike {
                let replace: Change = Rc::new(move |parts| {
                    let mut parts = parts.to_vec();
                    parts[a] = parts[b].clone();
                    Some(parts)
                });
                let says = format!("`{second}` in the place of `{name}`: `{name}` is not used");
                all.push(other(&says, replace));
            }
        }
    }
    all
}

/// The argument times a factor that is computed from the arguments of each call.
fn scaled(index: usize, name: &str, factor: &Factor) -> Other {
    let make = factor.make;
    let (of, axis) = factor.measured;
    let change: Change = Rc::new(move |parts| {
        let by = make(super::factors::measure(&parts[of], axis));
        let mut parts = parts.to_vec();
        parts[index] = each(&parts[index], |value| value * by);
        by.is_finite().then_some(parts)
    });
    other(&format!("`{name}` times {}", factor.name), change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Output, ReturnValue};

    fn says(all: &[Other]) -> Vec<&str> {
        all.iter().map(|other| other.says.as_str()).collect()
    }

    fn changed(all: &[Other], says: &str, arguments: &[Part]) -> Option<Vec<Vec<f64>>> {
        let other = all.iter().find(|other| other.says == says);
        let parts = (other.expect("a change").change)(arguments)?;
        Some(parts.into_iter().map(|part| part.values).collect())
    }

    fn parts(outputs: impl IntoIterator<Item = Output>) -> Vec<Part> {
        outputs.into_iter().flat_map(|output| output.0).collect()
    }

    #[test]
    fn arguments_of_one_kind_are_exchanged() {
        let names = ["a", "b", "n", "hidden"].map(str::to_owned);
        let arguments = parts([
            vec![1.0, 2.0].output(),
            vec![4.0, 8.0].output(),
            3.0.output(),
            vec![true, false].output(),
        ]);
        let all = exchanged(&names, &arguments);
        assert_eq!(
            says(&all),
            [
                "`a` and `b` exchanged",
                "`b` in the place of `a`: `a` is not used",
                "`a` in the place of `b`: `b` is not used",
            ]
        );
        let of = |says: &str| changed(&all, says, &arguments[..2]);
        let (a, b) = (vec![1.0, 2.0], vec![4.0, 8.0]);
        let expected = [[b.clone(), a.clone()], [b.clone(), b], [a.clone(), a]];
        for (says, expected) in says(&all).iter().zip(expected) {
            assert_eq!(of(says), Some(expected.to_vec()), "{says}");
        }
    }

    #[test]
    fn only_numbers_and_booleans_have_every_simple_change() {
        let names = ["a", "n", "hidden"].map(str::to_owned);
        let arguments = parts([
            vec![1.0, 2.0].output(),
            3.0.output(),
            vec![true, false].output(),
        ]);
        let count = |name: &str| {
            let all = simple(&names, &arguments);
            all.iter().filter(|other| other.says.contains(name)).count()
        };
        assert_eq!(
            [count("`a`"), count("`n`"), count("`hidden`")],
            [1, OF_ONE.len(), OF_ONE.len()]
        );
    }

    #[test]
    fn arguments_of_at_most_two_axes_are_scaled_by_a_length() {
        let names = ["a", "n", "hidden", "t"].map(str::to_owned);
        let mut arguments = parts([
            vec![1.0, 2.0].output(),
            0.5.output(),
            vec![true, false].output(),
            vec![1.0].output(),
        ]);
        arguments[3].shape = vec![1, 1, 1];
        let factor = Factor {
            name: "1 divided by `n`".to_owned(),
            of_calls: Vec::new(),
            measured: (1, 0),
            make: |n| 1.0 / n,
        };
        let all = others(&names, &[factor], &arguments);
        let scaled = says(&all);
        let scaled: Vec<&&str> = scaled
            .iter()
            .filter(|says| says.contains("times"))
            .collect();
        assert_eq!(
            scaled,
            [&"`a` times 1 divided by `n`", &"`n` times 1 divided by `n`"]
        );
        let of = |arguments: &[Part]| changed(&all, scaled[0], arguments);
        let expected = vec![vec![2.0, 4.0], vec![0.5]];
        assert_eq!(of(&arguments[..2]), Some(expected));
        arguments[1].values[0] = 0.0;
        assert_eq!(of(&arguments[..2]), None, "by infinity");
        assert_eq!(all.len(), 2 + 4 * OF_ONE.len());
    }
}
