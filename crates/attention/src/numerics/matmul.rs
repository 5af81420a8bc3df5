//! The matrix product of arrays with any memory layout.

use super::product::{Left, Store, columns_at_once, product, product_with_stride};
use super::row_products::dots;
use super::simd::simd;
use super::transpose::transpose;
use ndarray::{ArrayView2, ArrayViewMut2};
use std::borrow::Cow;

/// A right matrix with fewer numbers than this is read in place, provided the product handles
/// at least [`COLUMNS`] columns at once. With fewer columns, it would read only a few numbers from
/// each of many distant rows, which makes poor use of the L1 cache.
const NEAR: usize = 1 << 20;
/// A larger right matrix is copied in blocks of this many rows and columns, which stay in a core's
/// caches.
const DEPTH: usize = 512;
const COLUMNS: usize = 64;
/// With fewer rows of `a` than this, copying `b` costs more than it saves.
const MANY_ROWS: usize = 64;
/// With fewer rows of `a` than this, even copying `a` costs more than it saves.
const FEW_ROWS: usize = 8;

/// `c = a b` or `c = c + a b`: `a` is (M, K), `b` (K, N), `c` (M, N), each with any strides. Runs
/// on the caller's thread.
pub(crate) fn matmul(
    a: ArrayView2<f32>,
    b: ArrayView2<f32>,
    mut c: ArrayViewMut2<f32>,
    store: Store,
) {
    let ((m, k), n) = (a.dim(), b.ncols());
    assert_eq!(
        (k, (m, n)),
        (b.nrows(), c.dim()),
        "shapes of a matrix product"
    );
    let Some(c) = c.as_slice_mut() else {
        let mut sums = vec![0.0; m * n];
        matmul(a, b, rows_mut(&mut sums, n), Store::Overwrite);
        let sums = rows(&sums, n);
        return match store {
            Store::Overwrite => c.assign(&sums),
            Store::Accumulate => c += &sums,
        };
    };
    let ((a, a_order), (b, b_order)) = (in_memory(a), in_memory(b));
    let left = match a_order {
        Order::Rows => Left::of(&a, k, m, k),
        Order::Columns => Left::transposed(&a, m, m, k),
    };
    match (a_order, b_order) {
        (Order::Rows, Order::Columns) if m < FEW_ROWS => by_dots(&a, (&b, k), c, store),
        (Order::Rows, Order::Columns) if m < MANY_ROWS && m * (k + n) < k * n => {
            by_columns((&a, m), (&b, k), c, store);
        }
        _ => for_each_panel((&b, b_order), (k, n), m, |panel| {
            let left = left.some_depth(panel.first, panel.depth);
            let c = (&mut c[panel.column..], n);
            let store = panel.store(store);
            product_with_stride(left, panel.numbers, c, panel.width, store);
        }),
    }
}

/// Row-major or column-major.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Rows,
    Columns,
}

/// A matrix's numbers in memory order; a row-major copy if they are not contiguous.
fn in_memory(matrix: ArrayView2<'_, f32>) -> (Cow<'_, [f32]>, Order) {
    if let Some(numbers) = matrix.to_slice() {
        return (Cow::Borrowed(numbers), Order::Rows);
    }
    if let Some(numbers) = matrix.reversed_axes().to_slice() {
        return (Cow::Borrowed(numbers), Order::Columns);
    }
    (Cow::Owned(matrix.iter().copied().collect()), Order::Rows)
}

/// Computes each element separately: rows of `a`, (M, K), times columns of `b`, (N, K) in memory.
fn by_dots(a: &[f32], (b, k): (&[f32], usize), c: &mut [f32], store: Store) {
    let n = b.len() / k;
    let mut sums = vec![0.0; n];
    simd(
        #[inline(always)]
        || {
            for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
                dots(a, |column| &b[column * k..][..k], &mut sums);
                store_all(&sums, c, store);
            }
        },
    );
}

