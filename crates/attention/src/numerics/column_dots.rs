//! Dot products of matching columns of two matrices, bit for bit those of the matrix product.

use super::simd::{LANES, can_fuse, registers};
use pulp::{Simd, WithSimd};

/// `sums[j] = Σ_p a[p][j] b[p][j]`: `a` and `b` are (depth, columns), and `sums` has one number per
/// column, in whole registers of [`LANES`]. [`product`](super::product::product) adds its terms in
/// the same order, so the sums agree to the last bit.
pub(crate) fn column_dots(a: &[f32], b: &[f32], sums: &mut [f32]) {
    assert!(a.len() == b.len() && sums.len().is_multiple_of(LANES));
    registers().dispatch(ColumnDots { a, b, sums });
}

struct ColumnDots<'a> {
    a: &'a [f32],
    b: &'a [f32],
    sums: &'a mut [f32],
}

impl WithSimd for ColumnDots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ColumnDots { a, b, sums } = self;
        let rows = a.chunks_exact(sums.len()).zip(b.chunks_exact(sums.len()));
        sums.fill(0.0);
        for (a, b) in rows {
            let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
            let sums = sums.as_chunks_mut::<LANES>().0.iter_mut();
            for (sums, (a, b)) in sums.zip(a.iter().zip(b)) {
                for lane in 0..LANES {
                    sums[lane] = match can_fuse::<S>() {
                        true => a[lane].mul_add(b[lane], sums[lane]),
                        false => a[lane] * b[lane] + sums[lane],
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::product::{Left, Store, product};

    #[test]
    fn they_are_the_diagonal_of_the_product_to_the_last_bit() {
        let (depth, columns) = (37, 32);
        let number = |i: usize| 1.0 / (((i * 29) % 101) as f32 - 50.3);
        let a: Vec<f32> = (0..depth * columns).map(number).collect();
        let b: Vec<f32> = (7..7 + depth * columns).map(number).collect();
        let mut all = vec![0.0; columns * columns];
        let left = Left::transposed(&a, columns, columns, depth);
        product(left, &b, &mut all, columns, Store::Overwrite);
        let mut sums = vec![f32::NAN; columns];
        column_dots(&a, &b, &mut sums);
        for (j, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, all[j * columns + j], "column {j}");
        }
    }

    #[test]
    fn without_a_fused_multiplication_each_term_is_rounded_twice() {
        let number = |i: usize| 1.0 / (((i * 29) % 101) as f32 - 50.3);
        let a: Vec<f32> = (0..37 * LANES).map(number).collect();
        let b: Vec<f32> = (7..7 + 37 * LANES).map(number).collect();
        let mut sums = [f32::NAN; LANES];
        pulp::Arch::Scalar.dispatch(ColumnDots {
            a: &a,
            b: &b,
            sums: &mut sums,
        });
        for (j, &sum) in sums.iter().enumerate() {
            let expected = (0..37).fold(0.0, |sum, p| a[p * LANES + j] * b[p * LANES + j] + sum);
            assert_eq!(sum, expected, "column {j}");
        }
    }
}
