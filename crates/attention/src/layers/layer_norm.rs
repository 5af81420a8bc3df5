//! Normalises each row to mean 0 and variance 1.

use crate::measure::step::Step;
use crate::numerics::shape::{same_shape, shape_text};
use free_memory::assert_fits;
use ndarray::{Array1, Array2, ArrayRef2, Axis, NdFloat, Zip};

/// PyTorch's default epsilon.
pub(crate) const EPSILON: f64 = 1e-5;

/// A layer norm: `y = (x - mean(x)) / sqrt(var(x) + epsilon) · weight + bias`, row by
/// row, where `var` is the variance with a `ddof` of 0.
///
/// PyTorch: `torch.nn.LayerNorm`
///
/// Source: Ba, Kiros, Hinton 2016, "Layer Normalization", equation 4.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    /// (C,)
    pub weight: Array1<f32>,
    /// (C,)
    pub bias: Array1<f32>,
    /// Added to the variance, so that a row of equal numbers is not divided by 0.
    pub epsilon: f64,
}

impl LayerNorm {
    /// A layer for rows of `width` numbers, with weights of 1, biases of 0 and an epsilon of
    /// 1e-5; it draws no random numbers.
    ///
    /// PyTorch: `torch.nn.LayerNorm(width)`
    ///
    /// # Panics
    ///
    /// If `width` is 0, or the layer does not fit into memory.
    ///
    /// ```
    /// use attention::layers::LayerNorm;
    /// use ndarray::array;
    ///
    /// assert_eq!(LayerNorm::new(2).weight, array![1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn new(width: usize) -> LayerNorm {
        assert!(width > 0, "LayerNorm: width is 0, but it must be 1 or more");
        assert_fits("LayerNorm", &[2, width], size_of::<f32>());
        LayerNorm {
            weight: Array1::ones(width),
            bias: Array1::zeros(width),
            epsilon: EPSILON,
        }
    }

    /// The result for every row of `x`, (T, C), with the same shape.
    ///
    /// PyTorch: `layer(x)`
    ///
    /// # Panics
    ///
    /// If the rows of `x` and the layer differ in width, or weight and bias differ in length.
    ///
    /// ```
    /// use attention::layers::LayerNorm;
    /// use attention::show::show;
    /// use ndarray::array;
    ///
    /// let y = LayerNorm::new(3).forward(&array![[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]);
    /// assert_eq!(show(&y.row(0)).to_string(), "[-1.2247,  0.0000,  1.2247]  f32 (3,)");
    /// assert_eq!(show(&y.row(1)).to_string(), "[0., 0., 0.]  f32 (3,)");
    /// ```
    #[track_caller]
    pub fn forward(&self, x: &ArrayRef2<f32>) -> Array2<f32> {
        Step::LayerNorm.called();
        self.check("LayerNorm", x);
        layer_norm_of(x, &self.weight, &self.bias, self.epsilon)
    }

    /// Gradients with respect to `x` and to the layer, from `d_y`, the gradient
    /// with respect to the result for `x`. All are (T, C) except the layer's.
    ///
    /// PyTorch: `layer(x).backward(d_y)`, then `x.grad` and `layer.weight.grad`
    ///
    /// # Panics
    ///
    /// If the shapes do not match.
    ///
    /// ```
    /// use attention::layers::LayerNorm;
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, 2.0, 3.0]];
    /// let (d_x, d) = LayerNorm::new(3).backward(&array![[1.0, 1.0, 1.0]], &x);
    /// assert!(d_x.iter().all(|d| d.abs() < 1e-6)); // the mean is subtracted anyway
    /// assert_eq!(d.bias, array![1.0, 1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn backward(&self, d_y: &ArrayRef2<f32>, x: &ArrayRef2<f32>) -> (Array2<f32>, LayerNorm) {
        self.check("LayerNorm::backward", x);
        same_shape(
            "LayerNorm::backward",
            ("d_y", d_y.shape()),
            ("x", x.shape()),
        );
        let (d_x, weight, bias) = layer_norm_backward_of(d_y, x, &self.weight, self.epsilon);
        let epsilon = self.epsilon;
        (
            d_x,
            LayerNorm {
                weight,
                bias,
                epsilon,
            },
        )
    }

    #[track_caller]
    fn check(&self, function: &str, x: &ArrayRef2<f32>) {
        assert!(
            x.ncols() == self.weight.len(),
            "{function}: x is {} but the layer is for rows of {}",
            shape_text(x.shape()),
            self.weight.len(),
        );
        same_shape(
            function,
            ("weight", self.weight.shape()),
            ("bias", self.bias.shape()),
        );
    }
}

