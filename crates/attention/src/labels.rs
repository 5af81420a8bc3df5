//! Labels and values as the pictures keep them.
//!
//! rustc lets a cell use what a crate has compiled of a generic function if that is
//! never inlined; what a list of instances names is compiled here, and not in the cell.

use crate::Real;
use ndarray::{ArrayRef, Dimension, Ix1, Ix2, Ix3};

/// The labels as texts of their own.
#[inline(never)]
pub(crate) fn owned<S: AsRef<str>>(labels: &[S]) -> Vec<String> {
    labels
        .iter()
        .map(|label| label.as_ref().to_owned())
        .collect()
}
type Owned<S> = fn(&[S]) -> Vec<String>;
#[used]
static OWNED: (Owned<&str>, Owned<String>) = (owned, owned);

/// The values in the order of their rows.
#[inline(never)]
pub(crate) fn widened<A: Real, D: Dimension>(values: &ArrayRef<A, D>) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}
type Widened<A, D> = fn(&ArrayRef<A, D>) -> Vec<f64>;
#[used]
static WIDENED_F32: (Widened<f32, Ix1>, Widened<f32, Ix2>, Widened<f32, Ix3>) =
    (widened, widened, widened);
#[used]
static WIDENED_F64: (Widened<f64, Ix1>, Widened<f64, Ix2>) = (widened, widened);
