//! Attention without choice: every token looks at all tokens so far alike.

use ndarray::{Array3, ArrayRef3, Axis, s};

/// For every token the mean of the tokens up to and including it, computed as the
/// definition says, one sum after the other.
///
/// `x` and the result are (B, T, C). Takes T · T / 2 additions of rows;
/// [`context_batch`](crate::context_batch) with the weights
/// `renormalise(ones, causal_mask(T))` computes the same as a matrix product.
///
/// PyTorch: `out[b, t] = torch.mean(x[b, :t + 1], 0)` for every `b` and `t`
///
/// ```
/// use attention::average_so_far;
/// use ndarray::array;
///
/// let x = array![[[2.0], [4.0], [9.0]]];
/// assert_eq!(average_so_far(&x), array![[[2.0], [3.0], [5.0]]]);
/// ```
pub fn average_so_far(x: &ArrayRef3<f32>) -> Array3<f32> {
    let mut averages = Array3::zeros(x.raw_dim());
    for (x, mut averages) in x.outer_iter().zip(averages.outer_iter_mut()) {
        for (t, mut average) in averages.outer_iter_mut().enumerate() {
            average.assign(&x.slice(s![..=t, ..]).sum_axis(Axis(0)));
            average /= (t + 1) as f32;
        }
    }
    averages
}