/// Computes `cᵀ = bᵀ aᵀ`: `b`, (N, K) in memory, stays in place, and the smaller `a`, (M, K), is
/// transposed.
fn by_columns((a, m): (&[f32], usize), (b, k): (&[f32], usize), c: &mut [f32], store: Store) {
    let n = b.len() / k;
    let mut a_columns = vec![0.0; a.len()];
    transpose(a, k, (m, k), &mut a_columns, m);
    let (mut sums, mut sums_rows) = (vec![0.0; n * m], vec![0.0; n * m]);
    let left = Left::of(b, k, n, k);
    product(left, &a_columns, &mut sums, m, Store::Overwrite);
    transpose(&sums, m, (n, m), &mut sums_rows, n);
    store_all(&sums_rows, c, store);
}

/// `c = a b`, where `a`, (T, T), is lower triangular; `b` and `c` are (T, N). Groups of `rows` rows
/// are multiplied as one rectangle, as wide as the last row of the group; nothing to the right of
/// it is read.
pub(crate) fn matmul_lower(a: &[f32], b: &[f32], c: &mut [f32], n: usize, rows: usize) {
    let time = b.len() / n;
    for_each_panel((b, Order::Rows), (time, n), time, |panel| {
        for start in (0..time).step_by(rows) {
            let end = (start + rows).min(time);
            if end <= panel.first {
                continue;
            }
            let depth = panel.depth.min(end - panel.first);
            let a = Left::of(&a[start * time..], time, end - start, end);
            let c = &mut c[start * n + panel.column..];
            let a = a.some_depth(panel.first, depth);
            let store = panel.store(Store::Overwrite);
            product_with_stride(a, panel.numbers, (c, n), panel.width, store);
        }
    });
}

/// A block of a right matrix: some of its rows and columns, contiguous in memory.
struct Panel<'a> {
    /// (depth, width)
    numbers: &'a [f32],
    first: usize,
    depth: usize,
    column: usize,
    width: usize,
}

impl Panel<'_> {
    /// How to store its product: in each column, all panels but the first add to the result so far.
    fn store(&self, store: Store) -> Store {
        match self.first {
            0 => store,
            _ => Store::Accumulate,
        }
    }
}

/// Calls `work` for all panels of `b`, (K, N): either for `b` as a whole, or for one copied block
/// after another. `rows` is the number of rows of the left matrix.
fn for_each_panel(
    (b, order): (&[f32], Order),
    (k, n): (usize, usize),
    rows: usize,
    mut work: impl FnMut(Panel),
) {
    let is_near = columns_at_once() >= COLUMNS && b.len() < NEAR;
    if order == Order::Rows && (is_near || rows < MANY_ROWS || b.is_empty()) {
        return work(Panel {
            numbers: b,
            first: 0,
            depth: k,
            column: 0,
            width: n,
        });
    }
    let mut copy = vec![0.0; k.min(DEPTH) * n.min(COLUMNS)];
    for first in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - first);
        for column in (0..n).step_by(COLUMNS) {
            let width = COLUMNS.min(n - column);
            let numbers = &mut copy[..depth * width];
            match order {
                Order::Rows => {
                    let rows = b.chunks_exact(n).skip(first);
                    for (to, row) in numbers.chunks_exact_mut(width).zip(rows) {
                        to.copy_from_slice(&row[column..column + width]);
                    }
                }
                Order::Columns => {
                    transpose(&b[column * k + first..], k, (width, depth), numbers, width);
                }
            }
            work(Panel {
                numbers,
                first,
                depth,
                column,
                width,
            });
        }
    }
}

#[inline(always)]
fn store_all(from: &[f32], to: &mut [f32], store: Store) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = match store {
            Store::Overwrite => *from,
            Store::Accumulate => *to + from,
        };
    }
}

/// A (rows, columns) view of contiguous row-major numbers.
pub(crate) fn rows(numbers: &[f32], columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((numbers.len() / columns, columns), numbers).expect("whole rows")
}

