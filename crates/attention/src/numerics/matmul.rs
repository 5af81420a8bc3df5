//! The matrix product of f32, as fast as the machine can.
//!
//! The only module with `unsafe` in this crate: the crate `gemm-f32` takes pointers.

#![allow(unsafe_code, reason = "gemm-f32 takes pointers")]

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;
use ndarray::{ArrayView2, ArrayViewMut2};

/// Whether a product replaces what was there or is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Overwrite,
    Accumulate,
}

/// `c = a b` or `c = c + a b`: `a` is (M, K), `b` (K, N), `c` (M, N), each with any
/// strides, so a transposed view costs nothing. On the caller's thread.
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
    // As cᵀ = bᵀ aᵀ: gemm is fastest when neighbours in its columns lie side by side
    // in memory, and here neighbours in a row do.
    // SAFETY: the pointers come from views, so that every element (i, j) below the
    // asserted lengths, at i · row stride + j · column stride, may be read, and written
    // for `c`; `c` is borrowed mutably and so overlaps nothing else.
    unsafe {
        get_gemm_fn()(
            n,
            m,
            k,
            c.as_mut_ptr(),
            c.strides()[0],
            c.strides()[1],
            store == Store::Accumulate,
            b.as_ptr(),
            b.strides()[0],
            b.strides()[1],
            a.as_ptr(),
            a.strides()[0],
            a.strides()[1],
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// A (rows, columns) view of numbers that lie row after row.
pub(crate) fn rows(numbers: &[f32], columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((numbers.len() / columns, columns), numbers).expect("whole rows")
}

/// As [`rows`], to write into.
pub(crate) fn rows_mut(numbers: &mut [f32], columns: usize) -> ArrayViewMut2<'_, f32> {
    ArrayViewMut2::from_shape((numbers.len() / columns, columns), numbers).expect("whole rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn products_of_views_replace_or_add() {
        let a = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let mut c = Array2::ones((2, 2));
        matmul(a.view(), a.t(), c.view_mut(), Store::Accumulate);
        assert_eq!(c, array![[15.0, 33.0], [33.0, 78.0]]);
        matmul(a.view(), a.t(), c.view_mut(), Store::Overwrite);
        assert_eq!(c, array![[14.0, 32.0], [32.0, 77.0]]);
    }
}
