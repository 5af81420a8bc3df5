//! A linear layer: a product with trainable weights, for example from x to queries.

use crate::dot_product::batch::fill_in_parallel;
use crate::numerics::matmul::matmul;
use crate::numerics::product::Store;
use crate::numerics::shape::{same_shape, same_width, shape_text};
use free_memory::assert_fits;
use ndarray::{Array1, Array2, Array3, ArrayRef2, ArrayRef3, Axis, NdFloat};
use torch_random::torch::Generator;

/// A linear layer: `y = x weightᵀ + bias`.
///
/// The weight is (out, in), one row per output, as PyTorch
/// stores it; it is the transpose of a matrix W that is multiplied from the right, as in
/// `x W`.
///
/// PyTorch: `torch.nn.Linear`
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// (out, in)
    pub weight: Array2<f32>,
    /// (out,)
    pub bias: Option<Array1<f32>>,
}

impl Linear {
    /// A layer with the random weights that PyTorch would give it: uniform within
    /// `±1 / sqrt(inputs)`, first the weight, then the bias if there is one.
    ///
    /// PyTorch: `torch.nn.Linear(inputs, outputs, bias=bias)`
    ///
    /// # Panics
    ///
    /// If there are no inputs or no outputs, or the weight does not fit into memory.
    ///
    /// ```
    /// use attention::layers::Linear;
    /// use attention::rng::torch::Generator;
    /// use attention::show::show;
    ///
    /// let layer = Linear::new(3, 2, false, &mut Generator::manual_seed(789));
    /// assert_eq!(show(&layer.weight.row(0)).to_string(), "[0.3161, 0.4568, 0.5118]  f32 (3,)");
    /// ```
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize, bias: bool, rng: &mut Generator) -> Linear {
        check_sizes("Linear", inputs, outputs);
        assert_fits("Linear", &[outputs, inputs], size_of::<f32>());
        let (weight, bias) = rng.linear(inputs, outputs, bias);
        Linear { weight, bias }
    }

    /// The result for every row of `x`: (T, in) becomes (T, out).
    ///
    /// PyTorch: `layer(x)`
    ///
    /// # Panics
    ///
    /// If `x` and the weight differ in width, or there is not exactly one bias per output.
    ///
    /// ```
    /// use attention::layers::Linear;
    /// use ndarray::array;
    ///
    /// let layer = Linear { weight: array![[1.0, 2.0]], bias: Some(array![0.5]) };
    /// assert_eq!(layer.forward(&array![[3.0, 4.0]]), array![[11.5]]);
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef2<f32>) -> Array2<f32> {
        self.check("Linear", x.shape());
        linear_of(x, &self.weight, self.bias.as_ref())
    }

    /// [`Linear::forward`] for every sequence of a batch: (B, T, in) becomes (B, T, out). Computed
    /// in parallel, and equal up to rounding.
    ///
    /// PyTorch: `layer(x)`
    ///
    /// # Panics
    ///
    /// Same as [`Linear::forward`].
    ///
    /// ```
    /// use attention::layers::Linear;
    /// use ndarray::array;
    ///
    /// let layer = Linear { weight: array![[1.0, 2.0]], bias: None };
    /// assert_eq!(layer.forward_batch(&array![[[3.0, 4.0]], [[0.0, 1.0]]]), array![[[11.0]], [[2.0]]]);
    /// ```
    #[track_caller]
    pub fn forward_batch(&self, x: &ArrayRef3<f32>) -> Array3<f32> {
        self.check("Linear", x.shape());
        let shape = (x.dim().0, x.dim().1, self.weight.nrows());
        fill_in_parallel(shape, |b, mut y| {
            matmul(
                x.index_axis(Axis(0), b),
                self.weight.t(),
                y.view_mut(),
                Store::Overwrite,
            );
            if let Some(bias) = &self.bias {
                y += bias;
            }
        })
    }

    /// The same layer with its weight stored column by column, so that products need not transpose
    /// it: for a few rows of `x`, that would take longer than the product itself.
    pub(crate) fn stored_by_columns(mut self) -> Linear {
        let columns = self.weight.t().as_standard_layout().into_owned();
        self.weight = columns.reversed_axes();
        self
    }

    /// Gradients with respect to `x` and to the layer, from `d_y`, the gradient
    /// with respect to the result for `x`.
    ///
    /// `d_y` is (T, out), `x` and the first result are (T, in); the second result has the
    /// shape of the layer.
    ///
    /// PyTorch: `layer(x).backward(d_y)`, then `x.grad` and `layer.weight.grad`
    ///
    /// # Panics
    ///
    /// If the shapes do not match.
    ///
    /// ```
    /// use attention::layers::Linear;
    /// use ndarray::array;
    ///
    /// let layer = Linear { weight: array![[1.0, 2.0]], bias: Some(array![0.5]) };
    /// let (d_x, d) = layer.backward(&array![[10.0]], &array![[3.0, 4.0]]);
    /// assert_eq!(d_x, array![[10.0, 20.0]]);
    /// assert_eq!(d, Linear { weight: array![[30.0, 40.0]], bias: Some(array![10.0]) });
    /// ```
    #[track_caller]
    pub fn backward(&self, d_y: &ArrayRef2<f32>, x: &ArrayRef2<f32>) -> (Array2<f32>, Linear) {
        self.check("Linear::backward", x.shape());
        let y = [x.nrows(), self.weight.nrows()];
        same_shape("Linear::backward", ("d_y", d_y.shape()), ("the result", &y));
        let (d_x, weight, d_bias) = linear_backward_of(d_y, x, &self.weight);
        let bias = self.bias.as_ref().map(|_| d_bias);
        (d_x, Linear { weight, bias })
    }

    /// Panics unless weight and bias match, and `x` matches the layer.
    #[track_caller]
    pub(crate) fn check(&self, function: &str, x: &[usize]) {
        same_width(function, ("x", x), ("weight", self.weight.shape()));
        if let Some(bias) = &self.bias {
            assert!(
                bias.len() == self.weight.nrows(),
                "{function}: weight is {} but bias is {}: each row of weight needs one bias",
                shape_text(self.weight.shape()),
                shape_text(bias.shape()),
            );
        }
    }
}

