//! The matrix product of contiguous matrices, in the machine's widest registers.
//!
//! Bounds are checked once per product, which requires `unsafe`: checking them at every step of the
//! loops would cost up to a tenth of the time.

#![allow(unsafe_code, reason = "bounds are checked before the loops")]

use super::simd::{fused_registers, registers};
use pulp::{Simd, WithSimd};

/// Rows of the result whose sums a block keeps in registers, across up to 4 registers each:
/// enough that no sum has to wait for the previous one.
const ROWS: usize = 6;

/// Whether a product replaces the old contents of the result or is added to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Overwrite,
    Accumulate,
}

/// The left matrix of a product, or its transpose, as stored in memory. It is read number by
/// number, without bounds checks: [`Left::of`] has checked that all of them exist.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    numbers: &'a [f32],
    /// Distance from one row to the next in memory.
    stride: usize,
    rows: usize,
    depth: usize,
    transposed: bool,
}

impl<'a> Left<'a> {
    /// A (rows, depth) matrix whose rows start `stride` numbers apart.
    pub(crate) fn of(numbers: &'a [f32], stride: usize, rows: usize, depth: usize) -> Left<'a> {
        let before = rows.saturating_sub(1).checked_mul(stride);
        let end = before.and_then(|before| before.checked_add(depth));
        let is_there = rows == 0 || end.is_some_and(|end| end <= numbers.len());
        assert!(depth <= stride && is_there, "numbers of a matrix");
        Left {
            numbers,
            stride,
            rows,
            depth,
            transposed: false,
        }
    }

    /// The (rows, depth) transpose of a (depth, rows) matrix laid out as for [`Left::of`].
    pub(crate) fn transposed(
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

    /// `depth` of its columns, starting at `first`.
    pub(crate) fn some_depth(self, first: usize, depth: usize) -> Left<'a> {
        assert!(
            first <= self.depth && depth <= self.depth - first,
            "columns of a matrix"
        );
        let before = first * if self.transposed { self.stride } else { 1 };
        Left {
            numbers: &self.numbers[before..],
            depth,
            ..self
        }
    }
}

/// How many columns of the result a block covers on this machine.
pub(crate) fn columns_at_once() -> usize {
    registers().dispatch(ColumnsAtOnce)
}

struct ColumnsAtOnce;

impl WithSimd for ColumnsAtOnce {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        registers_at_once::<S>() * S::F32_LANES
    }
}

/// How many registers of each row of the result a block covers. With 32 registers, 6 x 4 sums plus
/// 4 registers of b and 1 of a take up 29; with 16, there is room for 6 x 2 sums. On a scalar
/// machine, the compiler turns 8 single numbers into 2 registers of 4.
const fn registers_at_once<S: Simd>() -> usize {
    match (S::IS_SCALAR, S::REGISTER_COUNT >= 32) {
        (true, _) => 8,
        (false, true) => 4,
        (false, false) => 2,
    }
}

/// `c = a b` or `c = c + a b`: `b` is (depth, columns), `c` (rows, columns). Runs on the
/// caller's thread.
pub(crate) fn product(a: Left, b: &[f32], c: &mut [f32], columns: usize, store: Store) {
    product_with_stride(a, b, (c, columns), columns, store);
}

/// [`product`] into rows of `c` that start `c_stride` numbers apart.
pub(crate) fn product_with_stride(
    a: Left,
    b: &[f32],
    (c, c_stride): (&mut [f32], usize),
    columns: usize,
    store: Store,
) {
    let size = a.depth.checked_mul(columns);
    assert!(size.is_some_and(|size| size <= b.len()), "numbers of b");
    registers().dispatch(Product {
        a,
        b,
        c,
        c_stride,
        columns,
        store,
    });
}

