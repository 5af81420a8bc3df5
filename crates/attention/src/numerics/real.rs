//! The number types f32 and f64, and the shapes of arrays with one row or many.

use ndarray::{Array, ArrayRef, ArrayRef2, Dimension, Ix1, Ix2, NdFloat};

/// A number type in which attention can be computed: `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "attention is computed in f32 or f64, not in `{Self}`",
    label = "write the numbers as 1.0_f32 or 1.0_f64, or convert with `.mapv(|x| x as f32)`"
)]
pub trait Real: NdFloat + Into<f64> + private::Sealed {
    #[doc(hidden)]
    fn nearest(number: f64) -> Self;

    #[doc(hidden)]
    fn one_over_sqrt(width: usize) -> Self;
}

impl private::Sealed for f32 {}

impl Real for f32 {
    fn nearest(number: f64) -> f32 {
        number as f32
    }

    fn one_over_sqrt(width: usize) -> f32 {
        1.0 / (width as f32).sqrt()
    }
}

impl private::Sealed for f64 {}

impl Real for f64 {
    fn nearest(number: f64) -> f64 {
        number
    }

    fn one_over_sqrt(width: usize) -> f64 {
        1.0 / (width as f64).sqrt()
    }
}

/// The shape of one row (`Array1`) or many (`Array2`), for functions that accept either.
#[diagnostic::on_unimplemented(
    message = "expected an array with one or two axes",
    label = "not an Array1 or Array2"
)]
pub trait Rows: Dimension {
    /// The product of each row with a matrix.
    #[doc(hidden)]
    fn times<A: Real>(rows: &ArrayRef<A, Self>, matrix: &ArrayRef2<A>) -> Array<A, Self>;
}

impl Rows for Ix1 {
    fn times<A: Real>(row: &ArrayRef<A, Ix1>, matrix: &ArrayRef2<A>) -> Array<A, Ix1> {
        row.dot(matrix)
    }
}

impl Rows for Ix2 {
    fn times<A: Real>(rows: &ArrayRef<A, Ix2>, matrix: &ArrayRef2<A>) -> Array<A, Ix2> {
        rows.dot(matrix)
    }
}

/// The values converted to f64.
pub(crate) fn widened<A: Real, D: Dimension>(values: &ArrayRef<A, D>) -> Array<f64, D> {
    values.mapv(Into::into)
}

mod private {
    /// Keeps other crates from implementing [`Real`](super::Real).
    pub trait Sealed {}
}
