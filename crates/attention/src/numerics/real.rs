//! f32 and f64, one row and many, compiled here and not in a notebook cell.
//!
//! A cell that calls `softmax(&x)` instantiates only the one-line function that
//! forwards to the implementation below, which is already machine code.

use crate::attention::attend::{Attention, attend_of};
use crate::attention::attend::{AttentionGradients, attend_backward_of};
use crate::attention::mask::{additive_mask_of, mask_scores_of, renormalise_of};
use crate::attention::softmax::{softmax_backward_of, softmax_naive_of, softmax_of};
use crate::figures::steps::{Steps, attend_steps_of};
use crate::numerics::variance::variance_of;
use ndarray::{Array, Array2, ArrayRef, ArrayRef2, Dimension, Ix1, Ix2, Ix3, NdFloat};

/// A number that attention is computed in: `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "attention is computed in f32 or f64, not in `{Self}`",
    label = "write the numbers as 1.0_f32 or 1.0_f64, or convert with `.mapv(|x| x as f32)`"
)]
pub trait Real: NdFloat + Into<f64> + private::Sealed {
    /// How far a number may be from the decimals printed of it: see [`equals`](crate::equals).
    #[doc(hidden)]
    const HALF_A_UNIT: f64;

    #[doc(hidden)]
    fn attend(
        q: &ArrayRef2<Self>,
        k: &ArrayRef2<Self>,
        v: &ArrayRef2<Self>,
        mask: Option<&Array2<bool>>,
        scale: Self,
    ) -> Attention<Self>;

    #[doc(hidden)]
    fn attend_backward(
        d_context: &ArrayRef2<Self>,
        q: &ArrayRef2<Self>,
        k: &ArrayRef2<Self>,
        v: &ArrayRef2<Self>,
        weights: &ArrayRef2<Self>,
        scale: Self,
    ) -> AttentionGradients<Self>;

    #[doc(hidden)]
    fn attend_steps(
        q: &ArrayRef2<Self>,
        k: &ArrayRef2<Self>,
        v: &ArrayRef2<Self>,
        mask: Option<&Array2<bool>>,
    ) -> Steps;

    #[doc(hidden)]
    fn one_over_sqrt(width: usize) -> Self;

    #[doc(hidden)]
    fn additive_mask(mask: &ArrayRef2<bool>) -> Array2<Self>;

    #[doc(hidden)]
    fn mask_scores(scores: &ArrayRef2<Self>, mask: &ArrayRef2<bool>) -> Array2<Self>;

    #[doc(hidden)]
    fn renormalise(weights: &ArrayRef2<Self>, mask: &ArrayRef2<bool>) -> Array2<Self>;

    #[doc(hidden)]
    fn variance(values: Vec<Self>, ddof: usize) -> Self;

    #[doc(hidden)]
    fn widen(matrix: &ArrayRef2<Self>) -> Array2<f64>;
}

/// A shape that the functions accept: one row (`Array1`) or many (`Array2`), of
/// `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "expected an array of f32 or f64 with one or two axes",
    label = "not an Array1 or Array2 of f32 or f64"
)]
pub trait Rows<A>: Dimension {
    #[doc(hidden)]
    fn scores(q: &ArrayRef<A, Self>, k: &ArrayRef2<A>) -> Array<A, Self>;

    #[doc(hidden)]
    fn softmax_naive(scores: &ArrayRef<A, Self>) -> Array<A, Self>;

    #[doc(hidden)]
    fn softmax(scores: &ArrayRef<A, Self>) -> Array<A, Self>;

    #[doc(hidden)]
    fn softmax_backward(
        d_weights: &ArrayRef<A, Self>,
        weights: &ArrayRef<A, Self>,
    ) -> Array<A, Self>;

    #[doc(hidden)]
    fn context(weights: &ArrayRef<A, Self>, v: &ArrayRef2<A>) -> Array<A, Self>;
}

/// The values in the order of their rows.
///
/// Any number of axes: so it is generic, but never inlined, and a cell uses the instances
/// that are compiled here.
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

macro_rules! impl_rows {
    ($float:ty, $dim:ty) => {
        impl Rows<$float> for $dim {
            fn scores(q: &ArrayRef<$float, $dim>, k: &ArrayRef2<$float>) -> Array<$float, $dim> {
                q.dot(&k.t())
            }

            fn softmax_naive(scores: &ArrayRef<$float, $dim>) -> Array<$float, $dim> {
                softmax_naive_of(scores)
            }

            fn softmax(scores: &ArrayRef<$float, $dim>) -> Array<$float, $dim> {
                softmax_of(scores)
            }

            fn softmax_backward(
                d_weights: &ArrayRef<$float, $dim>,
                weights: &ArrayRef<$float, $dim>,
            ) -> Array<$float, $dim> {
                softmax_backward_of(d_weights, weights)
            }

            fn context(
                weights: &ArrayRef<$float, $dim>,
                v: &ArrayRef2<$float>,
            ) -> Array<$float, $dim> {
                weights.dot(v)
            }
        }
    };
}

macro_rules! impl_real {
    ($float:ty, $printed_step:expr) => {
        impl_rows!($float, Ix1);
        impl_rows!($float, Ix2);

        impl private::Sealed for $float {}

        impl Real for $float {
            const HALF_A_UNIT: f64 = $printed_step;

            fn attend(
                q: &ArrayRef2<$float>,
                k: &ArrayRef2<$float>,
                v: &ArrayRef2<$float>,
                mask: Option<&Array2<bool>>,
                scale: $float,
            ) -> Attention<$float> {
                attend_of(q, k, v, mask, scale)
            }

            fn attend_backward(
                d_context: &ArrayRef2<$float>,
                q: &ArrayRef2<$float>,
                k: &ArrayRef2<$float>,
                v: &ArrayRef2<$float>,
                weights: &ArrayRef2<$float>,
                scale: $float,
            ) -> AttentionGradients<$float> {
                attend_backward_of(d_context, q, k, v, weights, scale)
            }

            fn attend_steps(
                q: &ArrayRef2<$float>,
                k: &ArrayRef2<$float>,
                v: &ArrayRef2<$float>,
                mask: Option<&Array2<bool>>,
            ) -> Steps {
                attend_steps_of(q, k, v, mask)
            }

            fn additive_mask(mask: &ArrayRef2<bool>) -> Array2<$float> {
                additive_mask_of(mask)
            }

            fn mask_scores(scores: &ArrayRef2<$float>, mask: &ArrayRef2<bool>) -> Array2<$float> {
                mask_scores_of(scores, mask)
            }

            fn renormalise(weights: &ArrayRef2<$float>, mask: &ArrayRef2<bool>) -> Array2<$float> {
                renormalise_of(weights, mask)
            }

            fn variance(values: Vec<$float>, ddof: usize) -> $float {
                variance_of(values.into_iter().map(f64::from), ddof) as $float
            }

            fn one_over_sqrt(width: usize) -> $float {
                1.0 / (width as $float).sqrt()
            }

            fn widen(matrix: &ArrayRef2<$float>) -> Array2<f64> {
                matrix.mapv(f64::from)
            }
        }
    };
}

impl_real!(f32, 0.51e-4);
impl_real!(f64, 0.51e-8);

mod private {
    /// Nothing outside this crate can be a [`Real`](super::Real).
    pub trait Sealed {}
}
