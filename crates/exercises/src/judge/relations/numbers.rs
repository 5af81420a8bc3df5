//! Arithmetic on parts, in which a vector is one row.

use crate::output::Part;
use attention::ndarray::{Array2, Axis};

/// A vector or a matrix as a matrix.
pub(super) fn matrix(part: &Part) -> Option<Array2<f64>> {
    let shape = match part.shape[..] {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    Array2::from_shape_vec(shape, part.values.clone()).ok()
}

/// A part with the numbers of a matrix.
pub(super) fn part(matrix: &Array2<f64>) -> Part {
    Part {
        shape: matrix.shape().to_vec(),
        values: matrix.iter().copied().collect(),
        is_yes_or_no: false,
    }
}

/// The part after `change`, with its original number of axes.
pub(super) fn on_rows(part: &Part, change: impl Fn(Array2<f64>) -> Array2<f64>) -> Option<Part> {
    let changed = change(matrix(part)?);
    let shape = match part.shape.len() {
        1 => vec![changed.len()],
        _ => changed.shape().to_vec(),
    };
    let values = changed.iter().copied().collect();
    Some(Part {
        shape,
        values,
        is_yes_or_no: part.is_yes_or_no,
    })
}

/// Applies a function to each number.
pub(super) fn each(part: &Part, change: impl Fn(f64) -> f64) -> Part {
    let values = part.values.iter().map(|value| change(*value)).collect();
    Part {
        values,
        ..part.clone()
    }
}

/// A part that is a single number.
pub(super) fn one(value: f64) -> Part {
    Part {
        shape: Vec::new(),
        values: vec![value],
        is_yes_or_no: false,
    }
}

/// A part that is a vector.
pub(super) fn row(values: impl IntoIterator<Item = f64>) -> Part {
    let values: Vec<f64> = values.into_iter().collect();
    Part {
        shape: vec![values.len()],
        values,
        is_yes_or_no: false,
    }
}

/// The softmax of each row.
pub(super) fn softmax(mut matrix: Array2<f64>) -> Array2<f64> {
    for mut row in matrix.rows_mut() {
        let largest = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        row.mapv_inplace(|value| (value - largest).exp());
        let sum = row.sum();
        row /= sum;
    }
    matrix
}

/// Cumulative sums along an axis.
pub(super) fn so_far(mut matrix: Array2<f64>, axis: usize) -> Array2<f64> {
    matrix.accumulate_axis_inplace(Axis(axis), |before, now| *now += before);
    matrix
}

/// The transposed matrix.
pub(super) fn turned(matrix: Array2<f64>) -> Array2<f64> {
    matrix.t().to_owned()
}