/// Panics if a layer has no inputs or no outputs.
#[track_caller]
pub(crate) fn check_sizes(layer: &str, inputs: usize, outputs: usize) {
    assert!(
        inputs > 0 && outputs > 0,
        "{layer}: {inputs} inputs and {outputs} outputs: both must be 1 or more"
    );
}

/// Panics unless `dropout` is a probability.
#[track_caller]
pub(crate) fn check_dropout(layer: &str, dropout: f64) {
    assert!(
        (0.0..=1.0).contains(&dropout),
        "{layer}: dropout is {dropout}, but a probability must be between 0 and 1"
    );
}

pub(crate) fn linear_of<A: NdFloat>(
    x: &ArrayRef2<A>,
    weight: &Array2<A>,
    bias: Option<&Array1<A>>,
) -> Array2<A> {
    let y = x.dot(&weight.t());
    match bias {
        Some(bias) => y + bias,
        None => y,
    }
}

pub(crate) fn linear_backward_of<A: NdFloat>(
    d_y: &ArrayRef2<A>,
    x: &ArrayRef2<A>,
    weight: &Array2<A>,
) -> (Array2<A>, Array2<A>, Array1<A>) {
    // forward: y = x weightᵀ + bias
    // so:      d_x = d_y weight, d_weight = d_yᵀ x, d_bias = Σ_t d_y
    (d_y.dot(weight), d_y.t().dot(x), d_y.sum_axis(Axis(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn gradients_agree_with_central_differences() {
        let x = array![[0.3_f64, -1.2, 0.7], [1.1, 0.4, -0.5]];
        let weight = array![[0.2, -0.4, 0.9], [-0.7, 0.1, 0.3]];
        let bias = array![0.5, -0.25];
        let d_y = array![[1.0, -2.0], [0.5, 3.0]];
        let loss = |x: &Array2<f64>, weight: &Array2<f64>, bias: &Array1<f64>| {
            (linear_of(x, weight, Some(bias)) * &d_y).sum()
        };
        let (d_x, d_weight, d_bias) = linear_backward_of(&d_y, &x, &weight);
        let step = 1e-6;
        for index in [(0, 0), (0, 1), (1, 2)] {
            let moved = |by: f64, of: &Array2<f64>| {
                let mut of = of.clone();
                of[index] += by;
                of
            };
            let x_at = |by: f64| loss(&moved(by, &x), &weight, &bias);
            let weight_at = |by: f64| loss(&x, &moved(by, &weight), &bias);
            assert!(((x_at(step) - x_at(-step)) / (2.0 * step) - d_x[index]).abs() < 1e-8);
            assert!(
                ((weight_at(step) - weight_at(-step)) / (2.0 * step) - d_weight[index]).abs()
                    < 1e-8
            );
        }
        assert_eq!(d_bias, array![1.5, 1.0]);
    }
}
