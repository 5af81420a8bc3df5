//! Results that need only the arguments: one of them unchanged, or an intermediate step.

use super::Call;
use super::numbers::{each, matrix, on_rows, one, part, row, so_far, softmax, turned};
use crate::output::Part;
use attention::ndarray::{Array2, Axis};

/// The name of a step, and its value in each call.
pub(super) struct Step {
    pub says: String,
    pub of_calls: Vec<Option<Part>>,
}

pub(super) type OfOne = (fn(&Part) -> Option<Part>, &'static str, &'static str);
pub(super) type OfTwo = (fn(&Part, &Part) -> Option<Part>, &'static str);

fn is_matrix(part: &Part) -> bool {
    part.shape.len() == 2
}

fn of_matrix(part: &Part, make: impl Fn(Array2<f64>) -> Array2<f64>) -> Option<Part> {
    on_rows(part, make).filter(|_| is_matrix(part))
}

fn rows(part: &Part, make: impl Fn(&[f64]) -> f64) -> Option<Part> {
    let matrix = matrix(part).filter(|_| is_matrix(part))?;
    Some(row(matrix
        .rows()
        .into_iter()
        .map(|row| make(&row.to_vec()))))
}

fn columns(part: &Part, make: impl Fn(&[f64]) -> f64) -> Option<Part> {
    rows(&of_matrix(part, turned)?, make)
}

fn sum(row: &[f64]) -> f64 {
    row.iter().sum()
}

fn mean(row: &[f64]) -> f64 {
    sum(row) / row.len() as f64
}

fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The index of the largest number.
fn place(row: &[f64]) -> f64 {
    let places = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
    places.unwrap_or(0) as f64
}

/// Steps from one argument.
pub(super) const OF_ONE: &[OfOne] = &[
    (
        |p| of_matrix(p, turned),
        "",
        " with rows and columns exchanged",
    ),
    (|p| on_rows(p, softmax), "the softmax of each row of ", ""),
    (
        |p| of_matrix(p, |m| turned(softmax(turned(m)))),
        "the softmax of each column of ",
        "",
    ),
    (
        |p| Some(each(p, f64::exp)),
        "the exponential of each number of ",
        "",
    ),
    (
        |p| Some(each(p, f64::ln)),
        "the logarithm of each number of ",
        "",
    ),
    (|p| Some(each(p, |x| 1.0 - x)), "1 minus ", ""),
    (|p| Some(each(p, |x| x * x)), "the square of ", ""),
    (
        |p| Some(one(sum(&p.values))),
        "the sum of all numbers of ",
        "",
    ),
    (
        |p| Some(one(mean(&p.values))),
        "the mean of all numbers of ",
        "",
    ),
    (
        |p| Some(one(largest(&p.values))),
        "the largest number of ",
        "",
    ),
    (
        |p| Some(one(place(&p.values))),
        "the place of the largest number of ",
        "",
    ),
    (
        |p| Some(one(p.values.len() as f64)),
        "how many numbers are in ",
        "",
    ),
    (|p| rows(p, sum), "the sum of each row of ", ""),
    (|p| columns(p, sum), "the sum of each column of ", ""),
    (|p| rows(p, mean), "the mean of each row of ", ""),
    (|p| columns(p, mean), "the mean of each column of ", ""),
    (
        |p| rows(p, largest),
        "the largest number of each row of ",
        "",
    ),
    (
        |p| columns(p, largest),
        "the largest number of each column of ",
        "",
    ),
    (
        |p| rows(p, place),
        "the place of the largest number in each row of ",
        "",
    ),
    (
        |p| columns(p, place),
        "the place of the largest number in each column of ",
        "",
    ),
    (
        |p| of_matrix(p, |m| so_far(m, 0)),
        "the sum so far of the rows of ",
        "",
    ),
    (
        |p| on_rows(p, |m| so_far(m, 1)),
        "the sum so far along each row of ",
        "",
    ),
    (|p| rows(p, |row| row[0]), "the first column of ", ""),
    (|p| columns(p, |column| column[0]), "the first row of ", ""),
    (
        |p| columns(p, |column| column[column.len() - 1]),
        "the last row of ",
        "",
    ),
];

/// A product of matrices and vectors, some of them transposed.
fn product(a: &Part, b: &Part, turn_a: bool, turn_b: bool) -> Option<Part> {
    let (left, right) = (matrix(a)?, matrix(b)?);
    // A vector is a row on the left and a column on the right.
    let (is_row, is_column) = (a.shape.len() == 1, b.shape.len() == 1);
    if (is_row && turn_a) || (is_column && turn_b) {
        return None;
    }
    let left = if turn_a { turned(left) } else { left };
    let right = if turn_b || is_column {
        turned(right)
    } else {
        right
    };
    if left.ncols() != right.nrows() {
        return None;
    }
    let made = left.dot(&right);
    Some(match (is_row, is_column) {
        (true, true) => one(made[[0, 0]]),
        (false, false) => part(&made),
        _ => row(made),
    })
}

fn pairwise(a: &Part, b: &Part, make: fn(f64, f64) -> f64) -> Option<Part> {
    let values = a.values.iter().zip(&b.values);
    let is_one_shape = a.shape == b.shape;
    is_one_shape.then(|| Part {
        shape: a.shape.clone(),
        values: values.map(|(a, b)| make(*a, *b)).collect(),
        is_yes_or_no: false,
    })
}

/// The mean of all rows of `b` for each row of `a`: what uniform weights give.
fn plain_mean(a: &Part, b: &Part) -> Option<Part> {
    let (left, right) = (matrix(a)?, matrix(b).filter(|_| is_matrix(b))?);
    let mean = right.mean_axis(Axis(0))?;
    let all = Array2::from_shape_fn((left.nrows(), mean.len()), |(_, j)| mean[j]);
    Some(part(&all)).filter(|_| is_matrix(a))
}

/// Steps from two arguments, `{a}` and `{b}`.
pub(super) const OF_TWO: &[OfTwo] = &[
    (
        |a, b| product(a, b, false, false),
        "the product of {a} and {b}",
    ),
    (
        |a, b| product(a, b, false, true),
        "the product of {a} and {b} transposed",
    ),
    (
        |a, b| product(a, b, true, false),
        "the product of {a} transposed and {b}",
    ),
    (
        |a, b| product(a, b, true, true),
        "the product of {a} transposed and {b} transposed",
    ),
    (
        |a, b| pairwise(a, b, |a, b| a * b),
        "{a} times {b}, number by number",
    ),
    (|a, b| pairwise(a, b, |a, b| a + b), "{a} plus {b}"),
    (|a, b| pairwise(a, b, |a, b| a - b), "{a} minus {b}"),
    (
        |a, b| pairwise(a, b, |a, b| a / b),
        "{a} divided by {b}, number by number",
    ),
    (
        |a, b| Some(one(sum(&pairwise(a, b, |a, b| a * b)?.values))),
        "the sum of all products of {a} and {b}, number by number",
    ),
    (
        plain_mean,
        "the plain mean of the rows of {b}, for each row of {a}",
    ),
];

/// Steps that may follow a step from two arguments.
pub(super) const AFTER: &[OfOne] = &[
    (|p| on_rows(p, softmax), "the softmax of each row of ", ""),
    (
        |p| of_matrix(p, |m| turned(softmax(turned(m)))),
        "the softmax of each column of ",
        "",
    ),
    (|p| Some(each(p, f64::exp)), "the exponential of ", ""),
];

/// All steps that the arguments of these calls allow.
pub(super) fn steps(names: &[String], calls: &[Call]) -> Vec<Step> {
    let arguments = calls.first().map_or(0, |call| call.arguments.len());
    let mut steps = Vec::new();
    for (a, name) in names.iter().enumerate().take(arguments) {
        let name = format!("`{name}`");
        let of_calls = calls
            .iter()
            .map(|call| Some(call.arguments[a].clone()))
            .collect();
        let says = format!("{name} comes back unchanged. What should the function do with it?");
        steps.push(Step { says, of_calls });
        for (make, before, after) in OF_ONE {
            steps.push(Step {
                says: alone(&format!("{before}{name}{after}")),
                of_calls: calls.iter().map(|call| make(&call.arguments[a])).collect(),
            });
        }
        for (b, other) in names.iter().enumerate().take(arguments) {
            for (make, what) in OF_TWO {
                let other = format!("`{other}`");
                let what = what.replace("{a}", &name).replace("{b}", &other);
                let made = calls
                    .iter()
                    .map(|call| make(&call.arguments[a], &call.arguments[b]));
                let made: Vec<Option<Part>> = made.collect();
                for (further, before, after) in AFTER {
                    let of_call = |part: &Option<Part>| further(part.as_ref()?);
                    steps.push(Step {
                        says: alone(&format!("{before}{what}{after}")),
                        of_calls: made.iter().map(of_call).collect(),
                    });
                }
                steps.push(Step {
                    says: alone(&what),
                    of_calls: made,
                });
            }
        }
    }
    steps
}

fn alone(what: &str) -> String {
    format!("This is {what}, and nothing else. Which steps are missing, or which argument?")
}
