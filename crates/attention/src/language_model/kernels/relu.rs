//! The ReLU between the two layers of the feed-forward part, in place.

use crate::numerics::simd::simd;

pub(crate) fn relu(x: &mut [f32]) {
    simd(
        #[inline(always)]
        || x.iter_mut().for_each(|x| *x = x.max(0.0)),
    );
}

/// Turns `d_y`, the gradient with respect to the result `y`, into the gradient with respect to
/// the input.
pub(crate) fn relu_backward(d_y: &mut [f32], y: &[f32]) {
    simd(
        #[inline(always)]
        || {
            for (d_y, &y) in d_y.iter_mut().zip(y) {
                *d_y = if y > 0.0 { *d_y } else { 0.0 };
            }
        },
    );
}