/// The normalised rows, before weight and bias are applied, and the divisor of each row.
fn normalised_of<A: NdFloat>(x: &ArrayRef2<A>, epsilon: f64) -> (Array2<A>, Array1<A>) {
    let width = A::from(x.ncols()).expect("a width is a number");
    let epsilon = A::from(epsilon).expect("a small number");
    let mut normalised = x.to_owned();
    let mut deviations = Array1::zeros(x.nrows());
    for (mut row, deviation) in normalised.rows_mut().into_iter().zip(&mut deviations) {
        let mean = row.sum() / width;
        row -= mean;
        let variance = row.fold(A::zero(), |sum, &value| sum + value * value) / width;
        *deviation = (variance + epsilon).sqrt();
        row /= *deviation;
    }
    (normalised, deviations)
}

fn layer_norm_of<A: NdFloat>(
    x: &ArrayRef2<A>,
    weight: &Array1<A>,
    bias: &Array1<A>,
    epsilon: f64,
) -> Array2<A> {
    normalised_of(x, epsilon).0 * weight + bias
}

fn layer_norm_backward_of<A: NdFloat>(
    d_y: &ArrayRef2<A>,
    x: &ArrayRef2<A>,
    weight: &Array1<A>,
    epsilon: f64,
) -> (Array2<A>, Array1<A>, Array1<A>) {
    // forward: y = n weight + bias, n = (x - mean) / deviation
    // so:      d_x = (d_n - mean(d_n) - n mean(d_n n)) / deviation
    let (normalised, deviations) = normalised_of(x, epsilon);
    let width = A::from(x.ncols()).expect("a width is a number");
    let mut d_x = d_y.to_owned() * weight;
    let rows = Zip::from(d_x.rows_mut())
        .and(normalised.rows())
        .and(&deviations);
    rows.for_each(|mut d_n, n, &deviation| {
        let mean = d_n.sum() / width;
        let mean_product = d_n.dot(&n) / width;
        Zip::from(&mut d_n)
            .and(&n)
            .for_each(|d, &n| *d = (*d - mean - n * mean_product) / deviation);
    });
    let d_weight = (normalised * d_y).sum_axis(Axis(0));
    (d_x, d_weight, d_y.sum_axis(Axis(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn gradients_agree_with_central_differences() {
        let x = array![[0.3_f64, -1.2, 0.7, 2.0], [1.1, 0.4, -0.5, 0.1]];
        let (weight, bias) = (array![1.5, -0.5, 0.8, 1.0], array![0.1, 0.2, -0.3, 0.0]);
        let d_y = array![[1.0, -2.0, 0.5, 0.3], [0.5, 3.0, -1.0, 0.7]];
        let loss = |x: &Array2<f64>, weight: &Array1<f64>| {
            (layer_norm_of(x, weight, &bias, EPSILON) * &d_y).sum()
        };
        let (d_x, d_weight, d_bias) = layer_norm_backward_of(&d_y, &x, &weight, EPSILON);
        let step = 1e-5;
        for (index, claimed) in d_x.indexed_iter() {
            let at = |by: f64| {
                let mut x = x.clone();
                x[index] += by;
                loss(&x, &weight)
            };
            let measured = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (measured - claimed).abs() < 1e-8,
                "{index:?}: {claimed}, {measured}"
            );
        }
        for (index, claimed) in d_weight.indexed_iter() {
            let at = |by: f64| {
                let mut weight = weight.clone();
                weight[index] += by;
                loss(&x, &weight)
            };
            let measured = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (measured - claimed).abs() < 1e-8,
                "{index}: {claimed}, {measured}"
            );
        }
        assert_eq!(d_bias, array![1.5, 1.0, -0.5, 1.0]);
    }
}