struct Product<'a> {
    a: Left<'a>,
    /// (depth, columns), possibly followed by other numbers.
    b: &'a [f32],
    c: &'a mut [f32],
    c_stride: usize,
    columns: usize,
    store: Store,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let columns = self.columns;
        let mut sums = Sums {
            simd,
            product: self,
        };
        let mut column = 0;
        // `const`, so that blocks that do not fit these registers are not even compiled: together, they
        // would take a fifth of the crate's compile time.
        while const { registers_at_once::<S>() == 8 } && column + 8 * S::F32_LANES <= columns {
            sums.columns::<8, false>(column);
            column += 8 * S::F32_LANES;
        }
        while const { registers_at_once::<S>() == 4 } && column + 4 * S::F32_LANES <= columns {
            sums.columns::<4, false>(column);
            column += 4 * S::F32_LANES;
        }
        while column + 2 * S::F32_LANES <= columns {
            sums.columns::<2, false>(column);
            column += 2 * S::F32_LANES;
        }
        if column + S::F32_LANES <= columns {
            sums.columns::<1, false>(column);
            column += S::F32_LANES;
        }
        if column < columns {
            sums.columns::<1, true>(column);
        }
    }
}

/// A product whose sums stay in registers.
struct Sums<'a, S: Simd> {
    simd: S,
    product: Product<'a>,
}

