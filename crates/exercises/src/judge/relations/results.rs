//! Operations that turn a right result into a wrong one.

use super::numbers::{each, matrix, on_rows, one, row, so_far, softmax, turned};
use crate::output::Part;
use attention::ndarray::{Array2, Axis};

/// A change to a right result, in words and as a function.
pub(super) type Recipe = (&'static str, fn(&Part) -> Option<Part>);

fn is_matrix(part: &Part) -> bool {
    part.shape.len() == 2
}

/// Applies a change to a matrix; `None` for other shapes.
fn of_matrix(part: &Part, change: impl Fn(Array2<f64>) -> Array2<f64>) -> Option<Part> {
    on_rows(part, change).filter(|_| is_matrix(part))
}

/// The numbers shifted by this many places along an axis. Those pushed out come back in at the
/// other end or are lost.
fn moved(matrix: &Array2<f64>, axis: usize, by: isize, comes_back: bool) -> Array2<f64> {
    let lengths = [matrix.nrows() as isize, matrix.ncols() as isize];
    Array2::from_shape_fn(matrix.dim(), |(i, j)| {
        let mut from = [i as isize, j as isize];
        from[axis] -= by;
        let at = from[axis].rem_euclid(lengths[axis].max(1));
        match at == from[axis] || comes_back {
            true => {
                from[axis] = at;
                matrix[[from[0] as usize, from[1] as usize]]
            }
            false => 0.0,
        }
    })
}

/// The numbers in these places, and 0 elsewhere.
fn only(part: &Part, is_there: fn((usize, usize), (usize, usize)) -> bool) -> Option<Part> {
    on_rows(part, |matrix| {
        Array2::from_shape_fn(matrix.dim(), |at| match is_there(at, matrix.dim()) {
            true => matrix[at],
            false => 0.0,
        })
    })
}

/// A matrix whose rows are all copies of one row.
fn all_are_row(part: &Part, which: fn(usize) -> usize) -> Option<Part> {
    of_matrix(part, |matrix| {
        let rows = matrix.nrows();
        Array2::from_shape_fn(matrix.dim(), |(_, j)| matrix[[which(rows), j]])
    })
}

/// Each row divided by a number computed from it.
fn divided(matrix: Array2<f64>, by: impl Fn(&[f64]) -> f64) -> Array2<f64> {
    let mut divided = matrix;
    for mut row in divided.rows_mut() {
        let under = by(&row.to_vec());
        row /= under;
    }
    divided
}

/// The result with a different number of axes.
fn shaped(part: &Part, shape: impl Fn(usize) -> Vec<usize>) -> Option<Part> {
    Some(Part {
        shape: shape(part.values.len()),
        ..part.clone()
    })
}

fn sorted(mut matrix: Array2<f64>, order: fn(&f64, &f64) -> std::cmp::Ordering) -> Array2<f64> {
    for mut row in matrix.rows_mut() {
        let mut values = row.to_vec();
        values.sort_by(order);
        row.assign(&attention::ndarray::Array1::from(values));
    }
    matrix
}

pub(super) const MADE: &[Recipe] = &[
    (
        "The result is transposed: rows and columns are exchanged. What should a row of it stand \
         for?",
        |p| of_matrix(p, turned),
    ),
    (
        "The right numbers in another shape: the number of axes differs, or a row was made of a \
         column.",
        |p| shaped(p, |n| vec![n]),
    ),
    (
        "The right numbers, as one column: the result should not have this axis.",
        |p| shaped(p, |n| vec![n, 1]).filter(|column| column.shape != p.shape),
    ),
    (
        "The right numbers, as a matrix of one row: the result should not have this axis.",
        |p| shaped(p, |n| vec![1, n]).filter(|row| row.shape != p.shape),
    ),
    (
        "The right numbers in the right shape, but laid down column by column in place of row by \
         row: a change of shape does not exchange axes.",
        |p| {
            let values = of_matrix(p, turned)?.values;
            Some(Part {
                values,
                ..p.clone()
            })
        },
    ),
    (
        "Every number has the wrong sign. What is subtracted from what?",
        |p| Some(each(p, |x| -x)),
    ),
    (
        "Every number is 1 minus what it should be: the other share was taken.",
        |p| Some(each(p, |x| 1.0 - x)),
    ),
    (
        "The right rows in reverse order: the last one stands first.",
        |p| of_matrix(p, |m| m.slice_move(attention::ndarray::s![..;-1, ..])),
    ),
    (
        "The right numbers in reverse order along a row: the last one stands first.",
        |p| on_rows(p, |m| m.slice_move(attention::ndarray::s![.., ..;-1])),
    ),
    (
        "Off by one: every row stands one place too low. With which row does the loop begin?",
        |p| of_matrix(p, |m| moved(&m, 0, 1, true)),
    ),
    (
        "Off by one: every row stands one place too high. With which row does the loop begin?",
        |p| of_matrix(p, |m| moved(&m, 0, -1, true)),
    ),
    (
        "Off by one: every number stands one place too far right. At which index does the loop \
         begin?",
        |p| on_rows(p, |m| moved(&m, 1, 1, true)),
    ),
    (
        "Off by one: every number stands one place too far left. At which index does the loop \
         begin?",
        |p| on_rows(p, |m| moved(&m, 1, -1, true)),
    ),
    (
        "Off by one: every row stands one place too low, the first one is 0 and the last one lost.",
        |p| of_matrix(p, |m| moved(&m, 0, 1, false)),
    ),
    (
        "Off by one: every row stands one place too high, the first one is lost and the last one 0.",
        |p| of_matrix(p, |m| moved(&m, 0, -1, false)),
    ),
    (
        "Off by one: every number stands one place too far right, and the first one is 0.",
        |p| on_rows(p, |m| moved(&m, 1, 1, false)),
    ),
    (
        "Off by one: every number stands one place too far left, and the last one is 0.",
        |p| on_rows(p, |m| moved(&m, 1, -1, false)),
    ),
    (
        "It is right, and then an exponential is taken of it, which is one too many.",
        |p| Some(each(p, f64::exp)),
    ),
    (
        "This is the logarithm of the right result: an exponential is missing, or a logarithm was \
         taken too much.",
        |p| Some(each(p, f64::ln)),
    ),
    (
        "This is the exponential of minus the right result: a logarithm is missing at the end.",
        |p| Some(each(p, |x| (-x).exp())),
    ),
    (
        "Every number is the square of the right one: a root is missing.",
        |p| Some(each(p, |x| x * x)),
    ),
    (
        "Every number is the root of the right one: is there a root too many?",
        |p| Some(each(p, f64::sqrt)),
    ),
    (
        "Every number is 1 divided by the right one: multiplication and division are exchanged.",
        |p| Some(each(p, |x| 1.0 / x)),
    ),
    (
        "The signs are lost: every negative number became positive.",
        |p| Some(each(p, f64::abs)),
    ),
    ("Numbers that should be negative are 0 here.", |p| {
        Some(each(p, |x| x.max(0.0)))
    }),
    (
        "The right numbers without their decimals: somewhere whole numbers were divided, or a \
         conversion to a whole number cut the decimals off.",
        |p| Some(each(p, f64::trunc)),
    ),
    ("The right numbers, rounded to whole ones.", |p| {
        Some(each(p, f64::round))
    }),
    (
        "It is right, and then a softmax is taken of each row, which is one too many.",
        |p| on_rows(p, softmax),
    ),
    (
        "It is right, and then a softmax is taken of each column.",
        |p| of_matrix(p, |m| turned(softmax(turned(m)))),
    ),
    (
        "It is right, and then each row is divided by its sum, which is one step too many.",
        |p| on_rows(p, |m| divided(m, |row| row.iter().sum())),
    ),
    (
        "It is right, and then each column is divided by its sum: it should not be.",
        |p| of_matrix(p, |m| turned(divided(turned(m), |row| row.iter().sum()))),
    ),
    (
        "It is right, and then everything is divided by the sum of all numbers.",
        |p| {
            let sum: f64 = p.values.iter().sum();
            Some(each(p, |x| x / sum))
        },
    ),
    (
        "It is right, and then each row is divided by its largest number.",
        |p| {
            on_rows(p, |m| {
                divided(m, |row| row.iter().copied().fold(f64::MIN, f64::max))
            })
        },
    ),
    (
        "It is right, and then each row is divided by its length, the root of the sum of its squares.",
        |p| {
            on_rows(p, |m| {
                divided(m, |row| row.iter().map(|x| x * x).sum::<f64>().sqrt())
            })
        },
    ),
    (
        "The right numbers, all added up to one: the result should keep them apart.",
        |p| Some(one(p.values.iter().sum())),
    ),
    (
        "This is the mean of the right numbers: the result should keep them apart.",
        |p| Some(one(p.values.iter().sum::<f64>() / p.values.len() as f64)),
    ),
    (
        "The rows of the right result were added up to one: they should stay apart.",
        |p| Some(row(matrix(p).filter(|_| is_matrix(p))?.sum_axis(Axis(0)))),
    ),
    (
        "In each row of the right result the numbers were added up: they should stay apart.",
        |p| Some(row(matrix(p).filter(|_| is_matrix(p))?.sum_axis(Axis(1)))),
    ),
    (
        "Only the first row of the result came: the others are missing.",
        |p| Some(row(matrix(p).filter(|_| is_matrix(p))?.row(0).to_owned())),
    ),
    (
        "Only the last row of the result came: each round of the loop replaces what the one before \
         has made.",
        |p| {
            let matrix = matrix(p).filter(|_| is_matrix(p))?;
            Some(row(matrix.row(matrix.nrows() - 1).to_owned()))
        },
    ),
    (
        "Every row is what the first row should be. Which row does the loop read?",
        |p| all_are_row(p, |_| 0),
    ),
    (
        "Every row is what the last row should be. Which row does the loop write?",
        |p| all_are_row(p, |rows| rows - 1),
    ),
    (
        "Every number of a row is what its first one should be. Which index is fixed?",
        |p| on_rows(p, |m| Array2::from_shape_fn(m.dim(), |(i, _)| m[[i, 0]])),
    ),
    (
        "Every number of a row is what its last one should be.",
        |p| {
            on_rows(p, |m| {
                Array2::from_shape_fn(m.dim(), |(i, _)| m[[i, m.ncols() - 1]])
            })
        },
    ),
    (
        "Only the first row is there, the others are still 0: which loop ends too early?",
        |p| only(p, |(i, _), _| i == 0).filter(|_| is_matrix(p)),
    ),
    ("Only the last row is there, the others are still 0.", |p| {
        only(p, |(i, _), (rows, _)| i + 1 == rows).filter(|_| is_matrix(p))
    }),
    (
        "Only the first number of each row is there, the others are still 0: which loop ends too \
         early?",
        |p| only(p, |(_, j), _| j == 0),
    ),
    (
        "Only the last number of each row is there, the others are still 0.",
        |p| only(p, |(_, j), (_, columns)| j + 1 == columns),
    ),
    (
        "Only the very first number is there, the others are still 0.",
        |p| only(p, |(i, j), _| i == 0 && j == 0),
    ),
    (
        "Only the diagonal is there, everything else is still 0.",
        |p| only(p, |(i, j), _| i == j).filter(|_| is_matrix(p)),
    ),
    (
        "Everything is right but the first row, which is 0: where does the loop begin?",
        |p| only(p, |(i, _), _| i > 0).filter(|_| is_matrix(p)),
    ),
    (
        "Everything is right but the last row, which is 0: where does the loop end?",
        |p| only(p, |(i, _), (rows, _)| i + 1 < rows).filter(|_| is_matrix(p)),
    ),
    (
        "Everything is right but the first number of each row, which is 0: where does the loop \
         begin?",
        |p| only(p, |(_, j), _| j > 0),
    ),
    (
        "Everything is right but the last number of each row, which is 0: where does the loop end?",
        |p| only(p, |(_, j), (_, columns)| j + 1 < columns),
    ),
    (
        "What lies above the diagonal is 0, and should not be.",
        |p| only(p, |(i, j), _| j <= i).filter(|_| is_matrix(p)),
    ),
    (
        "What lies below the diagonal is 0, and should not be.",
        |p| only(p, |(i, j), _| j >= i).filter(|_| is_matrix(p)),
    ),
    (
        "The diagonal is 0, and should not be; the rest is right.",
        |p| only(p, |(i, j), _| j != i).filter(|_| is_matrix(p)),
    ),
    (
        "Each row is added to all rows before it: these are sums so far.",
        |p| of_matrix(p, |m| so_far(m, 0)),
    ),
    (
        "Along each row every number is added to those before it: these are sums so far.",
        |p| on_rows(p, |m| so_far(m, 1)),
    ),
    (
        "The right numbers of each row, but sorted: which number belongs to which place?",
        |p| on_rows(p, |m| sorted(m, f64::total_cmp)),
    ),
    (
        "The right numbers of each row, but sorted, the largest first.",
        |p| on_rows(p, |m| sorted(m, |a, b| b.total_cmp(a))),
    ),
];