/// [`rows`], but mutable.
pub(crate) fn rows_mut(numbers: &mut [f32], columns: usize) -> ArrayViewMut2<'_, f32> {
    ArrayViewMut2::from_shape((numbers.len() / columns, columns), numbers).expect("whole rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, s};

    #[test]
    fn products_of_views_replace_or_add() {
        for (m, k, n) in [
            (1, 1, 1),
            (2, 3, 2),
            (3, 7, 40),
            (40, 5, 3),
            (33, 18, 17),
            (9, 60, 70),
            (20, 300, 130),
        ] {
            let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
            let matrix = |rows, columns| {
                Array2::from_shape_fn((rows, columns), |(i, j)| number(i * columns + j))
            };
            let (a, b) = (matrix(m, k), matrix(k, n));
            let (a_wide, b_wide) = (matrix(m, 2 * k), matrix(k, 2 * n));
            let (a_turned, b_turned) = (matrix(k, m), matrix(n, k));
            for a in [a.view(), a_turned.t(), a_wide.slice(s![.., ..;2])] {
                for b in [b.view(), b_turned.t(), b_wide.slice(s![.., ..;2])] {
                    let sum = |i, j| (0..k).map(|p| a[[i, p]] * b[[p, j]]).sum::<f32>();
                    let expected = Array2::from_shape_fn((m, n), |(i, j)| sum(i, j));
                    let mut c = Array2::ones((m, 2 * n));
                    for mut c in [Array2::ones((m, n)).view_mut(), c.slice_mut(s![.., ..;2])] {
                        matmul(a, b, c.view_mut(), Store::Accumulate);
                        assert_eq!(c, &expected + 1.0, "{m} {k} {n}");
                        matmul(a, b, c.view_mut(), Store::Overwrite);
                        assert_eq!(c, expected, "{m} {k} {n}");
                    }
                    assert!(c.slice(s![.., 1..;2]).iter().all(|&beside| beside == 1.0));
                }
            }
        }
    }

    #[test]
    fn a_large_product_takes_all_of_the_depth_and_all_columns() {
        let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
        let (m, k, n) = (MANY_ROWS, 2 * DEPTH + 10, NEAR / (2 * DEPTH));
        let a = Array2::from_shape_fn((m, k), |(i, p)| number(i * k + p));
        let b = Array2::from_shape_fn((k, n), |(p, j)| number(p * n + j));
        let b_turned = b.t().as_standard_layout().into_owned();
        // The sums are small integers, so they are exact in any order.
        let expected = a.dot(&b);
        for b in [b.view(), b_turned.t()] {
            let mut c = Array2::ones((m, n));
            matmul(a.view(), b, c.view_mut(), Store::Overwrite);
            assert_eq!(c, expected);
            matmul(a.view(), b, c.view_mut(), Store::Accumulate);
            assert_eq!(c, &expected * 2.0);
        }
    }

    #[test]
    fn what_is_right_of_the_diagonal_is_left_out() {
        let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
        for (time, n, rows) in [
            (1, 1, 48),
            (50, 7, 48),
            (MANY_ROWS, 70, 5),
            (DEPTH + 20, 65, 48),
        ] {
            let a = Array2::from_shape_fn((time, time), |(i, j)| match j <= i {
                true => number(i * time + j),
                false => 0.0,
            });
            let b = Array2::from_shape_fn((time, n), |(i, j)| number(i * n + j));
            let (a_numbers, b_numbers) = (a.as_slice().expect("rows"), b.as_slice().expect("rows"));
            let mut c = vec![1.0; time * n];
            matmul_lower(a_numbers, b_numbers, &mut c, n, rows);
            assert_eq!(rows_mut(&mut c, n), a.dot(&b), "{time} {n} {rows}");
        }
    }

    #[test]
    fn a_product_over_nothing_is_zeros() {
        let mut c = Array2::<f32>::ones((2, 3));
        let (a, b) = (Array2::zeros((2, 0)), Array2::zeros((0, 3)));
        matmul(a.view(), b.view(), c.view_mut(), Store::Overwrite);
        assert!(c.iter().all(|&zero| zero == 0.0));
        let mut c = Array2::<f32>::ones((MANY_ROWS, 3));
        let (a, b) = (Array2::zeros((MANY_ROWS, 0)), Array2::zeros((0, 3)));
        matmul(a.view(), b.view(), c.view_mut(), Store::Overwrite);
        assert!(c.iter().all(|&zero| zero == 0.0));
        for (m, n) in [(0, 3), (3, 0), (30, 0)] {
            let (a, b) = (Array2::zeros((m, 2)), Array2::zeros((n, 2)));
            let mut c = Array2::<f32>::ones((m, n));
            matmul(a.view(), b.t(), c.view_mut(), Store::Overwrite);
        }
    }
}
