//! The matrix product of tiles: small, in the caches, and nothing to pack.

use crate::numerics::simd::{LANES, registers};
use pulp::{Simd, WithSimd};

/// Rows of the result whose sums a block keeps in registers, over up to 4 registers each: so
/// many that no sum has to wait for the one before.
const ROWS: usize = 6;

/// The left matrix of a product, or its transpose, as it lies in memory. It is read
/// number by number.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    numbers: &'a [f32],
    /// Numbers from a row of the memory to the next.
    stride: usize,
    rows: usize,
    depth: usize,
    transposed: bool,
}

impl<'a> Left<'a> {
    /// (rows, depth), where each row is the beginning of `stride` numbers.
    pub(super) fn of(numbers: &'a [f32], stride: usize, rows: usize, depth: usize) -> Left<'a> {
        assert!(depth <= stride && (rows == 0 || (rows - 1) * stride + depth <= numbers.len()));
        Left {
            numbers,
            stride,
            rows,
            depth,
            transposed: false,
        }
    }

    /// (rows, depth), the transpose of (depth, rows) as [`Left::of`] takes it.
    pub(super) fn transposed(
        numbers: &'a [f32],
        stride: usize,
        rows: usize,
        depth: usize,
    ) -> Left<'a> {
        Left {
            rows,
            depth,
            transposed: true,
            ..Left::of(numbers, stride, depth, rows)
        }
    }
}

/// `c = a b`, or `c = c + a b` if `add`: `b` is (depth, columns), `c` (rows, columns),
/// where `columns` is a multiple of [`LANES`]. On the caller's thread.
pub(super) fn product(a: Left, b: &[f32], c: &mut [f32], columns: usize, add: bool) {
    assert!(columns.is_multiple_of(LANES), "whole registers");
    let (b, c) = (&b[..a.depth * columns], &mut c[..a.rows * columns]);
    registers().dispatch(Product {
        a,
        b,
        c,
        columns,
        add,
    });
}

struct Product<'a> {
    a: Left<'a>,
    b: &'a [f32],
    c: &'a mut [f32],
    columns: usize,
    add: bool,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Product { a, columns, .. } = self;
        let (b, c) = (S::as_simd_f32s(self.b).0, S::as_mut_simd_f32s(self.c).0);
        let mut sums = Sums {
            simd,
            a,
            b,
            c,
            add: self.add,
            width: columns / S::F32_LANES,
        };
        let mut column = 0;
        // 6 x 4 sums, 4 numbers of b and one of a fill 29 registers; of 16 there are 6 x 2 sums.
        while S::REGISTER_COUNT >= 32 && column + 4 <= sums.width {
            sums.columns::<4>(column);
            column += 4;
        }
        while column + 2 <= sums.width {
            sums.columns::<2>(column);
            column += 2;
        }
        if column < sums.width {
            sums.columns::<1>(column);
        }
    }
}

/// A product in registers of the machine.
struct Sums<'a, S: Simd> {
    simd: S,
    a: Left<'a>,
    b: &'a [S::f32s],
    c: &'a mut [S::f32s],
    add: bool,
    /// Registers in a row of `b` and of `c`.
    width: usize,
}

impl<S: Simd> Sums<'_, S> {
    /// `C` registers of every row of the result.
    #[inline(always)]
    fn columns<const C: usize>(&mut self, column: usize) {
        let mut row = 0;
        while row < self.a.rows {
            // As equal as can be: 64 rows are 9 times 6 and twice 5.
            let rest = self.a.rows - row;
            let height = rest.div_ceil(rest.div_ceil(ROWS));
            row += match height {
                6 => self.either::<6, C>(row, column),
                5 => self.either::<5, C>(row, column),
                4 => self.either::<4, C>(row, column),
                2 | 3 => self.either::<2, C>(row, column),
                _ => self.either::<1, C>(row, column),
            };
        }
    }

    /// `R` of these rows, and how many they are.
    #[inline(always)]
    fn either<const R: usize, const C: usize>(&mut self, row: usize, column: usize) -> usize {
        if self.a.transposed {
            self.block::<R, C, true>(row, column);
        } else {
            self.block::<R, C, false>(row, column);
        }
        R
    }

    #[inline(always)]
    fn block<const R: usize, const C: usize, const TRANSPOSED: bool>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        let simd = self.simd;
        let (a, b) = (self.a, self.b);
        let mut sums = [[simd.splat_f32s(0.0); C]; R];
        let mut rows: [&[f32]; R] = [&[]; R];
        if !TRANSPOSED {
            let mut i = 0;
            while i < R {
                let start = (row + i) * a.stride;
                rows[i] = &a.numbers[start..start + a.depth];
                i += 1;
            }
        }
        let (mut at_a, mut at_b) = (row, column);
        let mut p = 0;
        while p < a.depth {
            // One question for all whether they are there, not one for each.
            let right: [S::f32s; C] = *b[at_b..].first_chunk().expect("a row of b");
            let mut left = [0.0; R];
            if TRANSPOSED {
                left = *a.numbers[at_a..].first_chunk().expect("a row of a");
            } else {
                let mut i = 0;
                while i < R {
                    left[i] = rows[i][p];
                    i += 1;
                }
            }
            let mut i = 0;
            while i < R {
                let left = simd.splat_f32s(left[i]);
                let mut j = 0;
                while j < C {
                    sums[i][j] = simd.mul_add_f32s(left, right[j], sums[i][j]);
                    j += 1;
                }
                i += 1;
            }
            at_a += a.stride;
            at_b += self.width;
            p += 1;
        }
        // One line per row, not a loop: only what has a constant index stays in registers.
        self.store::<R, C>(row, column, 0, sums[0]);
        self.store::<R, C>(row, column, 1, sums[1 % R]);
        self.store::<R, C>(row, column, 2, sums[2 % R]);
        self.store::<R, C>(row, column, 3, sums[3 % R]);
        self.store::<R, C>(row, column, 4, sums[4 % R]);
        self.store::<R, C>(row, column, 5, sums[5 % R]);
    }

    #[inline(always)]
    fn store<const R: usize, const C: usize>(
        &mut self,
        row: usize,
        column: usize,
        i: usize,
        sums: [S::f32s; C],
    ) {
        if i >= R {
            return;
        }
        let start = (row + i) * self.width + column;
        let c = &mut self.c[start..start + C];
        for j in 0..C {
            c[j] = if self.add {
                self.simd.add_f32s(c[j], sums[j])
            } else {
                sums[j]
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_all_small_shapes_are_sums() {
        for (rows, depth, columns) in [
            (1, 1, 16),
            (5, 3, 64),
            (7, 2, 80),
            (12, 9, 32),
            (9, 64, 112),
        ] {
            let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
            let a: Vec<f32> = (0..rows * depth).map(number).collect();
            let b: Vec<f32> = (0..depth * columns).map(number).collect();
            let turned: Vec<f32> = (0..depth * rows)
                .map(|i| a[i % rows * depth + i / rows])
                .collect();
            for left in [
                Left::of(&a, depth, rows, depth),
                Left::transposed(&turned, rows, rows, depth),
            ] {
                let mut c = vec![1.0; rows * columns];
                product(left, &b, &mut c, columns, true);
                for (i, &c) in c.iter().enumerate() {
                    let (i, j) = (i / columns, i % columns);
                    let sum: f32 = (0..depth)
                        .map(|p| a[i * depth + p] * b[p * columns + j])
                        .sum();
                    assert_eq!(c, 1.0 + sum, "{rows} {depth} {columns}: {i} {j}");
                }
            }
        }
    }
}
