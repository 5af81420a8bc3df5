//! A linear layer computed on all threads.

use crate::layers::linear::Linear;
use crate::numerics::matmul::matmul;
use crate::numerics::product::Store;
use ndarray::{Array2, ArrayRef2, ArrayView2, ArrayViewMut2, Axis};

/// `x weightᵀ + bias`, (T, in) to (T, out): [`Linear::forward`] in parallel.
pub(crate) fn product(x: &ArrayRef2<f32>, layer: &Linear) -> Array2<f32> {
    let Linear { weight, bias } = layer;
    let mut y = Array2::zeros((x.nrows(), weight.nrows()));
    if let Some(bias) = bias {
        y += bias;
    }
    let columns = weight.nrows().div_ceil(rayon::current_num_threads());
    add_product(x.view(), weight.view(), y.view_mut(), columns);
    y
}

/// Adds `x weightᵀ` to `y`; each thread handles `columns` columns at a time.
fn add_product(x: ArrayView2<f32>, weight: ArrayView2<f32>, y: ArrayViewMut2<f32>, columns: usize) {
    if y.ncols() <= columns {
        return matmul(x, weight.reversed_axes(), y, Store::Accumulate);
    }
    let (first_rows, other_rows) = weight.split_at(Axis(0), columns);
    let (first, others) = y.split_at(Axis(1), columns);
    rayon::join(
        || add_product(x, first_rows, first, columns),
        || add_product(x, other_rows, others, columns),
    );
}
