//! Finds the region of a matrix that contains every wrong number.

use crate::judge::compare::close;
use crate::output::Part;

/// Whether a row and a column are in a region of a matrix of this shape.
type IsIn = fn(usize, usize, (usize, usize)) -> bool;

const PLACES: [(IsIn, &str); 7] = [
    (|row, _, _| row == 0, "in the first row"),
    (|row, _, (rows, _)| row + 1 == rows, "in the last row"),
    (|_, column, _| column == 0, "in the first column"),
    (
        |_, column, (_, columns)| column + 1 == columns,
        "in the last column",
    ),
    (|row, column, _| row == column, "on the diagonal"),
    (|row, column, _| column > row, "above the diagonal"),
    (|row, column, _| column < row, "below the diagonal"),
];

/// The region that contains every wrong number, if the matrices are right elsewhere.
pub(super) fn common(pairs: &[(&Part, &Part)]) -> Option<String> {
    let mut is_large = false;
    let mut wrong = Vec::new();
    for (expected, yours) in pairs {
        let [rows, columns] = expected.shape[..] else {
            return None;
        };
        is_large |= rows > 2 && columns > 2;
        let values = expected.values.iter().zip(&yours.values).enumerate();
        let values = values.filter(|(_, (expected, yours))| !close(**expected, **yours));
        wrong.extend(values.map(|(index, _)| (index / columns, index % columns, (rows, columns))));
    }
    let is_all = |place: &&(IsIn, &str)| {
        wrong
            .iter()
            .all(|(row, column, shape)| place.0(*row, *column, *shape))
    };
    let (_, place) = PLACES.iter().find(is_all).filter(|_| is_large)?;
    Some(format!(
        "All that is wrong lies {place}; the rest is right. What is different there?"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(size: usize, values: &[f64]) -> Part {
        Part {
            shape: vec![size, size],
            values: values.to_vec(),
            is_yes_or_no: false,
        }
    }

    #[test]
    fn a_place_in_a_matrix_of_two_rows_is_not_named() {
        // In two rows, one wrong number is in the first row, above the diagonal, and in the last column.
        let (expected, yours) = (
            matrix(2, &[1.0, 2.0, 3.0, 4.0]),
            matrix(2, &[1.0, 9.0, 3.0, 4.0]),
        );
        assert_eq!(common(&[(&expected, &yours)]), None);
    }

    #[test]
    fn a_place_in_a_matrix_of_three_rows_is_named() {
        let expected = matrix(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let yours = matrix(3, &[0.0, 2.0, 3.0, 4.0, 0.0, 6.0, 7.0, 8.0, 0.0]);
        let says = common(&[(&expected, &yours)]).expect("a place");
        assert!(says.contains("on the diagonal"), "{says}");
    }
}
