//! The inputs of a heatmap: a matrix or a single row, of numbers or of booleans.

use crate::numerics::real::Real;
use ndarray::{Array2, ArrayRef, Dimension, Ix1, Ix2};

/// A value that can be coloured: `f32`, `f64`, or `bool`, as in a mask.
#[diagnostic::on_unimplemented(
    message = "a heatmap shows f32, f64 or bool, not `{Self}`",
    label = "convert with `.mapv(|x| x as f32)`"
)]
pub trait HeatmapValue: Copy + private::Sealed {
    /// The ends of the colour scale, if they do not depend on the values.
    #[doc(hidden)]
    const RANGE: Option<(f64, f64)>;

    #[doc(hidden)]
    fn number(self) -> f64;
}

impl<A: Real> HeatmapValue for A {
    const RANGE: Option<(f64, f64)> = None;

    fn number(self) -> f64 {
        self.into()
    }
}

/// 1 where a query may look, 0 where it may not.
impl HeatmapValue for bool {
    const RANGE: Option<(f64, f64)> = Some((0.0, 1.0));

    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// A shape that can be drawn: one row (`Array1`) or a matrix (`Array2`).
#[diagnostic::on_unimplemented(
    message = "a heatmap shows a matrix or one row",
    label = "not an Array1 or Array2: take a part with `.index_axis(Axis(0), 0)`"
)]
pub trait HeatmapShape: Dimension + private::Sealed {
    #[doc(hidden)]
    fn rows_and_columns(shape: &[usize]) -> (usize, usize);
}

impl HeatmapShape for Ix1 {
    fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
        (1, shape[0])
    }
}

impl HeatmapShape for Ix2 {
    fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
        (shape[0], shape[1])
    }
}

/// The values as a matrix of numbers.
pub(crate) fn matrix<A: HeatmapValue, D: HeatmapShape>(values: &ArrayRef<A, D>) -> Array2<f64> {
    let shape = D::rows_and_columns(values.shape());
    let numbers: Vec<f64> = values.iter().map(|value| value.number()).collect();
    Array2::from_shape_vec(shape, numbers).expect("as many values as the shape has")
}

mod private {
    /// Keeps other crates from implementing these traits.
    pub trait Sealed {}

    impl<A: crate::numerics::real::Real> Sealed for A {}
    impl Sealed for bool {}
    impl Sealed for ndarray::Ix1 {}
    impl Sealed for ndarray::Ix2 {}
}
