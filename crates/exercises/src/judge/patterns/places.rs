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

    /// A matrix of the numbers from 1 up, and a copy with wrong numbers in these places.
    fn pair((rows, columns): (usize, usize), wrong: &[(usize, usize)]) -> (Part, Part) {
        let expected = Part {
            shape: vec![rows, columns],
            values: (1..=rows * columns).map(|number| number as f64).collect(),
            is_yes_or_no: false,
        };
        let mut yours = expected.clone();
        for (row, column) in wrong {
            yours.values[row * columns + column] = 0.0;
        }
        (expected, yours)
    }

    fn place(shape: (usize, usize), wrong: &[(usize, usize)]) -> Option<String> {
        let (expected, yours) = pair(shape, wrong);
        let says = common(&[(&expected, &yours)])?;
        let (_, place) = says.split_once("lies ").expect("a place");
        Some(place.split(';').next().expect("a sentence").to_owned())
    }

    #[test]
    fn a_place_is_named_if_all_wrong_numbers_are_there() {
        for (wrong, expected) in [
            (&[(0, 0), (0, 2)][..], Some("in the first row")),
            (&[(2, 0), (2, 2)], Some("in the last row")),
            (&[(0, 0), (1, 0)], Some("in the first column")),
            (&[(0, 3), (1, 3)], Some("in the last column")),
            (&[(0, 0), (1, 1)], Some("on the diagonal")),
            (&[(0, 1), (1, 2)], Some("above the diagonal")),
            (&[(2, 1), (1, 0)], Some("below the diagonal")),
            (&[(0, 0), (0, 1), (1, 2)], None),
            (&[(0, 0), (2, 1), (1, 0)], None),
            (&[(1, 2), (1, 0)], None),
        ] {
            assert_eq!(place((3, 4), wrong).as_deref(), expected, "{wrong:?}");
        }
    }

    #[test]
    fn a_place_in_a_matrix_of_two_rows_is_not_named() {
        // With only two rows or columns, a single wrong number could be said to lie in several of
        // these regions.
        for shape in [(2, 2), (2, 4), (4, 2)] {
            assert_eq!(place(shape, &[(0, 1)]), None, "{shape:?}");
        }
        let [small, first, second] = [(2, 2), (3, 3), (3, 4)].map(|shape| pair(shape, &[(0, 1)]));
        let pairs = [&small, &first, &second].map(|(expected, yours)| (expected, yours));
        assert!(common(&pairs).is_some());
        assert!(common(&[pairs[1], pairs[0]]).is_some());
    }

    #[test]
    fn a_vector_has_no_such_places() {
        let (mut expected, yours) = pair((3, 4), &[(0, 1)]);
        expected.shape = vec![12];
        assert_eq!(common(&[(&expected, &yours)]), None);
    }
}
