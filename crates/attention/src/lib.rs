#![doc = include_str!("../README.md")]

mod rows;
mod shape;

// The way of the data: q, k, v -> scores -> scale -> mask -> softmax -> weights -> context.
mod attention;
mod mask;
mod softmax;

// From any matrix on that way to something to look at.
mod digits;
mod drawing;
mod error;
mod heatmap;
mod output;
mod show;

pub use attention::{Attention, attend, attend_with_scale, context, scores};
pub use error::Error;
pub use heatmap::{Heatmap, heatmap};
pub use mask::causal_mask;
pub use rows::{Real, Rows};
pub use show::{Show, Shown, show};
pub use softmax::{softmax, softmax_naive};

pub use ndarray;
pub use ndarray_rand;

/// What a notebook needs, in one line: `use attention::prelude::*;`.
///
/// All functions of this crate, and from [`ndarray`] the names that a lesson
/// writes: `array!`, `s!`, `Array1`, `Array2`, `Axis`.
pub mod prelude {
    pub use crate::{
        Attention, Heatmap, Show, Shown, attend, attend_with_scale, causal_mask, context, heatmap,
        scores, show, softmax, softmax_naive,
    };
    pub use ndarray::{Array1, Array2, Axis, array, s};
}
