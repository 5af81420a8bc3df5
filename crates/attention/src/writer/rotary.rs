//! Rotary positions: rotates queries and keys by angles that depend on their positions.

use crate::measure::step::Step;
use ndarray::{Array1, Array2, ArrayRef2, ArrayViewMut1};

/// The rows of `x`, (T, D), rotated by their `positions`: numbers 2j and 2j + 1 of a row are the
/// coordinates of a point, which is rotated by the angle position · base^(-2j / D).
///
/// The score of a rotated query and a rotated key depends only on the distance between their
/// positions. The first pair rotates fastest, by one radian per position. Files for Transformers
/// pair j with j + D / 2 instead, which changes only the order of the numbers.
///
/// PyTorch: `torch.view_as_real(torch.view_as_complex(x.reshape(T, -1, 2)) *
/// torch.polar(ones, angles)).flatten(1)`
///
/// Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding",
/// section 3.2.2, equation 34.
///
/// # Panics
///
/// If D is odd, or there is not one position per row.
///
/// ```
/// use attention::writer::rotary;
/// use ndarray::array;
///
/// let x = array![[1.0, 0.0], [1.0, 0.0]];
/// let turned = rotary(&x, &[0, 2], 10_000.0);
/// assert_eq!(turned, array![[1.0, 0.0], [2_f32.cos(), 2_f32.sin()]]);
/// ```
#[track_caller]
pub fn rotary(x: &ArrayRef2<f32>, positions: &[usize], base: f64) -> Array2<f32> {
    Step::Rotary.called();
    let (rows, width) = x.dim();
    assert!(
        width.is_multiple_of(2),
        "rotary: x has {width} columns, but pairs are turned: an even number is needed"
    );
    assert!(
        rows == positions.len(),
        "rotary: x has {rows} rows but there are {} positions: one per row is needed",
        positions.len()
    );
    let turns = Turns::new(positions, width, base);
    let mut turned = x.to_owned();
    for (row, numbers) in turned.rows_mut().into_iter().enumerate() {
        turns.turn(row, numbers);
    }
    turned
}

/// The sines and cosines of the angles at some positions.
pub(super) struct Turns {
    /// (T, D / 2)
    sines: Array2<f32>,
    /// (T, D / 2)
    cosines: Array2<f32>,
}

impl Turns {
    pub fn new(positions: &[usize], width: usize, base: f64) -> Turns {
        // In f64: at position 8,000, an f32 would leave the fast pairs only three decimals.
        let frequency = |j: usize| base.powf(-2.0 * j as f64 / width as f64);
        let frequencies: Array1<f64> = (0..width / 2).map(frequency).collect();
        let angle = |(row, j): (usize, usize)| positions[row] as f64 * frequencies[j];
        let angles = Array2::from_shape_fn((positions.len(), width / 2), angle);
        Turns {
            sines: angles.map(|angle| angle.sin() as f32),
            cosines: angles.map(|angle| angle.cos() as f32),
        }
    }

    /// Rotates one head's numbers for the token in this row.
    pub fn turn(&self, row: usize, mut numbers: ArrayViewMut1<f32>) {
        let angles = self.sines.row(row).into_iter().zip(self.cosines.row(row));
        for (mut pair, (sin, cos)) in numbers.exact_chunks_mut(2).into_iter().zip(angles) {
            let (a, b) = (pair[0], pair[1]);
            pair[0] = a * cos - b * sin;
            pair[1] = a * sin + b * cos;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn numbers(seed: usize) -> Array2<f32> {
        Array2::from_shape_fn((1, 64), |(_, i)| ((i * 7 + seed) % 13) as f32 - 6.0)
    }

    #[test]
    fn sixty_four_numbers_at_position_3() {
        let x = Array2::from_shape_fn((1, 64), |(_, i)| 1.0 - (i % 2) as f32);
        let turned = rotary(&x, &[3], 100_000.0);
        let expected = [
            -0.989992, 0.141120, -0.499217, 0.866477, 0.109673, 0.993968, 0.523824, 0.851827,
        ];
        for (turned, expected) in turned.iter().zip(expected) {
            assert!((turned - expected).abs() < 1e-6, "{turned} {expected}");
        }
    }

    #[test]
    fn lengths_stay_and_only_the_distance_counts() {
        let (q, k) = (numbers(1), numbers(5));
        let score = |at_q, at_k| {
            let (q, k) = (
                rotary(&q, &[at_q], 100_000.0),
                rotary(&k, &[at_k], 100_000.0),
            );
            assert!(
                (q.row(0).dot(&q.row(0)) - numbers(1).row(0).dot(&numbers(1).row(0))).abs() < 1e-2
            );
            q.row(0).dot(&k.row(0))
        };
        assert!((score(7, 4) - score(1007, 1004)).abs() < 1e-2);
        assert!((score(7, 4) - score(8, 4)).abs() > 1.0);
        assert_eq!(rotary(&q, &[0], 10.0), q);
    }

    #[test]
    #[should_panic(expected = "rotary: x has 2 rows but there are 1 positions")]
    fn one_position_per_row_is_needed() {
        rotary(&array![[1.0, 2.0], [3.0, 4.0]], &[1], 10.0);
    }

    #[test]
    #[should_panic(expected = "rotary: x has 3 columns")]
    fn pairs_are_needed() {
        rotary(&array![[1.0, 2.0, 3.0]], &[1], 10.0);
    }
}
