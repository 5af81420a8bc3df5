//! Turns rows into columns.

/// Writes `height` rows of `width` numbers, which start `stride` apart, as columns; the
/// rows of `into` start `into_stride` apart.
pub(crate) fn transpose(
    rows: &[f32],
    stride: usize,
    (height, width): (usize, usize),
    into: &mut [f32],
    into_stride: usize,
) {
    let (high, wide) = (height - height % 4, width - width % 4);
    for row in (0..high).step_by(4) {
        let of_row = |i: usize| rows[(row + i) * stride..][..width].as_chunks::<4>().0;
        let pairs = of_row(0).iter().zip(of_row(1));
        let fours = pairs.zip(of_row(2).iter().zip(of_row(3)));
        // 4 x 4 numbers fit into 4 registers.
        for (((a, b), (c, d)), into) in fours.zip(into.chunks_mut(4 * into_stride)) {
            let from = [*a, *b, *c, *d];
            for j in 0..4 {
                let column = &mut into[j * into_stride + row..][..4];
                column.copy_from_slice(&from.map(|numbers| numbers[j]));
            }
        }
    }
    for row in 0..height {
        for column in if row < high { wide } else { 0 }..width {
            into[column * into_stride + row] = rows[row * stride + column];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_become_columns_and_what_is_beside_stays() {
        for (height, width) in [(1, 1), (3, 9), (4, 4), (8, 3), (13, 10), (5, 0)] {
            let (stride, into_stride) = (width + 2, height + 3);
            let rows: Vec<f32> = (0..height * stride).map(|i| i as f32).collect();
            let mut into = vec![-1.0; width * into_stride];
            transpose(&rows, stride, (height, width), &mut into, into_stride);
            for (i, &number) in into.iter().enumerate() {
                let (column, row) = (i / into_stride, i % into_stride);
                let expected = if row < height {
                    rows[row * stride + column]
                } else {
                    -1.0
                };
                assert_eq!(number, expected, "{height} {width}: {column} {row}");
            }
        }
    }
}
