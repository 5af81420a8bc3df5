//! Products of one vector with many rows, four rows at a time: their sums do not wait for each
//! other, and the shared vector is read once. Every result is bit for bit what one row at a time
//! would give.

use super::simd::{LANES, add_scaled, dot, fused};

/// `y[i] = x · row(i)`. The rows may hold numbers of a smaller type than f32, which are converted
/// one by one.
#[inline(always)]
pub(crate) fn dots<'a, N: Copy + Into<f32> + 'a>(
    x: &[f32],
    row: impl Fn(usize) -> &'a [N],
    y: &mut [f32],
) {
    let (fours, rest) = y.as_chunks_mut::<4>();
    let grouped = 4 * fours.len();
    for (four, y) in fours.iter_mut().enumerate() {
        let at = 4 * four;
        *y = four_dots(x, [row(at), row(at + 1), row(at + 2), row(at + 3)]);
    }
    for (i, y) in rest.iter_mut().enumerate() {
        *y = dot(x, row(grouped + i));
    }
}

/// [`dot`] with each of the four rows.
#[inline(always)]
fn four_dots<N: Copy + Into<f32>>(x: &[f32], rows: [&[N]; 4]) -> [f32; 4] {
    let (x_chunks, x_rest) = x.as_chunks::<LANES>();
    let mut chunks: [&[[N; LANES]]; 4] = [&[]; 4];
    for row in 0..4 {
        chunks[row] = &rows[row].as_chunks::<LANES>().0[..x_chunks.len()];
    }
    let mut sums = [[0.0_f32; LANES]; 4];
    for (at, x) in x_chunks.iter().enumerate() {
        for row in 0..4 {
            for lane in 0..LANES {
                let number = chunks[row][at][lane].into();
                sums[row][lane] = fused(x[lane], number, sums[row][lane]);
            }
        }
    }
    // Reduces 16 lanes to 4, then to 1, in loops over all rows, which the compiler fuses.
    let mut lanes = [[0.0; 4]; 4];
    for row in 0..4 {
        let sums = &sums[row];
        for lane in 0..4 {
            lanes[lane][row] = (sums[lane] + sums[lane + 8]) + (sums[lane + 4] + sums[lane + 12]);
        }
    }
    let mut y = [0.0; 4];
    for row in 0..4 {
        y[row] = (lanes[0][row] + lanes[2][row]) + (lanes[1][row] + lanes[3][row]);
    }
    if !x_rest.is_empty() {
        let start = x.len() - x_rest.len();
        for (y, row) in y.iter_mut().zip(rows) {
            for (&x, &number) in x_rest.iter().zip(&row[start..]) {
                *y = fused(x, number.into(), *y);
            }
        }
    }
    y
}

/// `y += Σ weight(i) · row(i)` over `rows`.
#[inline(always)]
pub(crate) fn add_weighted_rows<'a>(
    y: &mut [f32],
    rows: std::ops::Range<usize>,
    weight: impl Fn(usize) -> f32,
    row: impl Fn(usize) -> &'a [f32],
) {
    let (mut i, length) = (rows.start, y.len());
    while i + 4 <= rows.end {
        // Slices of equal length, so that the loop needs no bounds checks and is vectorised.
        let (a, b) = (&row(i)[..length], &row(i + 1)[..length]);
        let (c, d) = (&row(i + 2)[..length], &row(i + 3)[..length]);
        let weights = [weight(i), weight(i + 1), weight(i + 2), weight(i + 3)];
        for ((((y, a), b), c), d) in y.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let sum = fused(weights[1], *b, fused(weights[0], *a, *y));
            *y = fused(weights[3], *d, fused(weights[2], *c, sum));
        }
        i += 4;
    }
    while i < rows.end {
        add_scaled(y, weight(i), row(i));
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::simd::simd;

    fn numbers(count: usize, step: usize) -> Vec<f32> {
        let number = |i: usize| ((i * step) % 101) as f32 / 7.0 - 7.0;
        (0..count).map(number).collect()
    }

    #[test]
    fn many_rows_are_one_row_after_the_other() {
        for width in [1, 16, 17, 64, 80, 95] {
            for count in 0..10 {
                let (x, rows) = (numbers(width, 37), numbers(count * width, 53));
                let weights = numbers(count, 29);
                let row = |i: usize| &rows[i * width..(i + 1) * width];
                let (mut y, mut sums) = (vec![f32::NAN; count], x.clone());
                let mut expected = x.clone();
                simd(
                    #[inline(always)]
                    || {
                        dots(&x, row, &mut y);
                        add_weighted_rows(&mut sums, 1.min(count)..count, |i| weights[i], row);
                    },
                );
                for (i, &y) in y.iter().enumerate() {
                    let alone = simd(
                        #[inline(always)]
                        || dot(&x, row(i)),
                    );
                    assert_eq!(y, alone, "{width} {count} {i}");
                    if i > 0 {
                        simd(
                            #[inline(always)]
                            || add_scaled(&mut expected, weights[i], row(i)),
                        );
                    }
                }
                assert_eq!(sums, expected, "{width} {count}");
            }
        }
    }
}
