//! Diagnoses wrong rows that should add up to 1.

use crate::judge::compare::close;
use crate::output::Part;

/// The rows of an array; a vector is one row.
fn rows(part: &Part) -> impl Iterator<Item = &[f64]> {
    let columns = part.shape.last().copied().unwrap_or(1).max(1);
    part.values.chunks(columns)
}

fn adds_up(row: &[f64]) -> bool {
    close(1.0, row.iter().sum()) && row.iter().all(|share| *share >= 0.0)
}

fn all_add_up(part: &Part) -> bool {
    !part.shape.is_empty() && rows(part).all(adds_up)
}

/// Whether each column of a matrix adds up to 1.
fn columns_add_up(part: &Part) -> bool {
    let [rows, columns] = part.shape[..] else {
        return false;
    };
    let column = |column: usize| -> f64 {
        (0..rows)
            .map(|row| part.values[row * columns + column])
            .sum()
    };
    (0..columns).all(|index| close(1.0, column(index)))
}

/// Describes a mistake in the weights that all pairs share.
pub(super) fn common(pairs: &[(&Part, &Part)]) -> Option<String> {
    let are_shares = pairs.iter().all(|(expected, _)| all_add_up(expected));
    let is_long = |(expected, _): &(&Part, &Part)| expected.shape.last() > Some(&1);
    if !are_shares
        || pairs.iter().any(|(_, yours)| yours.is_yes_or_no)
        || !pairs.iter().any(is_long)
    {
        return None;
    }
    let says = if pairs.iter().all(|(_, yours)| all_add_up(yours)) {
        let fills_a_zero = pairs
            .iter()
            .any(|(expected, yours)| fills_a_zero(expected, yours));
        match (fills_a_zero, largest(pairs, false), largest(pairs, true)) {
            (true, ..) => {
                "The rows add up to 1, but there are shares where 0 is expected: something that \
                 should be hidden is not."
            }
            (_, true, _) => {
                "The rows add up to 1, but the weights are too even: the differences between the \
                 scores were made smaller than they should be."
            }
            (_, _, true) => {
                "The rows add up to 1, but the weights are too sharp: the differences between the \
                 scores were made larger than they should be."
            }
            _ => return None,
        }
    } else if pairs.iter().all(|(_, yours)| columns_add_up(yours)) {
        "Each column adds up to 1, but each row should: the shares are taken along the wrong axis."
    } else {
        "The rows do not add up to 1, or have negative numbers in them: these are not shares yet. \
         What is each row divided by?"
    };
    Some(says.to_owned())
}

fn fills_a_zero(expected: &Part, yours: &Part) -> bool {
    let mut pairs = expected.values.iter().zip(&yours.values);
    pairs.any(|(expected, yours)| *expected == 0.0 && !close(0.0, *yours))
}

/// Whether the largest share of every row is at least as large as expected if `is_larger`, or at
/// most as large otherwise.
fn largest(pairs: &[(&Part, &Part)], is_larger: bool) -> bool {
    let most = |row: &[f64]| row.iter().copied().fold(f64::MIN, f64::max);
    let mut all = pairs
        .iter()
        .flat_map(|(expected, yours)| rows(expected).zip(rows(yours)));
    all.all(
        |(expected, yours)| match close(most(expected), most(yours)) {
            true => true,
            false => (most(yours) > most(expected)) == is_larger,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Output, ReturnValue};
    use attention::ndarray::{Array2, array};

    fn says(expected: &Output, yours: &Output) -> String {
        common(&[(&expected.0[0], &yours.0[0])]).unwrap_or_else(|| "nothing".to_owned())
    }

    #[test]
    fn what_is_wrong_with_the_shares_of_all_rows_is_said() {
        let expected = array![[1.0, 0.0], [0.4, 0.6]].output();
        for (yours, part) in [
            ([[0.7, 0.3], [0.4, 0.6_f64]], "should be hidden"),
            ([[1.0, 0.0], [0.5, 0.5]], "too even"),
            ([[1.0, 0.0], [0.1, 0.9]], "too sharp"),
            ([[0.5, 0.9], [0.5, 0.1]], "Each column adds up to 1"),
            ([[0.5, 0.4], [0.5, 0.5]], "do not add up to 1"),
            (
                [[1.5, -0.5], [0.4, 0.6]],
                "do not add up to 1, or have negative",
            ),
        ] {
            let said = says(&expected, &Array2::from(yours.to_vec()).output());
            assert!(said.contains(part), "{part}: {said}");
        }
        let expected = array![[0.8, 0.2], [0.4, 0.6]].output();
        let both = array![[0.9, 0.1], [0.45, 0.55]].output();
        assert_eq!(says(&expected, &both), "nothing");
    }

    #[test]
    fn columns_are_those_of_a_matrix() {
        let expected = array![[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]].output();
        let along_columns = array![[0.2, 0.5, 0.9], [0.8, 0.5, 0.1]].output();
        assert!(says(&expected, &along_columns).contains("Each column adds up to 1"));
        let rows = vec![0.25, 0.75].output();
        assert!(says(&rows, &vec![0.5, 0.75].output()).contains("do not add up"));
    }

    #[test]
    fn nothing_is_said_of_what_are_no_shares() {
        let wrong = array![[0.5, 0.9], [0.5, 0.2]].output();
        assert_eq!(
            says(&array![[1.0, 2.0], [0.4, 0.6]].output(), &wrong),
            "nothing"
        );
        assert_eq!(says(&1.0.output(), &0.5.output()), "nothing");
        let column = array![[1.0], [1.0]].output();
        assert_eq!(says(&column, &array![[0.5], [0.75]].output()), "nothing");
        let shares = array![[1.0, 0.0], [0.4, 0.6]].output();
        let yes = array![[true, false], [true, true]].output();
        assert_eq!(says(&shares, &yes), "nothing");
    }
}