impl<S: Simd> Sums<'_, S> {
    /// Computes `C` registers of every row of the result, starting at `column`. If `PARTIAL`, only the
    /// numbers up to the end of the row exist.
    #[inline(always)]
    fn columns<const C: usize, const PARTIAL: bool>(&mut self, column: usize) {
        let (mut row, rows) = (0, self.product.a.rows);
        while row < rows {
            // As evenly as possible: 64 rows are split into 9 blocks of 6 and 2 of 5.
            let rest = rows - row;
            let height = rest.div_ceil(rest.div_ceil(ROWS));
            row += match height {
                6 => self.either::<6, C, PARTIAL>(row, column),
                5 => self.either::<5, C, PARTIAL>(row, column),
                4 => self.either::<4, C, PARTIAL>(row, column),
                2 | 3 => self.either::<2, C, PARTIAL>(row, column),
                _ => self.either::<1, C, PARTIAL>(row, column),
            };
        }
    }

    /// Computes `R` rows of these registers, starting at `row`, and returns `R`.
    #[inline(always)]
    fn either<const R: usize, const C: usize, const PARTIAL: bool>(
        &mut self,
        row: usize,
        column: usize,
    ) -> usize {
        if self.product.a.transposed {
            self.block::<R, C, PARTIAL, true>(row, column);
        } else {
            self.block::<R, C, PARTIAL, false>(row, column);
        }
        R
    }

    #[inline(always)]
    fn block<const R: usize, const C: usize, const PARTIAL: bool, const TRANSPOSED: bool>(
        &mut self,
        row: usize,
        column: usize,
    ) {
        let simd = self.simd;
        let Product { a, b, columns, .. } = self.product;
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
            let right: [S::f32s; C] = if PARTIAL {
                [simd.partial_load_f32s(&b[at_b..at_b + columns - column]); C]
            } else {
                // SAFETY: for each p below `depth`, `b` has a row of `columns` numbers, with at least
                // `C` registers from `column` on.
                let right = unsafe { b.get_unchecked(at_b..at_b + C * S::F32_LANES) };
                *S::as_simd_f32s(right).0.first_chunk().expect("C of them")
            };
            let mut left = [0.0; R];
            if TRANSPOSED {
                // SAFETY: `Left` has checked that row p, with p below `depth`, has `rows` numbers, and
                // `row + R` is at most `rows`.
                let numbers = unsafe { a.numbers.get_unchecked(at_a..at_a + R) };
                left = *numbers.first_chunk().expect("R of them");
            } else {
                let mut i = 0;
                while i < R {
                    // SAFETY: each row has `depth` numbers.
                    left[i] = unsafe { *rows[i].get_unchecked(p) };
                    i += 1;
                }
            }
            let mut i = 0;
            while i < R {
                let left = simd.splat_f32s(left[i]);
                let mut j = 0;
                while j < C {
                    sums[i][j] = fused_registers(simd, left, right[j], sums[i][j]);
                    j += 1;
                }
                i += 1;
            }
            at_a += a.stride;
            at_b += columns;
            p += 1;
        }
        // One line per row instead of a loop: only constant indices stay in registers.
        self.store::<R, C, PARTIAL>(row, column, 0, sums[0]);
        self.store::<R, C, PARTIAL>(row, column, 1, sums[1 % R]);
        self.store::<R, C, PARTIAL>(row, column, 2, sums[2 % R]);
        self.store::<R, C, PARTIAL>(row, column, 3, sums[3 % R]);
        self.store::<R, C, PARTIAL>(row, column, 4, sums[4 % R]);
        self.store::<R, C, PARTIAL>(row, column, 5, sums[5 % R]);
    }

    #[inline(always)]
    fn store<const R: usize, const C: usize, const PARTIAL: bool>(
        &mut self,
        row: usize,
        column: usize,
        i: usize,
        mut sums: [S::f32s; C],
    ) {
        if i >= R {
            return;
        }
        let simd = self.simd;
        let Product { columns, store, .. } = self.product;
        let start = (row + i) * self.product.c_stride + column;
        if PARTIAL {
            let c = &mut self.product.c[start..start + columns - column];
            if store == Store::Accumulate {
                sums[0] = simd.add_f32s(simd.partial_load_f32s(c), sums[0]);
            }
            return simd.partial_store_f32s(c, sums[0]);
        }
        let c = S::as_mut_simd_f32s(&mut self.product.c[start..start + C * S::F32_LANES]).0;
        for j in 0..C {
            c[j] = match store {
                Store::Accumulate => simd.add_f32s(c[j], sums[j]),
                Store::Overwrite => sums[j],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Arch;

    /// The unchecked reads rely on these checks.
    #[test]
    fn numbers_that_are_not_there_are_refused() {
        let numbers = [1.0; 12];
        let refused = |work: &dyn Fn()| {
            let work = std::panic::AssertUnwindSafe(work);
            std::panic::catch_unwind(work).is_err()
        };
        let whole = || Left::of(&numbers, 4, 3, 4);
        assert!(!refused(&|| _ = whole().some_depth(1, 3)));
        assert!(!refused(&|| _ = Left::of(&numbers[..11], 4, 3, 3)));
        assert!(refused(&|| _ = Left::of(&numbers[..11], 4, 3, 4)));
        assert!(refused(&|| _ = Left::of(&numbers, 3, 3, 4)));
        assert!(refused(&|| _ = Left::of(&numbers, usize::MAX, 3, 4)));
        assert!(refused(&|| _ = Left::transposed(&numbers[..11], 4, 4, 3)));
        assert!(refused(&|| _ = whole().some_depth(1, 4)));
        assert!(refused(&|| _ = whole().some_depth(5, 0)));
        let with = |b: &[f32]| product(whole(), b, &mut [0.0; 9], 3, Store::Overwrite);
        assert!(!refused(&|| with(&numbers)));
        assert!(refused(&|| with(&numbers[..11])));
    }

    #[test]
    fn products_of_all_small_shapes_are_sums() {
        for (rows, depth, columns) in [
            (1, 1, 16),
            (5, 3, 64),
            (7, 2, 80),
            (12, 9, 32),
            (9, 64, 112),
            (13, 5, 1),
            (6, 4, 15),
            (8, 3, 65),
            (3, 2, 95),
        ] {
            let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
            let a: Vec<f32> = (0..rows * depth).map(number).collect();
            let b: Vec<f32> = (0..depth * columns).map(number).collect();
            let turned: Vec<f32> = (0..depth * rows)
                .map(|i| a[i % rows * depth + i / rows])
                .collect();
            let expected = |i: usize| {
                let (i, j) = (i / columns, i % columns);
                let terms = (0..depth).map(|p| a[i * depth + p] * b[p * columns + j]);
                1.0 + terms.sum::<f32>()
            };
            for left in [
                Left::of(&a, depth, rows, depth),
                Left::transposed(&turned, rows, rows, depth),
            ] {
                for width in [registers(), Arch::Scalar] {
                    let mut c = vec![1.0; rows * columns];
                    width.dispatch(Product {
                        a: left,
                        b: &b,
                        c: &mut c,
                        c_stride: columns,
                        columns,
                        store: Store::Accumulate,
                    });
                    for (i, &c) in c.iter().enumerate() {
                        assert_eq!(c, expected(i), "{rows} {depth} {columns}: {i}, {width:?}");
                    }
                }
            }
        }
    }
}
